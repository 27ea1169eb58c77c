// Keys and aggregates of groups in the typed form: records as objects, null for nothing, moments with their
// zone, decimals as text.

import { decimalText, typedValue } from '../kinds/typed.ts'
import type { Environment } from '../language/environment.ts'
import { digitsOf } from '../language/field-options.ts'
import type { Typed } from '../language/preferences.ts'
import { namedReferences } from '../read/outward.ts'
import type { AggregateSpec, GroupSpec } from './specs.ts'
import { isPartSpec, isPeriodSpec } from './specs.ts'

/** The names of a spec's keys; undefined where keys are plain values. */
type Names = ReadonlyMap<unknown, unknown> | undefined

/**
 * Formats the keys of a spec: records as objects, periods as pairs of start and label, null for unset.
 * `told`: the documented form.
 */
export async function typedKeys(
  env: Environment,
  { group, keys, names, typed }: TypedKeys,
): Promise<(key: unknown, told: unknown) => unknown> {
  const { field } = group
  if (field.type.typedAs === 'reference') return await namedReferences(env, keys)
  return (key, wireValue) => {
    if (key === null) return field.kind === 'boolean' ? wireValue : null
    if (names) return { id: key, display_name: names.get(key) || null }
    if (isPartSpec(group)) return wireValue
    if (isPeriodSpec(group) && Array.isArray(wireValue))
      return [typedValue(field, key, typed), ...wireValue.slice(1)]
    if (field.type.typedAs !== 'decimal') return wireValue
    const digits = digitsOf(field)
    const scale = field.kind === 'monetary' ? 0 : digits ? digits[1] : undefined
    return typed.decimal && scale !== undefined ? decimalText(Number(key), scale) : wireValue
  }
}

interface TypedKeys {
  readonly group: GroupSpec
  readonly keys: readonly unknown[]
  readonly names: Names
  readonly typed: Typed
}

/** Functions that give null where there was nothing to reckon with. */
const KEEPING: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'avg'])

/** An aggregate; PostgreSQL has made lists, and decimals that are wanted as text. */
export function typedAggregate({ field, func }: AggregateSpec, value: unknown, typed: Typed): unknown {
  if (!field || !KEEPING.has(func)) return value
  return value === false ? null : typedValue(field, value, typed)
}
