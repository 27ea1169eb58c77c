// Asserts values that are always present although their type does not say so. No other file does that.

/** A value that must be present. Throws Error if it is not, which is a fault of the program. */
export function present<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null) throw new Error('A value that is always there was missing.')
  return value
}

/** The only row of a statement that always returns one, such as a count. Throws Error if it is missing. */
export const only = <T>(list: readonly T[]): NonNullable<T> => present(list[0])

/** A whole number, of any size. */
export const isInteger = (value: unknown): value is number => Number.isInteger(value)

/** The largest id that a table can hold. */
const MOST_ID = 2 ** 31 - 1

/** Whether a value can be the id of a record. */
export const isId = (value: unknown): value is number => isInteger(value) && value > 0 && value <= MOST_ID
