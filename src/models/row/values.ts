// Values on their way in: names checked, values converted by their kind, sorted by where they go.

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { assertWithin, beyond, limits } from '../../limits.ts'
import { cleanAhead, isMarkup, type KnownMarkup, noMarkup, withCleaned } from '../kinds/cleaning.ts'
import type { FieldDef, ModelDef, X2manyDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { isTreePath, leadsToMany, leadsToOne } from '../language/relations.ts'
import { fieldNamed } from '../rights/judge.ts'
import { perModel } from '../unit/per-model.ts'

/** Given values of one record, or of all records of a write, by where they go. */
export interface Sorted {
  /** Columns of the table, converted. */
  readonly columns: Map<FieldDef, unknown>
  /** Delegated values, by the many2one that leads to the delegate. */
  readonly delegated: Map<string, Record<string, unknown>>
  /** Related fields that may be written: their path's end takes the value. */
  readonly related: Map<FieldDef, unknown>
  /** Commands of x2many fields. */
  readonly lines: Map<X2manyDef, unknown>
  /** Computed fields that write back. */
  readonly inverse: Map<FieldDef, unknown>
  /** Binary fields kept as attachments: base64 text or null. */
  readonly files: Map<FieldDef, unknown>
}

/**
 * Sorts values by field. Automatic fields, `display_name` and read-only related or computed fields are
 * ignored (spec/models-api.md section 5, "create and defaults"). Throws InvalidValue for unknown fields and
 * wrong values, AccessError for fields of a foreign group.
 */
export function sortValues(
  env: Environment,
  model: ModelDef,
  vals: Readonly<Record<string, unknown>>,
): Sorted {
  const sorted: Sorting = {
    columns: new Map(),
    delegated: NONE,
    related: NONE,
    lines: NONE,
    inverse: NONE,
    files: NONE,
  }
  for (const name of Object.keys(vals)) place(sorted, fieldNamed(env, model, name), vals[name])
  return sorted
}

type Vals = Readonly<Record<string, unknown>>

type Sorting = { -readonly [K in keyof Sorted]: Sorted[K] }

/** Most records have columns alone: what else they have gets a map of its own then (`own`). */
const NONE = Object.assign(new Map<never, never>(), {
  set(): never {
    throw new Error('What stands for nothing stays empty.')
  },
})

const own = <K, V>(map: Map<K, V>): Map<K, V> => (Object.is(map, NONE) ? new Map<K, V>() : map)

/** As `sortValues` for several objects of values, long markup among them cleaned ahead. */
export function sortEach(
  env: Environment,
  model: ModelDef,
  list: readonly Vals[],
): Sorted[] | Promise<Sorted[]> {
  const sorted = (known: KnownMarkup) =>
    withCleaned(known, () => list.map((vals) => sortValues(env, model, vals)))
  return markupFields(model).length ? cleanMarkup(env, model, list).then(sorted) : sorted(noMarkup)
}

/**
 * Fields of markup whose values go into the table, or are judged on the way to where they go; those of a
 * delegate are its own matter.
 */
const markupFields = perModel((model) =>
  [...model.fields.values()].filter((field) => field.kind === 'html' && !field.inherited),
)

async function cleanMarkup(env: Environment, model: ModelDef, list: readonly Vals[]): Promise<KnownMarkup> {
  const texts = list.flatMap((vals) =>
    markupFields(model).map((field) => (isMarkup(field, vals[field.name]) ? vals[field.name] : '')),
  )
  return cleanAhead(env, texts as string[])
}

/**
 * Characters of text that the columns of a record take: what long ones cost grows with the records that get
 * them.
 */
export function weightOf({ columns }: Pick<Sorted, 'columns'>): number {
  let weight = 0
  for (const value of columns.values()) if (typeof value === 'string') weight += value.length
  return weight
}

/** Those of them that are indexed by their parts: PostgreSQL takes every one apart whenever its row changes. */
export function searchedOf({ columns }: Pick<Sorted, 'columns'>): number {
  let weight = 0
  for (const [{ options }, value] of columns)
    if (options.index === 'trigram' && typeof value === 'string') weight += value.length
  return weight
}

/** Counts the texts that a call writes into so many records. Throws PayloadTooLarge. */
export function spendTexts(env: Environment, sorted: Pick<Sorted, 'columns'>, records = 1): void {
  env.unit.spend('written', weightOf(sorted) * records)
  env.unit.spend('searched', searchedOf(sorted) * records)
}

function place(sorted: Sorting, field: FieldDef, value: unknown): void {
  if (field.inherited && field.related) {
    const via = present(field.related[0])
    const below = sorted.delegated.get(via) ?? {}
    below[field.name] = value
    if (!field.automatic) sorted.delegated = own(sorted.delegated).set(via, below)
    return
  }
  if (field.automatic || isTreePath(field)) return
  // A stored one that may be written follows the path's end, so that is where the value goes.
  if (field.column && field.related && !field.readonly)
    sorted.related = own(sorted.related).set(field, judged(field, value))
  else if (field.column) sorted.columns.set(field, field.type.toColumn(field, value))
  else if (field.related && !field.stored) {
    if (!field.readonly) sorted.related = own(sorted.related).set(field, value)
  } else if (field.compute && !field.stored) {
    if (field.compute.options.inverse) sorted.inverse = own(sorted.inverse).set(field, judged(field, value))
  } else if (leadsToMany(field)) sorted.lines = own(sorted.lines).set(field, value)
  else if (field.kind === 'binary')
    sorted.files = own(sorted.files).set(field, field.type.toColumn(field, value))
  if (field.column && field.compute?.options.inverse) sorted.inverse = own(sorted.inverse).set(field, value)
}

/**
 * A value for a function that writes it back: what the kind does not take is refused here already; numbers
 * come as numbers.
 */
function judged(field: FieldDef, value: unknown): unknown {
  if (leadsToMany(field)) return value
  const kept = field.type.toColumn(field, value)
  return typeof kept === 'number' && !leadsToOne(field) ? kept : value
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
  // Put into another object it would stand for values that nobody sees.
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
  ids: readonly number[] | null,
): void {
  if (model.prepares.length === 0) return
  for (const name in vals) {
    const text = vals[name]
    if (typeof text !== 'string' || text.length <= limits.line) continue
    const kind = model.fields.get(name)?.kind
    if (kind === 'char' || kind === 'text') assertWithin(kind === 'char' ? 'line' : 'text', text.length)
  }
  for (const prepare of model.prepares) prepare(vals, env, ids)
}

/** Whether a column of the field holds the value, and no values by language or by company. */
export const isStoredAsIs = (field: FieldDef): boolean => !field.translate && !field.options.companyDependent

/**
 * What the column holds for a value in this environment: translated and company-dependent ones hold an
 * object.
 */
export function stored(env: Environment, field: FieldDef, value: unknown): unknown {
  if (value === null) return null
  if (field.translate) return env.lang === 'en_US' ? { en_US: value } : { en_US: value, [env.lang]: value }
  if (field.options.companyDependent) return { [env.companyId]: value }
  return value
}
