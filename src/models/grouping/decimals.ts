// Sums of floats and amounts as JSON: a whole one keeps its decimal point, by which clients of typed
// languages know what it is.
import { isInteger } from '../../kit/present.ts'
import type { AggregateSpec } from './specs.ts'

/** Newer than the library that TypeScript knows: a value that is written as the text it was made of. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/** Functions whose result is of the field's own kind. */
const KEEPING: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'array_agg', 'array_agg_distinct'])

/**
 * An aggregate as it is written: `434.0` where the field is a float or an amount, or where it is an average.
 */
export function written({ field, func }: AggregateSpec, value: unknown): unknown {
  const isDecimal =
    func === 'avg' || (KEEPING.has(func) && (field?.kind === 'float' || field?.kind === 'monetary'))
  if (!isDecimal) return value
  return Array.isArray(value) ? value.map(pointed) : pointed(value)
}

const pointed = (value: unknown): unknown =>
  // Beyond, JavaScript writes an exponent, which is no integer to anybody.
  isInteger(value) && Math.abs(value) < 1e21 ? JSON.rawJSON(`${value}.0`) : value
