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

/** A parameter that is text, with the id in the place of the number. */
export const withOwed = (parameter: string, id: string): string =>
  `replace(${parameter}::text, '${LETTERS}', (${id})::text)`
