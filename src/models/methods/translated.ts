// Translations as a whole and definitions of properties, as clients ask for them (spec/models-api.md sections
// 1 and 8).
import { InvalidValue, UserError } from '../../errors.ts'
import { id, idList, join, sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { FieldDef, LooseRecords, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertExisting } from '../load/links.ts'
import { definitionNamed } from '../read/properties.ts'
import { assertModel, fieldNamed, missingRecordsError } from '../rights/judge.ts'
import { raiseRightsVersion } from '../rights/tables.ts'
import { assertRecords } from '../row/access.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { authorizeWrite } from '../write/authorize.ts'
import { copyTranslations } from '../write/copy.ts'
import { missingRequiredError } from '../write/defaults.ts'
import { writeRecords } from '../write/write.ts'
import { type GenericMethods, generic, idsOf } from './bind.ts'

export const translatedMethods: GenericMethods = {
  copy_translations: generic({
    doc: 'Copies the translations of this record to another record, except those of excluded fields.',
    params: {
      new: required<unknown>('any', {
        doc: 'The other record, as its id or a list of one',
        annotation: 'int | list[int]',
      }),
      excluded: optional<unknown>('any', null, { annotation: 'list[str] | None' }),
    },
    returns: returns<null>('nothing', 'None'),
    run: async (records, p) => {
      const { env, def } = records
      const from = records.ensureOne()
      const [to, ...more] = typeof p.new === 'number' ? [p.new] : idsOf(p.new)
      if (to === undefined || more.length)
        throw new InvalidValue('Translations can only be copied to one record.')
      await assertRecords(env, def, [from], 'read', { missing: 'refuse' })
      await assertRecords(env, def, [to], 'write', { missing: 'refuse' })
      await assertExisting(env, def, [from, to])
      const excluded = Array.isArray(p.excluded)
        ? p.excluded.map((name) => fieldNamed(env, def, name).name)
        : []
      const translated = [...def.fields.values()].filter(({ translate }) => translate)
      const names = translated.map(({ name }) => name).filter((name) => !excluded.includes(name))
      const vals = Object.fromEntries(names.map((name) => [name, null]))
      await authorizeWrite(env, def, [{ ids: [to], vals }])
      await copyTranslations(env, def, new Map([[from, to]]), excluded)
      env.unit.cache.clear()
      return null
    },
  }),
  web_override_translations: generic({
    doc: 'Sets translated fields to one text for all languages.',
    params: {
      values: required<Record<string, unknown>>('object', {
        doc: 'Field → text',
        annotation: 'dict[str, str]',
      }),
    },
    returns: returns<null>('nothing', 'None'),
    run: async ({ env, def, ids }, p) => {
      const fields = Object.keys(p.values).map((name) => fieldNamed(env, def, name))
      for (const field of fields)
        if (!field.translate || !field.column)
          throw new InvalidValue(`${def.name}.${field.name} is not translated.`)
      if (fields.length === 0 || ids.length === 0) return null
      await authorizeWrite(env, def, [{ ids, vals: p.values }])
      await writeRecords(env.withContext({ lang: BASE_LANGUAGE }), def, ids, p.values)
      // An unset column stays NULL: jsonb_strip_nulls and NULLIF take the empty object away.
      const sets = fields.map(({ name }) => {
        const base = sql`jsonb_strip_nulls(jsonb_build_object(${BASE_LANGUAGE}::text, ${id(name)} -> ${BASE_LANGUAGE}::text))`
        return sql`${id(name)} = NULLIF(${base}, '{}'::jsonb)`
      })
      await env.query(sql`UPDATE ${id(def.table)} SET ${join(sets)} WHERE "id" = ANY(${idList(ids)})`)
      env.unit.cache.clear()
      return null
    },
  }),
  get_property_definition: generic({
    doc: 'The definition of a property, as `field.property`; empty for an unknown name.',
    level: 'model',
    readonly: true,
    params: { full_name: required<string>('string', { annotation: 'str' }) },
    returns: returns<object>('object', 'dict'),
    run: ({ env, def }, p) => definitionOf(env, def, p.full_name),
  }),
}

async function definitionOf(env: Environment, model: ModelDef, fullName: string): Promise<object> {
  assertModel(env, model, 'read')
  const [name = '', property = ''] = fullName.split('.', 2)
  const field = model.fields.get(name) && fieldNamed(env, model, name)
  return (field && property && (await definitionNamed(env, field, property))) || {}
}

// Values of translated fields by language (spec/models-api.md section 8).

const fieldName = required<unknown>('any', { annotation: 'str' })

export const translationMethods: GenericMethods = {
  get_field_translations: generic({
    doc: 'The value of a translated field of one record in each language.',
    readonly: true,
    params: {
      field_name: fieldName,
      langs: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
    },
    returns: returns<unknown[]>('array', 'tuple[list[dict], dict]'),
    run: async (records, p) => {
      const { env } = records
      const record = records.ensureOne()
      const field = fieldNamed(env, records.def, p.field_name)
      await assertRecords(env, records.def, [record], 'read', { missing: 'refuse' })
      const context = {
        translation_type: field.kind === 'text' || field.kind === 'html' ? 'text' : 'char',
        translation_show_source: false,
      }
      if (!field.translate || !field.column) return [[], context]
      const texts = await textsOf(env, field, record)
      const langs =
        Array.isArray(p.langs) && p.langs.length
          ? (p.langs as string[])
          : [...env.unit.rights.languages].sort()
      const source = texts[BASE_LANGUAGE] ?? ''
      return [langs.map((lang) => ({ lang, source, value: texts[lang] ?? source })), context]
    },
  }),
  update_field_translations: generic({
    doc: 'Sets a translated field of one record in several languages; false takes a language back to the base text.',
    params: {
      field_name: fieldName,
      translations: required<Record<string, unknown>>('object', { annotation: 'dict[str, str | bool]' }),
      source_lang: optional<unknown>('any', '', { annotation: 'str' }),
    },
    returns: returns<boolean>('boolean', 'bool'),
    run: (records, p) => update(records, p.field_name, p.translations),
  }),
}

async function update(
  records: LooseRecords,
  name: unknown,
  translations: Record<string, unknown>,
): Promise<boolean> {
  const { env, def } = records
  const record = records.ensureOne()
  const field = fieldNamed(env, def, name)
  if (!field.translate || !field.column || Object.keys(translations).length === 0) return false
  for (const [lang, text] of Object.entries(translations)) {
    if (!env.unit.rights.languages.has(lang))
      throw new UserError(`The language ${JSON.stringify(lang)} is not active.`)
    if (typeof text !== 'string' && text !== false)
      throw new UserError(`A translation must be a text, not ${JSON.stringify(text)}.`)
    if (text === false && lang === BASE_LANGUAGE && field.required) throw missingRequiredError(field)
  }
  if (def.name.startsWith('ir.model')) raiseRightsVersion(env)
  await authorizeWrite(env, def, [{ ids: [record], vals: { [field.name]: null } }])
  const texts = Object.entries(translations).filter(([, text]) => typeof text === 'string')
  for (const [lang, text] of texts)
    await writeRecords(env.withContext({ lang }), def, [record], { [field.name]: text })
  // The base value is what all others fall back to: it is replaced, not dropped.
  const dropped = Object.keys(translations).filter(
    (lang) => translations[lang] === false && lang !== BASE_LANGUAGE,
  )
  if (dropped.length) {
    await writeRecords(env, def, [record], {})
    await env.query(
      sql`UPDATE ${id(def.table)} SET ${id(field.name)} = ${id(field.name)} - ${dropped}::text[] WHERE "id" = ${record}`,
    )
    env.unit.cache.forget(field, [record])
  }
  return true
}

async function textsOf(env: Environment, field: FieldDef, record: number): Promise<Record<string, string>> {
  const rows = await env.query<[string | null]>(
    sql`SELECT ${id(field.name)} FROM ${id(field.model.table)} WHERE "id" = ${record}`,
  )
  if (rows.length === 0) throw missingRecordsError(field.model, [record])
  return JSON.parse(rows[0]?.[0] ?? '{}') as Record<string, string>
}
