// The form in which values are given: names of fields, and which of the relations are set. What is not plain
// has none.
import { limits } from '../../../limits.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { isTreePath, leadsToOne } from '../../language/relations.ts'
import { mayField } from '../../rights/judge.ts'
import { callerKey } from '../../row/plans.ts'

export type Vals = Readonly<Record<string, unknown>>

/** Names of fields: whoever gives more is not known again. */
const MOST_NAMES = 60

/** Characters of the texts of one record: more is counted and refused on the whole way. */
export const MOST_TEXT = 64 * 1024

/** Values whose column follows from them and their field alone. */
const plain = new Set(['char', 'text', 'integer', 'float', 'boolean', 'selection', 'date', 'datetime'])

/** Whether a value for the field goes into a column of its own and nowhere else; links only where `links`. */
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

/** What values of this form are known by, for this caller; null where they are not plain. */
export function formKey(env: Environment, model: ModelDef, doing: string, vals: unknown): string | null {
  if (typeof vals !== 'object' || vals === null || Array.isArray(vals)) return null
  let form = `${doing} ${model.name}`
  let left = Math.min(MOST_NAMES, limits.fields)
  for (const name in vals) {
    const field = model.fields.get(name)
    const value = (vals as Vals)[name]
    if (!field || value === undefined || --left < 0) return null
    if (typeof value === 'object' && value !== null) return null
    if (leadsToOne(field)) {
      // Digits are made a number on the whole way.
      if (typeof value === 'string') return null
      form += value ? ` ${name}+` : ` ${name}-`
    } else form += ` ${name}`
  }
  return callerKey(env, form)
}

/** What waits for the end of a call: whoever adds to it does more than write a row. */
export const hooksOf = ({ unit }: Environment): number =>
  unit.beforeCommit.length + unit.afterCommit.length + (unit.claim ? 1 : 0)
