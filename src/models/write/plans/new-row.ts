// New rows as functions see them: objects with values of their columns, for functions that read nothing
// else.
import type { LooseRecord } from '../../language/behaviour.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToMany, leadsToOne } from '../../language/relations.ts'
import { levelOf, type PathTree, type Step, treeOf } from '../../load/tree.ts'
import { companyDefault } from '../../row/company-values.ts'
import { standsAsMade, valueMade } from '../cache-written.ts'
import type { Columns } from './shape.ts'

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

/** A record with its id alone. */
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
      if (isByCompany ? companyDefault(env, field) !== null : !standsAsMade(field)) return null
      if (isByCompany) unset.push(field)
      else columnsToRead.push([field, step ? targetOf(env, model, step) : null])
    }
  }
  return (id, columns) => {
    const record = recordWithId(id)
    for (const name of lists) record[name] = []
    for (const field of unset) record[field.name] = field.type.fromColumn(field, null)
    for (const [field, target] of columnsToRead) {
      const value = valueMade(field, columns)
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
