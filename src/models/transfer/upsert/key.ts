// By what `upsert` knows records again: external ids, or fields that a unique rule of the model names.
import { UnprocessableEntity, ValidationError } from '../../../errors.ts'
import { shown } from '../../../kit/text.ts'
import { id, join, quote, raw, sql } from '../../../sql/index.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { mayField } from '../../rights/judge.ts'
import { constraintName, uniqueIndexName } from '../../row/thing-names.ts'
import { prepareVals } from '../../row/values.ts'
import { perModel } from '../../unit/per-model.ts'
import { unquotedVals } from '../../write/unquoted-vals.ts'
import { complete, targetsOf } from '../external-ids.ts'

/** The member of a row that names it, where external ids are the key. */
export const EXTERNAL = 'external_id'

/** Fields of which no two records have the same values, and the index that sees to it. */
interface UniqueFields {
  readonly fields: readonly FieldDef[]
  readonly constraint: string
}

/** Null: records are only made. */
export type Key = UniqueFields | typeof EXTERNAL | null

const declared = perModel((model): readonly UniqueFields[] => {
  const rules = [...model.rules].flatMap(([name, rule]) =>
    'unique' in rule && !rule.where
      ? [{ names: rule.unique.map((one) => one.split(' ')[0]), constraint: constraintName(model, name) }]
      : [],
  )
  const single = [...model.fields.values()]
    .filter(({ options }) => options.index === 'unique' && !options.companyDependent)
    .map((field) => ({ names: [field.name], constraint: uniqueIndexName(field) }))
  return [...rules, ...single].flatMap(({ names, constraint }) => {
    const fields = names.flatMap((name) => model.fields.get(name ?? '') ?? [])
    return fields.length === names.length && fields.every(isGiven) ? [{ fields, constraint }] : []
  })
})

/** A column whose value comes from whoever writes the record. */
const isGiven = (field: FieldDef): boolean =>
  field.column && !field.inherited && !field.automatic && !field.compute && !field.options.hidden

/**
 * The key of a call: `external_id`, names of fields, or none. Throws UnprocessableEntity for fields that no
 * rule keeps unique, and says which there are.
 */
export function keyOf(env: Environment, model: ModelDef, given: unknown): Key {
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (names.length === 0) return null
  if (names.length === 1 && names[0] === EXTERNAL) return EXTERNAL
  const open = declared(model).filter(({ fields }) => fields.every((field) => mayField(env, field)))
  const found = open.find(
    ({ fields }) => fields.length === names.length && fields.every(({ name }) => names.includes(name)),
  )
  if (found) return found
  const known = [[EXTERNAL], ...open.map(({ fields }) => fields.map(({ name }) => name))]
  throw new UnprocessableEntity(
    `${shown(given, 80)} is no key of ${model.label} (${model.name}). Its keys are: ${known.map((key) => key.join(' + ')).join(', ')}.`,
    { code: 'no_declared_key', context: { keys: known } },
  )
}

/** What a row of values is known by: texts or converted values. */
export type Known = readonly unknown[]

/** What the values of a row say that it is known by. Throws ValidationError where they do not. */
export function knownBy(env: Environment, model: ModelDef, key: Key, vals: Record<string, unknown>): Known {
  if (key === null) return []
  if (key === EXTERNAL) return [nameOf(env, vals[EXTERNAL])]
  const values: Record<string, unknown> = { ...unquotedVals(model, vals) }
  prepareVals(env, model, values, null)
  return key.fields.map((field) => {
    if (values[field.name] === undefined)
      throw new ValidationError(`The row has no ${field.name}, which is part of its key.`)
    return field.type.toColumn(field, values[field.name])
  })
}

/** The complete external id of a row. Throws ValidationError. */
function nameOf(env: Environment, given: unknown): string {
  if (typeof given !== 'string' || !given.trim())
    throw new ValidationError(`The row has no ${EXTERNAL}: a text such as "erp.customer_17".`)
  const name = complete(env, given)
  if (!/^[^.\s]+\.\S/.test(name) || name.length > 250)
    throw new ValidationError(`The external ID '${name.slice(0, 80)}' lacks a module or a name.`)
  return name
}

/** One text for rows that are known by the same; null: no other row is, for what has no value equals nothing. */
export const sameness = (known: Known): string | null =>
  known.length === 0 || known.includes(null) ? null : JSON.stringify(known)

/**
 * Ids of records by what they are known by, in the order of `rows`; null where there is none. One statement,
 * and one a model for external ids.
 */
export async function idsOf(
  env: Environment,
  model: ModelDef,
  key: Key,
  rows: readonly Known[],
): Promise<(number | null | ValidationError)[]> {
  if (key === null || rows.length === 0) return rows.map(() => null)
  if (key === EXTERNAL) {
    const targets = await targetsOf(
      env,
      rows.map(([name]) => String(name)),
    )
    return rows.map(([name]) => {
      const target = targets.get(String(name))
      return target && target.model !== model.name ? otherModel(String(name), model) : (target?.id ?? null)
    })
  }
  const found = new Map((await foundBy(env, model, key, rows)) as readonly (readonly [number, number])[])
  return rows.map((_, n) => found.get(n) ?? null)
}

const otherModel = (name: string, model: ModelDef) =>
  new ValidationError(`The external ID '${name}' belongs to a record of another model than ${model.name}.`)

function foundBy(env: Environment, model: ModelDef, { fields }: UniqueFields, rows: readonly Known[]) {
  const values = rows.map((row, n) => ({
    n,
    ...Object.fromEntries(row.map((value, i) => [`c${i}`, value])),
  }))
  const columns = fields.map((field, i) => `c${i} ${field.translate ? 'text' : field.type.columnType(field)}`)
  // As the rule has it: nothing equals what is not there.
  const same = fields.map((field, i) => {
    const column = `t.${quote(field.name)}`
    return raw(`${field.translate ? `(${column}->>'en_US')` : column} = x.c${i}`)
  })
  return env.query(sql`SELECT x.n, t."id" FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS x(n int, ${raw(columns.join(', '))})
    JOIN ${id(model.table)} AS t ON ${join(same, ' AND ')}`)
}
