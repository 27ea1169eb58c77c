// The shape of values: names of fields, and which of the links are set. Only values that go into columns
// have a shape.
import { limits } from '../../../limits.ts'
import type { LooseRecord } from '../../language/behaviour.ts'
import type { FieldDef, LooseVals, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToMany, leadsToOne } from '../../language/field-options.ts'
import { levelOf, type PathTree, type Step, treeOf } from '../../load/tree.ts'
import { mayField } from '../../rights/judge.ts'
import { companyDefault } from '../../row/company-values.ts'
import { type Destination, destinationOf } from '../../row/destinations.ts'
import { callerKey } from '../../row/plans.ts'
import { dropEmptyLists, isStoredAsIs, sortBy } from '../../row/values.ts'
import { isStableColumn, stableNewRowValue } from '../update.ts'

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
export function columnsFor(destinations: ReadonlyMap<string, Destination>, vals: LooseVals): Columns | null {
  const sorted = sortBy(destinations, vals)
  if (!sorted || sorted.emptied || sorted.columns.size + sorted.lines.size < destinations.size) return null
  if (sorted.lines.size) dropEmptyLists(sorted)
  return sorted.lines.size ? null : sorted.columns
}

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
    const value = (vals as LooseVals)[name]
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
  unit.ending.beforeCommit.length + unit.ending.afterCommit.length + (unit.ending.claim ? 1 : 0)

// New rows as functions see them: objects with values of their columns, for functions that read nothing else.

/**
 * The values of some paths for a new row, as a load would give them; null where a path leads to another
 * record, or to a value that only PostgreSQL has.
 */
export type RowReader = (id: number, columns: Columns) => LooseRecord | null

/**
 * The id of a new row before PostgreSQL draws one. Functions of the model see it as the id of their
 * record and may use it as a link, for nothing else (`idReads`).
 */
export const UNSAVED = -1

let reads = 0

/** Reads of the id of a record without one, since the process began. */
export const idReads = (): number => reads

const recordWithId = (id: number): Record<string, unknown> & { readonly id: number } =>
  id === UNSAVED ? unsaved() : { id }

const unsaved = () => ({
  get id() {
    reads++
    return UNSAVED
  },
})

type Target = (id: number, value: unknown, columns: Columns) => unknown

/** Null where paths lead further than columns and lists, which are empty for a new record. */
export const rowReader = (env: Environment, model: ModelDef, paths: readonly string[]): RowReader | null =>
  readerOf(env, model, treeOf(paths))

function readerOf(env: Environment, model: ModelDef, tree: PathTree): RowReader | null {
  const { unknown, fields, steps } = levelOf(model, tree)
  if (unknown !== undefined) return null
  const stepOf = new Map<FieldDef, Step>(steps.map((step) => [step.field, step]))
  const columnsToRead: [field: FieldDef, target: Target | null][] = []
  const lists: string[] = []
  /** Values by company: shapes have none. */
  const unset: FieldDef[] = []
  for (const field of fields) {
    const step = stepOf.get(field)
    if (step?.isMany) {
      if (!field.stored || field.compute || field.related || !leadsToMany(field)) return null
      lists.push(field.name)
    } else if (field.name !== 'id') {
      const isByCompany = field.column && field.options.companyDependent && !leadsToOne(field)
      if (isByCompany ? companyDefault(env, field) !== null : !isStableColumn(field)) return null
      if (isByCompany) unset.push(field)
      else columnsToRead.push([field, step ? targetOf(env, model, step) : null])
    }
  }
  return (id, columns) => {
    const record = recordWithId(id)
    for (const name of lists) record[name] = []
    for (const field of unset) record[field.name] = field.type.fromColumn(field, null)
    for (const [field, target] of columnsToRead) {
      const value = stableNewRowValue(field, columns)
      const seen = target && value ? target(id, value, columns) : value
      if (seen === undefined) return null
      record[field.name] = seen
    }
    return record
  }
}

/** The object in the place of an id; undefined where another record has to be read. */
function targetOf(env: Environment, model: ModelDef, { field, below, deeper }: Step): Target {
  if (!deeper) return (_id, value) => (value === UNSAVED ? unsaved() : { id: value })
  const itself = field.comodel === model ? readerOf(env, model, below) : null
  return (id, value, columns) => (value === id ? (itself?.(id, columns) ?? undefined) : undefined)
}
