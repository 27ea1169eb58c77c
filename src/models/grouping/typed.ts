// Keys and aggregates of groups in the typed form: records as objects, null for nothing, decimals as text.

import { typedValue } from '../kinds/typed.ts'
import { digitsOf } from '../language/field-options.ts'
import type { Typed } from '../language/wishes.ts'
import type { AggregateSpec, GroupSpec } from './specs.ts'

/** A key: records as objects, periods as pairs of start and label, null where nothing is. */
export function typedKey(
  { field }: GroupSpec,
  key: unknown,
  told: unknown,
  names: ReadonlyMap<unknown, unknown> | undefined,
): unknown {
  if (key === null) return field.kind === 'boolean' ? told : null
  return names ? { id: key, display_name: names.get(key) || null } : told
}

const KEEPING: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'avg'])

/** An aggregate; sums of no records are numbers still. */
export function typedAggregate({ field, func }: AggregateSpec, value: unknown, typed: Typed): unknown {
  if (!field || !KEEPING.has(func)) return value
  if (field.type.typedAs !== 'decimal') return typedValue(field, value, typed)
  const digits = field.kind === 'monetary' ? 0 : digitsOf(field)?.[1]
  const isExact = typed.decimal && func !== 'avg' && digits !== undefined && typeof value === 'number'
  return isExact ? decimalOf(value, digits) : value
}

function decimalOf(value: number, digits: number): string {
  const [, fraction = ''] = String(value).split('.')
  return /e/.test(String(value)) ? String(value) : value.toFixed(Math.max(digits, fraction.length))
}
