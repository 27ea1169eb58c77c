// Lists and links of records that the session created, and for which it created no lines: other
// sessions cannot see such records, so nothing has to be read. Not after SQL of a module, which may
// have created lines.
import { touchesOf } from '../changes/touches.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'

/**
 * Whether nothing can lead by a many2one or a table of links to these records, which stand at the end of
 * `step`: the unit made them, and it made no such links.
 */
export function isUnlinked(env: Environment, step: FieldDef, ids: readonly number[]): boolean {
  const { unit } = env
  if (!step.comodel || step.options.companyDependent || !unit.cache.hasMade(step.comodel, ids)) return false
  if (step.link) return !unit.hasGrown(step.link.table)
  return step.kind === 'many2one' && step.column && touchesOf(unit, step.model) === 0
}

/** Whether lists of these records have nothing in them, for the same reason. */
export function isEmptyYet(env: Environment, list: FieldDef, ids: readonly number[]): boolean {
  if (list.compute || list.related) return false
  const { unit } = env
  if (list.link) return unit.cache.hasMade(list.model, ids) && !unit.hasGrown(list.link.table)
  const back = list.kind === 'one2many' ? list.comodel.fields.get(list.inverse) : undefined
  return back?.comodel === list.model && isUnlinked(env, back, ids)
}
