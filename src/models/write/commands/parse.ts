// x2many commands 0 to 6 as they come (spec/models-api.md section 5, "x2many commands").
import { InvalidValue } from '../../../errors.ts'
import { isEmptyList, unquoted } from '../../../kit/nothing.ts'
import { INT32_MAX, noRecord } from '../../kinds/shared.ts'
import type { FieldDef } from '../../language/definitions.ts'
import { assertVals } from '../../row/values.ts'

export type Parsed =
  | { readonly code: 0; readonly vals: Record<string, unknown> }
  | { readonly code: 1; readonly id: number; readonly vals: Record<string, unknown> }
  | { readonly code: 2 | 3 | 4; readonly id: number }
  | { readonly code: 5 }
  | { readonly code: 6; readonly ids: readonly number[] }

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
export const linksNothing = (commands: readonly Parsed[]): boolean =>
  commands.every((command) => command.code === 5 || (command.code === 6 && command.ids.length === 0))

/** Values of a line; PHP's empty list is an empty object. */
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
