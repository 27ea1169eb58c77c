// x2many commands 0 to 6 as they come (spec/models-api.md section 5, "x2many commands").
import { InvalidValue } from '../../../errors.ts'
import { isEmptyList, unquoted } from '../../../kit/nothing.ts'
import { isMarkup } from '../../kinds/cleaning.ts'
import { INT32_MAX, noRecord } from '../../kinds/shared.ts'
import type { FieldDef, Ids, LooseVals, ModelDef, X2manyDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { leadsToMany, leadsToOne } from '../../language/field-options.ts'
import { assertVals, matchesStored } from '../../row/values.ts'

export type Parsed =
  | { readonly code: 0; readonly vals: Record<string, unknown> }
  | { readonly code: 1; readonly id: number; readonly vals: Record<string, unknown> }
  | { readonly code: 2 | 3 | 4; readonly id: number }
  | { readonly code: 5 }
  | { readonly code: 6; readonly ids: Ids }

/**
 * Commands, a list of ids (6), or false and null: nothing for a one2many, none linked for a many2many. Throws
 * InvalidValue for anything else.
 */
export function parseCommands(field: FieldDef, value: unknown): Parsed[] {
  if (value === false || value === null || value === undefined)
    return field.kind === 'many2many' ? [{ code: 5 }] : []
  if (!Array.isArray(value)) throw wrong(field, value)
  if (value.length && value.every((v) => typeof v === 'number'))
    return [{ code: 6, ids: value.map((v) => asId(field, v)) }]
  return value.map((command) => parseCommand(field, command))
}

function parseCommand(field: FieldDef, command: unknown): Parsed {
  if (!Array.isArray(command)) throw wrong(field, command)
  const [code, second, third] = command as unknown[]
  switch (code) {
    case 0:
      return { code, vals: lineVals(third) }
    case 1:
      return { code, id: asId(field, second), vals: lineVals(third) }
    case 2:
    case 3:
    case 4:
      return { code, id: asId(field, second) }
    case 5:
      return { code }
    case 6:
      if (!Array.isArray(third)) throw wrong(field, command)
      return { code, ids: [...new Set(third.map((v) => asId(field, v)))] }
    default:
      throw wrong(field, command)
  }
}

/** Whether commands leave a new record without lines. */
export const leavesNoLines = (commands: readonly Parsed[]): boolean =>
  commands.every((command) => command.code === 5 || (command.code === 6 && command.ids.length === 0))

const lineVals = (vals: unknown) => assertVals(isEmptyList(vals) ? {} : vals)

function asId(field: FieldDef, input: unknown): number {
  const value = unquoted(input)
  if (!Number.isInteger(value))
    throw new InvalidValue(
      `Invalid id ${JSON.stringify(value)} in a command on ${field.model.name}.${field.name}`,
    )
  if ((value as number) > INT32_MAX) throw noRecord(field, value)
  return value as number
}

function wrong(field: FieldDef, value: unknown): InvalidValue {
  return new InvalidValue(
    `Invalid value for ${field.model.name}.${field.name}: ${JSON.stringify(value)?.slice(0, 80)} is not an x2many command`,
  )
}

// Values of callers that privileged code stores, such as orders of tills: their lists may link records
// and add parts. Existing records are changed with the caller's own rights only.

/** Throws InvalidValue for commands of a new record that change, delete or take over others. */
export function assertAddsOnly(model: ModelDef, vals: LooseVals): void {
  for (const name in vals) {
    const field = model.fields.get(name)
    if (!field || !leadsToMany(field)) continue
    const isList = field.kind === 'one2many'
    const isPart = isList && field.comodel.authority?.partOf?.name === field.inverse
    for (const command of parseCommands(field, vals[name])) {
      if (command.code === 5 || (command.code === 6 && command.ids.length === 0)) continue
      if (isPart && command.code === 0) assertAddsOnly(field.comodel, command.vals)
      else if (isList || command.code < 3)
        throw new InvalidValue(
          `"${field.label}" (${name}) of ${model.label} ${isPart ? 'accepts new records only: send [[0, 0, {…}]]' : isList ? 'is set by the server: leave it out' : 'can link records but not change them: send [[6, 0, ids]]'}.`,
        )
    }
  }
}

// Values that change nothing: of a record that has them already, and of a new one that would get them.

/** Whether a value, or commands on a list, leave what a record has (`now`) as it is. */
export function isUnchanged(field: FieldDef, now: unknown, next: unknown): boolean {
  if (leadsToMany(field)) return changesNoList(field, now, next)
  // That it must not be empty is said where values are taken apart.
  if (field.required && !field.type.filled && (next === null || next === false)) return true
  // Contents that modules keep have no column, and modules read their values in their own way.
  if (field.kind === 'binary' && field.compute && !field.column) return false
  const value = leadsToOne(field) ? ((now as { id: number } | null)?.id ?? null) : now
  try {
    return matchesStored(field, isMarkup(field, next) ? field.type.toColumn(field, next) : next, value)
  } catch {
    // Modules may read a value that no field of the kind takes, such as a text as the content of a file.
    return false
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
export function isEmptyOrDefault(env: Environment, field: FieldDef, value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  if (value === '/') return true
  return field.defaultOf !== null && field.defaultOf(env) === value
}
