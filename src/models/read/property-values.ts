// Values of properties as their definitions allow them.

import { isDate, isMoment } from '../../kit/dates.ts'
import { oncePer } from '../../kit/once-per.ts'
import { isInteger } from '../../kit/present.ts'
import { cleaned } from '../kinds/cleaning.ts'
import { INT32_MAX } from '../kinds/shared.ts'

/** A definition as it is kept; `name` and `type` are always there. */
export interface PropertyDefinition {
  readonly name: string
  readonly type: string
  readonly comodel?: unknown
  readonly default?: unknown
  readonly selection?: unknown
  readonly tags?: unknown
}
/** Values of a record's properties by name. */
export type Values = Readonly<Record<string, unknown>>

/**
 * The value that a record was given for a property, or the default of a new record; undefined without
 * either.
 */
export function givenValue(definition: PropertyDefinition, values: Values | null, fresh: boolean): unknown {
  if (values !== null && Object.hasOwn(values, definition.name)) return values[definition.name] ?? null
  return fresh && definition.default ? definition.default : undefined
}

/**
 * A value as its definition allows it: keys that are no options go, and so does what is no value of the type.
 */
export function understood(definition: PropertyDefinition, value: unknown): unknown {
  if (value === null || value === undefined) return false
  switch (definition.type) {
    case 'selection':
      return keysOfOptions(definition.selection).has(value) ? value : false
    case 'tags': {
      const tagKeys = keysOfOptions(definition.tags)
      return Array.isArray(value) ? value.filter((key) => tagKeys.has(key)) : false
    }
    case 'many2one':
      return idOf(value) ?? false
    case 'many2many':
      return Array.isArray(value) ? value.flatMap((one) => idOf(one) ?? []) : false
    case 'integer':
    case 'float':
    case 'monetary': {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number !== 'number' || !Number.isFinite(number)) return false
      return definition.type === 'integer' ? Math.trunc(number) : number
    }
    case 'date':
      return typeof value === 'string' && isDate(value.slice(0, 10)) ? value.slice(0, 10) : false
    case 'datetime':
      return typeof value === 'string' && isMoment(value) ? value : false
    case 'boolean':
      return Boolean(value)
    case 'char':
    case 'text':
      return typeof value === 'string' ? value : false
    case 'html':
      return typeof value === 'string' ? cleaned(value) : false
    default:
      return value
  }
}

/** Keys of a list of options `[key, label, …]`. */
export const keysOfOptions = (options: unknown): ReadonlySet<unknown> =>
  Array.isArray(options) ? keysOf(options) : new Set()

/** Many records have one definition. */
const keysOf = oncePer(
  (options: readonly unknown[]): ReadonlySet<unknown> =>
    new Set(options.map((option) => (Array.isArray(option) ? option[0] : undefined))),
)

/** Records are given by id, or as they are read: `[id, name]`. */
export function idOf(value: unknown): number | null {
  const candidate: unknown = Array.isArray(value) ? value[0] : value
  return isInteger(candidate) && candidate > 0 && candidate <= INT32_MAX ? candidate : null
}
