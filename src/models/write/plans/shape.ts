// The shape of values: names of fields, and which of the links are set. Only values that go into columns
// have a shape.
import { limits } from '../../../limits.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToOne } from '../../language/relations.ts'
import { mayField } from '../../rights/judge.ts'
import { type Destination, destinationOf } from '../../row/destinations.ts'
import { callerKey } from '../../row/plans.ts'
import { dropEmptyLists, isStoredAsIs, sortBy } from '../../row/values.ts'

export type Vals = Readonly<Record<string, unknown>>

/** Most names of fields in a shape. */
const MOST_NAMES = 60

/** Characters of the texts of one record: more are counted and refused on the general path. */
export const MOST_TEXT = 64 * 1024

/**
 * The destination of a value that the caller may write and that becomes the value of a column, whatever
 * the language and the company; null for other fields.
 */
export function columnFor(env: Environment, model: ModelDef, name: string): Destination | null {
  const field = model.fields.get(name)
  if (!field?.type.plain || !isStoredAsIs(field) || !mayField(env, field)) return null
  const destination = destinationOf(field)
  return destination.to === 'columns' && !destination.writesBack ? destination : null
}

/**
 * The columns of values by the destinations of a plan; null for values of other names, lists with
 * commands, and required columns without a value. Throws InvalidValue.
 */
export function columnsFor(destinations: ReadonlyMap<string, Destination>, vals: Vals): Columns | null {
  const sorted = sortBy(destinations, vals)
  if (!sorted || sorted.emptied || sorted.columns.size + sorted.lines.size < destinations.size) return null
  if (sorted.lines.size) dropEmptyLists(sorted)
  return sorted.lines.size ? null : sorted.columns
}

/** Columns of a row, by field. */
export type Columns = Map<FieldDef, unknown>

/** Roughly the bytes of a plan in the cache: it keeps names and functions by field, and a text. */
export const bytesOfPlan = (fields: number, text = 0): number => 1000 + 200 * fields + text

/** The key of a plan for values of this shape and this caller; null for values without a shape. */
export function shapeKey(env: Environment, model: ModelDef, doing: string, vals: unknown): string | null {
  if (typeof vals !== 'object' || vals === null || Array.isArray(vals)) return null
  let shape = `${doing} ${model.name}`
  let left = Math.min(MOST_NAMES, limits.fields)
  for (const name in vals) {
    const field = model.fields.get(name)
    const value = (vals as Vals)[name]
    if (!field || value === undefined || --left < 0) return null
    if (typeof value === 'object' && value !== null) return null
    if (leadsToOne(field)) {
      // The general path makes numbers of digits.
      if (typeof value === 'string') return null
      shape += value ? ` ${name}+` : ` ${name}-`
    } else shape += ` ${name}`
  }
  return callerKey(env, shape)
}

/** Number of hooks for the end of a call: writes that add some have no plan. */
export const hooksOf = ({ unit }: Environment): number =>
  unit.beforeCommit.length + unit.afterCommit.length + (unit.claim ? 1 : 0)
