// The columns of rows by a plan: those of the values and those computed from them, and whether the
// caller may create the row.
import { waits } from '../../compute/waits.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToOne } from '../../language/relations.ts'
import { decidedBy } from '../../load/decide.ts'
import { type CreatePlan, completed } from './create-plan.ts'
import { type Columns, idReads, UNSAVED } from './new-row.ts'
import type { Vals } from './shape.ts'

/**
 * The columns of values by the fields of a plan; null for other names, lists with commands, and required
 * columns without a value. Throws InvalidValue.
 */
export function columnsOf(fields: ReadonlyMap<string, FieldDef | null>, vals: Vals): Columns | null {
  const columns: Columns = new Map()
  let left = fields.size
  for (const name in vals) {
    const [field, value] = [fields.get(name), vals[name]]
    if (field === undefined) return null
    left--
    if (field) {
      const column = field.type.toColumn(field, value)
      if (column === null && field.required && !field.type.filled) return null
      columns.set(field, column)
    } else if (!Array.isArray(value) || value.length) return null
  }
  return left ? null : columns
}

/** As `columnsOf`, of new records with their defaults. */
export function givenColumns(
  plan: CreatePlan,
  env: Environment,
  model: ModelDef,
  vals: Vals,
): Columns | null {
  const complete = completed(env, model, plan.defaults, vals)
  return complete && columnsOf(plan.fields, complete)
}

/**
 * Computes the other columns; false where a function looks at more than the row, or uses the missing id
 * for anything but a link to the record.
 */
export function isComplete(
  { steps, unset }: CreatePlan,
  env: Environment,
  columns: Columns,
  id: number,
): boolean {
  const su = env.sudo()
  for (const { fields, compute, read } of steps) {
    const record = read(id, columns)
    const before = idReads()
    const values = record && compute.run([record], su)
    if (!values || waits(compute, values) || !values.has(id)) return false
    const value: unknown = values.get(id)
    // Once is for the place of the value (`computed`).
    const looksAtIt = idReads() > before + 1
    const plain = typeof value === 'object' && value !== null && 'id' in value ? value.id : value
    const isOwnId = plain === UNSAVED && fields.every(leadsToOne)
    if (looksAtIt && !isOwnId) return false
    for (const field of fields)
      columns.set(field, isOwnId ? plain : field.type.toColumn(field, plain ?? false))
  }
  for (const field of unset) if ((columns.get(field) ?? null) !== null) return false
  return true
}

/** Whether the rules let the caller create the record, by its columns alone. */
export const isAllowed = (
  { rule }: CreatePlan,
  id: number | null,
  columnOf: (field: FieldDef) => unknown,
): boolean => rule === null || decidedBy(rule, id, columnOf) === true
