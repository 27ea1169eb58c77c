// Translations as a whole and definitions of properties, as clients ask for them (spec/models-api.md sections
// 1 and 8).
import { InvalidValue } from '../../errors.ts'
import { id, idList, join, sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { existing } from '../load/existing.ts'
import { definitionNamed } from '../read/properties.ts'
import { assertModel, fieldNamed, gone } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { BASE_LANGUAGE } from '../unit/environment.ts'
import { authorizeWrite } from '../write/authorize.ts'
import { copyTranslations } from '../write/copy.ts'
import { writeRecords } from '../write/write.ts'
import { idsOf } from './bind.ts'
import { type GenericMethods, generic } from './generic.ts'

export const translatedMethods: GenericMethods = {
  copy_translations: generic(
    {
      doc: 'Gives another record the translations of this one, but for the fields left out.',
      params: {
        new: required<unknown>('any', {
          doc: 'The other record, as its id or a list of one',
          annotation: 'int | list[int]',
        }),
        excluded: optional<unknown>('any', null, { annotation: 'list[str] | None' }),
      },
      returns: returns<null>('nothing', 'None'),
    },
    async (records, p) => {
      const { env, def } = records
      const from = records.ensureOne()
      const [to, ...more] = typeof p.new === 'number' ? [p.new] : idsOf(p.new)
      if (to === undefined || more.length) throw new InvalidValue('Translations are copied to one record.')
      await assertRecords(env, def, [from], 'read', { missing: 'refuse' })
      await assertRecords(env, def, [to], 'write', { missing: 'refuse' })
      const existingIds = await existing(env, def, [from, to])
      if (existingIds.length < new Set([from, to]).size) throw gone(def, [from, to], existingIds)
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
  ),
  web_override_translations: generic(
    {
      doc: 'Gives translated fields one text for all languages.',
      params: {
        values: required<Record<string, unknown>>('object', {
          doc: 'Field → text',
          annotation: 'dict[str, str]',
        }),
      },
      returns: returns<null>('nothing', 'None'),
    },
    async ({ env, def, ids }, p) => {
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
  ),
  get_property_definition: generic(
    {
      doc: 'The definition of a property, as `field.property`; empty for an unknown name.',
      level: 'model',
      readonly: true,
      params: { full_name: required<string>('string', { annotation: 'str' }) },
      returns: returns<object>('object', 'dict'),
    },
    ({ env, def }, p) => definitionOf(env, def, p.full_name),
  ),
}

async function definitionOf(env: Environment, model: ModelDef, fullName: string): Promise<object> {
  assertModel(env, model, 'read')
  const [name = '', property = ''] = fullName.split('.', 2)
  const field = model.fields.get(name) && fieldNamed(env, model, name)
  return (field && property && (await definitionNamed(env, field, property))) || {}
}
