// Values that change nothing: of a record that has them already, and of a new one that would get them.
import { isMarkup } from '../kinds/cleaning.ts'
import type { FieldDef, X2manyDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany, leadsToOne } from '../language/relations.ts'
import { matchesStored } from '../row/same.ts'
import { parseCommands } from './commands/parse.ts'

/** Whether a value, or commands on a list, leave what a record has (`now`) as it is. */
export function isUnchanged(field: FieldDef, now: unknown, next: unknown): boolean {
  if (leadsToMany(field)) return changesNoList(field, now, next)
  // That it must not be empty is said where values are taken apart.
  if (field.required && !field.type.filled && (next === null || next === false)) return true
  const value = leadsToOne(field) ? ((now as { id: number } | null)?.id ?? null) : now
  try {
    return matchesStored(field, isMarkup(field, next) ? field.type.toColumn(field, next) : next, value)
  } catch {
    // The conversion that follows refuses it.
    return true
  }
}

/** Whether each command says of the list what it is: forms send lists whole. */
function changesNoList(field: X2manyDef, now: unknown, commands: unknown): boolean {
  if (!Array.isArray(commands)) return false
  const linked = new Set((Array.isArray(now) ? (now as { readonly id: number }[]) : []).map(({ id }) => id))
  return parseCommands(field, commands).every((command) => {
    if (command.code === 4) return linked.has(command.id)
    if (command.code === 5) return linked.size === 0
    if (command.code === 6) return linked.symmetricDifference(new Set(command.ids)).size === 0
    if (command.code === 3) return !linked.has(command.id)
    return command.code === 1 && linked.has(command.id) && Object.keys(command.vals).length === 0
  })
}

/** Values that claim nothing of a new record: empty ones, and what the server would give it too. */
export function saysNothing(env: Environment, field: FieldDef, value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  if (value === '/') return true
  return field.defaultOf !== null && field.defaultOf(env) === value
}
