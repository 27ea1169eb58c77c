// Values of translated fields by language (spec/models-api.md section 8).

import { UserError } from '../../errors.ts'
import { id, sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { FieldDef, LooseRecords } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldNamed, gone } from '../rights/judge.ts'
import { raiseRightsVersion } from '../rights/version.ts'
import { assertRecords } from '../row/access.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { authorizeWrite } from '../write/authorize.ts'
import { missing } from '../write/required.ts'
import { writeRecords } from '../write/write.ts'
import { type GenericMethods, generic } from './generic.ts'

const fieldName = required<unknown>('any', { annotation: 'str' })

export const translationMethods: GenericMethods = {
  get_field_translations: generic(
    {
      doc: 'The value of a translated field of one record in each language.',
      readonly: true,
      params: {
        field_name: fieldName,
        langs: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
      },
      returns: returns<unknown[]>('array', 'tuple[list[dict], dict]'),
    },
    async (records, p) => {
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
  ),
  update_field_translations: generic(
    {
      doc: 'Sets a translated field of one record in several languages; false takes a language back to the base text.',
      params: {
        field_name: fieldName,
        translations: required<Record<string, unknown>>('object', { annotation: 'dict[str, str | bool]' }),
        source_lang: optional<unknown>('any', '', { annotation: 'str' }),
      },
      returns: returns<boolean>('boolean', 'bool'),
    },
    (records, p) => update(records, p.field_name, p.translations),
  ),
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
      throw new UserError(`A translation is a text, not ${JSON.stringify(text)}.`)
    if (text === false && lang === BASE_LANGUAGE && field.required) throw missing(field)
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
  if (rows.length === 0) throw gone(field.model, [record])
  return JSON.parse(rows[0]?.[0] ?? '{}') as Record<string, string>
}
