// Keys of `upsert`: external ids, or fields with a unique constraint.

import { InvalidValue, type ServiceError, UnprocessableEntity, ValidationError } from '../../../errors.ts'
import { oncePer } from '../../../kit/once-per.ts'
import { shown } from '../../../kit/text.ts'
import { id, join, quote, raw, sql } from '../../../sql/index.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { mayField } from '../../rights/judge.ts'
import { constraintName, uniqueIndexName } from '../../row/thing-names.ts'
import { prepareVals } from '../../row/values.ts'
import { unquotedVals } from '../../write/entry.ts'
import { convert, wantsOf } from '../convert.ts'
import { layoutOf, splitRows } from '../layout.ts'
import { complete, Lookup, targetsOfExternalIds } from '../named-records.ts'

/** The row's member with the external id, if that is the key. */
export const EXTERNAL = 'external_id'

interface UniqueFields {
  readonly fields: readonly FieldDef[]
  readonly constraint: string
}

/** Null: every row creates a record. */
export type Key = UniqueFields | typeof EXTERNAL | null

const declared = oncePer((model: ModelDef): readonly UniqueFields[] => {
  const rules = [...model.rules].flatMap(([name, rule]) =>
    'unique' in rule && !rule.where
      ? [
          {
            names: rule.unique.map((column) => column.split(' ')[0]),
            constraint: constraintName(model, name),
          },
        ]
      : [],
  )
  const single = [...model.fields.values()]
    .filter(({ options }) => options.index === 'unique' && !options.companyDependent)
    .map((field) => ({ names: [field.name], constraint: uniqueIndexName(field) }))
  return [...rules, ...single].flatMap(({ names, constraint }) => {
    const fields = names.flatMap((name) => model.fields.get(name ?? '') ?? [])
    return fields.length === names.length && fields.every(isWritable) ? [{ fields, constraint }] : []
  })
})

const isWritable = (field: FieldDef): boolean =>
  field.column && !field.inherited && !field.automatic && !field.compute && !field.options.hidden

/**
 * The key of a call: `external_id`, names of fields, or null. Throws UnprocessableEntity, with the
 * possible keys, for fields without a unique constraint.
 */
export function upsertKeyOf(env: Environment, model: ModelDef, key: unknown): Key {
  const names: readonly unknown[] = Array.isArray(key) ? key : [key]
  if (names.length === 0) return null
  if (names.length === 1 && names[0] === EXTERNAL) return EXTERNAL
  const open = declared(model).filter(({ fields }) => fields.every((field) => mayField(env, field)))
  const match = open.find(
    ({ fields }) => fields.length === names.length && fields.every(({ name }) => names.includes(name)),
  )
  if (match) return match
  const keys = [[EXTERNAL], ...open.map(({ fields }) => fields.map(({ name }) => name))]
  throw new UnprocessableEntity(
    `${shown(key, 80)} is not a key of ${model.label} (${model.name}). Its keys are: ${keys.map((names) => names.join(' + ')).join(', ')}.`,
    { code: 'no_declared_key', context: { keys } },
  )
}

export type KeyValues = readonly unknown[]

/** The values of a row's key. Throws ValidationError if one is missing. */
export function keyValuesOf(
  env: Environment,
  model: ModelDef,
  key: Key,
  vals: Record<string, unknown>,
): KeyValues {
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

function nameOf(env: Environment, text: unknown): string {
  if (typeof text !== 'string' || !text.trim())
    throw new ValidationError(`The row has no ${EXTERNAL}: a text such as "erp.customer_17".`)
  const name = complete(env, text)
  if (!/^[^.\s]+\.\S/.test(name) || name.length > 250)
    throw new ValidationError(
      `The external ID '${name.slice(0, 80)}' is incomplete: write it as module.name.`,
    )
  return name
}

/** Equal for rows with the same key; null if one of its values is unset, which equals nothing. */
export const comparableKey = (values: KeyValues): string | null =>
  values.length === 0 || values.includes(null) ? null : JSON.stringify(values)

/**
 * Ids of records by the values of their key, in the order of `rows`; null for new ones. One statement,
 * and one per model for external ids.
 */
export async function idsByKey(
  env: Environment,
  model: ModelDef,
  key: Key,
  rows: readonly KeyValues[],
): Promise<(number | null | ValidationError)[]> {
  if (key === null || rows.length === 0) return rows.map(() => null)
  if (key === EXTERNAL) {
    const names = rows.map(([name]) => String(name))
    const targets = await targetsOfExternalIds(env, names)
    return rows.map(([name]) => {
      const target = targets.get(String(name))
      return target && target.model !== model.name ? otherModel(String(name), model) : (target?.id ?? null)
    })
  }
  const idsByRow = new Map((await rowsByKey(env, model, key, rows)) as readonly (readonly [number, number])[])
  return rows.map((_, n) => idsByRow.get(n) ?? null)
}

const otherModel = (name: string, model: ModelDef) =>
  new ValidationError(`The external ID '${name}' belongs to a record of another model than ${model.name}.`)

function rowsByKey(env: Environment, model: ModelDef, { fields }: UniqueFields, rows: readonly KeyValues[]) {
  const values = rows.map((row, n) => ({
    n,
    ...Object.fromEntries(row.map((value, i) => [`c${i}`, value])),
  }))
  const columns = fields.map((field, i) => `c${i} ${field.translate ? 'text' : field.type.columnType(field)}`)
  // As in the unique constraint: NULL equals nothing.
  const same = fields.map((field, i) => {
    const column = `t.${quote(field.name)}`
    return raw(`${field.translate ? `(${column}->>'en_US')` : column} = x.c${i}`)
  })
  return env.query(sql`SELECT x.n, t."id" FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS x(n int, ${raw(columns.join(', '))})
    JOIN ${id(model.table)} AS t ON ${join(same, ' AND ')}`)
}

// Converts rows of texts from files to values for `upsert`. Columns have the same meaning as in imports.

/**
 * Values of rows with the same columns, or the error of a row. `id` is the external id, as in exports.
 * Throws InvalidValue for unknown columns, and for columns of one2manys' records.
 */
export async function valuesOfCells(
  env: Environment,
  model: ModelDef,
  rows: readonly Readonly<Record<string, string>>[],
): Promise<(Record<string, unknown> | ServiceError)[]> {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== EXTERNAL)
  const layout = layoutOf(env, model, columns)
  if (layout.lines.length || layout.id !== null)
    throw new InvalidValue('An upsert does not support columns of lines or database ids.')
  const lookup = new Lookup(env)
  await lookup.learnLabels([model])
  const cells = rows.map((row) => columns.map((name) => row[name] ?? ''))
  const drafts = splitRows(layout, cells)
  await lookup.prepare(drafts.flatMap(wantsOf))
  return drafts.map((draft, n) => {
    const { vals, remarks, xmlid } = convert(draft, lookup)
    const wrong = remarks.find(({ type }) => type === 'error')
    if (wrong) return new ValidationError(wrong.message)
    const name = rows[n]?.[EXTERNAL] ?? xmlid
    return { ...vals, ...(name ? { [EXTERNAL]: name } : {}) }
  })
}
