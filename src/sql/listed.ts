// Rows as parameters of a statement: an array for each column. PostgreSQL unpacks arrays in a third of the
// time that JSON of the same rows takes; a value that all rows share is passed once, as a scalar.

import type { Statement } from './sql.ts'

/** Rows for a statement, which others may join (`haveSameColumns`). */
export interface ListedRows {
  readonly text: string
  /** The statement's values before those of the rows. */
  readonly head: readonly unknown[]
  /** The key of each row, different in all rows. */
  readonly keys: number[]
  /** The values of the rows, column by column: numbers, texts, booleans or null. */
  readonly columns: readonly unknown[][]
}

/** Rows in SQL. */
interface Listed {
  /** The FROM item: `x`, whose key column has the name passed to `listed`. */
  readonly source: string
  /** The values of the columns, in their order. */
  readonly values: readonly string[]
}

/** Rows with columns of these types, whose parameters (`listedValues`) begin at `first`. */
export function listed(key: string, types: readonly string[], first: number): Listed {
  const lists = first + types.length
  const names = types.map((_, i) => `c${i}`)
  const arrays = types.map((type, i) => `$${lists + 1 + i}::${type}[]`)
  return {
    source: `unnest(${[`$${lists}::int[]`, ...arrays].join(', ')}) AS x(${[key, ...names].join(', ')})`,
    values: types.map((type, i) => `COALESCE(x.c${i}, $${first + i}::${type})`),
  }
}

/** The parameters of such rows. */
export function listedValues(keys: readonly number[], columns: readonly (readonly unknown[])[]): unknown[] {
  const common: unknown[] = []
  const lists: unknown[] = []
  for (const column of columns) {
    const isCommon = areAlike(column)
    common.push(isCommon ? column[0] : null)
    lists.push(isCommon ? null : column)
  }
  return [...common, keys, ...lists]
}

function areAlike(column: readonly unknown[]): boolean {
  const [first] = column
  for (let n = 1; n < column.length; n++) if (column[n] !== first) return false
  return true
}

/** The statement of rows. */
export const listedStatement = (rows: ListedRows): Statement => ({
  text: rows.text,
  values: [...rows.head, ...listedValues(rows.keys, rows.columns)],
})

/** Whether two say the same of their rows. */
export const haveSameColumns = (first: ListedRows, other: ListedRows): boolean =>
  first.text === other.text &&
  first.head.length === other.head.length &&
  first.head.every((value, i) => value === other.head[i])
