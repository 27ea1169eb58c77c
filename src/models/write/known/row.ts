// New rows as functions see them: objects with the values of their own columns, where nothing but these is
// looked at.
import type { LooseRecord } from '../../language/behaviour.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToMany, leadsToOne } from '../../language/relations.ts'
import { levelOf, type PathTree, type Step, treeOf } from '../../load/tree.ts'
import { companyDefault } from '../../row/company-values.ts'
import { standsAsMade, valueMade } from '../kept.ts'

/** Columns of a new row, by field. */
export type Columns = Map<FieldDef, unknown>

/**
 * What a load of some paths would give of a new row; null where they go on to another record that is there
 * already, or to a value that only PostgreSQL knows.
 */
export type RowReader = (id: number, columns: Columns) => LooseRecord | null

/**
 * The id of a new row as long as PostgreSQL has not given one. Functions of the model see it as their
 * record's id and may pass it on as a link; nothing else may follow from it (`idReads`).
 */
export const UNSAVED = -1

let reads = 0

/** Times that functions read the id of a record that has none, since the process began. */
export const idReads = (): number => reads

/** A record as it begins: its id. */
const beginning = (id: number): Record<string, unknown> & { readonly id: number } =>
  id === UNSAVED ? unsaved() : { id }

const unsaved = () => ({
  get id() {
    reads++
    return UNSAVED
  },
})

type Target = (id: number, value: unknown, columns: Columns) => unknown

/** Null where the paths look at more than columns and at lists, which a new record has none of. */
export const rowReader = (env: Environment, model: ModelDef, paths: readonly string[]): RowReader | null =>
  readerOf(env, model, treeOf(paths))

function readerOf(env: Environment, model: ModelDef, tree: PathTree): RowReader | null {
  const { unknown, fields, steps } = levelOf(model, tree)
  if (unknown !== undefined) return null
  const stepOf = new Map<FieldDef, Step>(steps.map((step) => [step.field, step]))
  const own: [field: FieldDef, target: Target | null][] = []
  const lists: string[] = []
  /** Values by company, which no plain value is. */
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
      else own.push([field, step ? targetOf(env, model, step) : null])
    }
  }
  return (id, columns) => {
    const record = beginning(id)
    for (const name of lists) record[name] = []
    for (const field of unset) record[field.name] = field.type.fromColumn(field, null)
    for (const [field, target] of own) {
      const value = valueMade(field, columns)
      const seen = target && value ? target(id, value, columns) : value
      if (seen === undefined) return null
      record[field.name] = seen
    }
    return record
  }
}

/** What stands in the place of an id; undefined where it takes a look at another record. */
function targetOf(env: Environment, model: ModelDef, { field, below, deeper }: Step): Target {
  if (!deeper) return (_id, value) => (value === UNSAVED ? unsaved() : { id: value })
  const itself = field.comodel === model ? readerOf(env, model, below) : null
  return (id, value, columns) => (value === id ? (itself?.(id, columns) ?? undefined) : undefined)
}
