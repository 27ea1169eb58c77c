// The shape of values: names of fields, and which of the links are set. Values that are not plain have
// none.
import { limits } from '../../../limits.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { isTreePath, leadsToOne } from '../../language/relations.ts'
import { mayField } from '../../rights/judge.ts'
import { callerKey } from '../../row/plans.ts'

export type Vals = Readonly<Record<string, unknown>>

/** Most names of fields in a shape. */
const MOST_NAMES = 60

/** Characters of the texts of one record: more are counted and refused on the general path. */
export const MOST_TEXT = 64 * 1024

/** Values whose column follows from them and their field alone. */
const plain = new Set(['char', 'text', 'integer', 'float', 'boolean', 'selection', 'date', 'datetime'])

/**
 * Whether a value for the field goes into a column of its own and nowhere else; links only where
 * `links`.
 */
const isPlain = (field: FieldDef, links: boolean): boolean =>
  field.column &&
  (plain.has(field.kind) || (links && field.kind === 'many2one')) &&
  !field.automatic &&
  !isTreePath(field) &&
  !field.related &&
  !field.inherited &&
  !field.translate &&
  !field.options.companyDependent &&
  !field.options.hidden &&
  !field.compute?.options.inverse

/** The field of a name that the caller may write and whose values are plain; else null. */
export function plainField(env: Environment, model: ModelDef, name: string, links: boolean): FieldDef | null {
  const field = model.fields.get(name)
  return field && isPlain(field, links) && mayField(env, field) ? field : null
}

/** The key of a plan for values of this shape and this caller; null where they are not plain. */
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
