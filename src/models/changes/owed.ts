// An id that is drawn by what leaves in one flush with all that needs it: until PostgreSQL has told it, a
// number stands for it (docs/decisions/0074).

/** The number: the last that an id may be, and no record has come so far. */
export const OWED = 2 ** 31 - 1

const LETTERS = String(OWED)

/** Whether a value is the number, or may have been made of it. */
export const tellsOwed = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes(LETTERS)
    : value === OWED || (typeof value === 'object' && value !== null)

/** What puts ids into a parameter that is text, in SQL. */
export interface Dress {
  /** What it is known by. */
  readonly key: string
  /** What gives the id, where there is one. */
  readonly id?: string
  dressed(parameter: string): string
}

/** The id, in the place of the number. */
export const inPlaceOf = (id: string): Dress => ({
  key: id,
  id,
  dressed: (parameter) => `replace(${parameter}::text, '${LETTERS}', (${id})::text)`,
})

/** Several ids, a list of texts in SQL: the parameter says where each belongs, as `format` reads it. */
export const inSettings = (list: string): Dress => ({
  key: list,
  dressed: (parameter) => `format(${parameter}::text, VARIADIC ${list})`,
})
