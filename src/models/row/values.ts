// Explicit values of records: names are checked, values are converted and sorted by their destinations.

import { InvalidValue } from '../../errors.ts'
import { canonical } from '../../kit/canonical.ts'
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { assertWithin, beyond, limits } from '../../limits.ts'
import { type Sql, sql } from '../../sql/index.ts'
import { isMarkup, type KnownMarkup, noMarkup, sanitizeBeforeWrite, withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldNamed } from '../rights/judge.ts'
import {
  type Destination,
  destinationOf,
  NOTHING_ELSE,
  place,
  type Sorted,
  type Sorting,
  writeBack,
} from './destinations.ts'

/**
 * Sorts values by their destinations. Automatic fields, `display_name` and read-only related or computed
 * fields are ignored (spec/models-api.md section 5, "create and defaults"). Throws InvalidValue for
 * unknown fields and wrong values, AccessError for fields of a foreign group.
 */
export function sortValues(env: Environment, model: ModelDef, vals: LooseVals): Sorted {
  return present(sortBy({ get: (name) => destinationOf(fieldNamed(env, model, name)) }, vals))
}

/** Sorts values by the destinations of their names; null where a name has none. */
export function sortBy(
  destinations: { get(name: string): Destination | undefined },
  vals: LooseVals,
): Sorted | null {
  const sorted: Sorting = { columns: new Map(), ...NOTHING_ELSE, emptied: null }
  for (const name of Object.keys(vals)) {
    const destination = destinations.get(name)
    if (!destination) return null
    const { field, to, writesBack } = destination
    if (to === 'columns') {
      const column = field.type.toColumn(field, vals[name])
      sorted.columns.set(field, column)
      if (column === null && field.required && !field.type.filled) sorted.emptied ??= field
    } else place(sorted, destination, vals[name])
    if (writesBack) writeBack(sorted, field, vals[name])
  }
  return sorted
}

/** Drops empty lists of commands, as defaults often are: a new record has no lines yet. */
export function dropEmptyLists({ lines }: Sorted): void {
  for (const [field, value] of lines)
    if (!field.compute && Array.isArray(value) && value.length === 0) lines.delete(field)
}

/** As `sortValues` for several objects of values, whose long markup is cleaned first. */
export function sortEach(
  env: Environment,
  model: ModelDef,
  list: readonly LooseVals[],
): Sorted[] | Promise<Sorted[]> {
  const sorted = (known: KnownMarkup) =>
    withCleaned(known, () => list.map((vals) => sortValues(env, model, vals)))
  return markupFields(model).length ? cleanMarkup(env, model, list).then(sorted) : sorted(noMarkup)
}

const markupFields = oncePer((model: ModelDef) =>
  [...model.fields.values()].filter((field) => field.kind === 'html' && !field.inherited),
)

async function cleanMarkup(
  env: Environment,
  model: ModelDef,
  list: readonly LooseVals[],
): Promise<KnownMarkup> {
  const texts = list.flatMap((vals) =>
    markupFields(model).map((field) => (isMarkup(field, vals[field.name]) ? vals[field.name] : '')),
  )
  return sanitizeBeforeWrite(env, texts as string[])
}

/** Characters of text in the columns: their cost grows with the records that get them. */
export function weightOf({ columns }: Pick<Sorted, 'columns'>): number {
  let weight = 0
  for (const value of columns.values()) if (typeof value === 'string') weight += value.length
  return weight
}

/** Those of them that are indexed by their parts: PostgreSQL takes every one apart whenever its row changes. */
function searchedOf({ columns }: Pick<Sorted, 'columns'>): number {
  let weight = 0
  for (const [{ options }, value] of columns)
    if (options.index === 'trigram' && typeof value === 'string') weight += value.length
  return weight
}

/** Counts the texts that a call writes into so many records. Throws PayloadTooLarge. */
export function spendTexts(env: Environment, sorted: Pick<Sorted, 'columns'>, records = 1): void {
  env.unit.quota.charge('written', weightOf(sorted) * records)
  env.unit.quota.charge('searched', searchedOf(sorted) * records)
}

/**
 * An object of values from outside. Throws InvalidValue for anything else, PayloadTooLarge for one of more
 * names than a call may give.
 */
export function assertVals(vals: unknown): Record<string, unknown> {
  if (typeof vals !== 'object' || vals === null || Array.isArray(vals)) {
    throw new InvalidValue(
      `Values must be an object of field names and values, not ${JSON.stringify(vals)?.slice(0, 80)}`,
    )
  }
  // Copied into another object, it would replace the prototype, whose values are not checked.
  if (Object.hasOwn(vals, '__proto__'))
    throw new InvalidValue('Invalid field "__proto__"', { code: 'unknown_field' })
  // Each name is looked at several times before one is found that is no field.
  let names = 0
  for (const _ in vals) if (++names > limits.fields) throw beyond('fields')
  return vals as Record<string, unknown>
}

/**
 * Lets the model's own preparation change values before they are looked at. Its work grows with the texts, so
 * their length comes first. Throws PayloadTooLarge.
 */
export function prepareVals(
  env: Environment,
  model: ModelDef,
  vals: Record<string, unknown>,
  ids: Ids | null,
): void {
  if (model.hooks.prepares.length === 0) return
  for (const name in vals) {
    const text = vals[name]
    if (typeof text !== 'string' || text.length <= limits.line) continue
    const kind = model.fields.get(name)?.kind
    if (kind === 'char' || kind === 'text') assertWithin(kind === 'char' ? 'line' : 'text', text.length)
  }
  for (const prepare of model.hooks.prepares) prepare(vals, env, ids)
}

/** Whether a column of the field holds the value, and no values by language or by company. */
export const isStoredAsIs = (field: FieldDef): boolean => !field.translate && !field.options.companyDependent

/** A column's content in this environment: an object for translated and company values. */
export function stored(env: Environment, field: FieldDef, value: unknown): unknown {
  if (value === null) return null
  if (field.translate) return env.lang === 'en_US' ? { en_US: value } : { en_US: value, [env.lang]: value }
  if (field.options.companyDependent) return { [env.companyId]: value }
  return value
}

/** Whether a value, as it would be stored, is what code reads of the record (`now`). */
export function matchesStored(field: FieldDef, value: unknown, now: unknown): boolean {
  // Markup is compared as it comes: callers clean it before.
  const column = isMarkup(field, value) ? value : field.type.toColumn(field, value)
  const read = field.kind === 'binary' ? column : field.type.fromColumn(field, column)
  if (typeof read === 'object' && read !== null) return canonical(read) === canonical(now ?? null)
  return (read ?? null) === (now ?? field.type.fromColumn(field, null) ?? null)
}

// Transport of values to columns, inside JSON or as parameters, and their conversion there.

/** The type a value travels as: bytes as base64, JSON as its text. */
export function columnTypeIn(field: FieldDef): string {
  if (field.translate || field.options.companyDependent) return 'jsonb'
  const type = present(field.type.columnType(field))
  return type === 'bytea' || type === 'jsonb' ? 'text' : type
}

/** From what travels to what the column holds. */
export function expressionIn(field: FieldDef, value: Sql): Sql {
  if (field.translate || field.options.companyDependent) return value
  const type = field.type.columnType(field)
  if (type === 'bytea') return sql`decode(${value}, 'base64')`
  return type === 'jsonb' ? sql`(${value})::jsonb` : value
}

export function jsonValue(env: Environment, field: FieldDef, value: unknown): unknown {
  if (value === undefined || value === null)
    return field.kind === 'boolean' && value === undefined ? undefined : null
  return stored(env, field, value)
}
