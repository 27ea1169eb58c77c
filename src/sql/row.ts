// Types of the columns of a statement's rows: declared once, next to the statement, for the compiler and for
// a check of every row.
import { present } from '../kit/present.ts'

/** Kinds of columns, and what a value of each is here. Dates, moments and JSON are the text PostgreSQL prints. */
interface Values {
  int: number
  float: number
  text: string
  bool: boolean
  bytes: Buffer
  ints: number[]
  floats: number[]
  texts: string[]
}

type Kind = keyof Values

/**
 * A column: its type, with `?` if the value may be missing (NULL); or all texts that it may have, with null
 * among them if it may be missing.
 */
export type Column = Kind | `${Kind}?` | readonly (string | null)[]

type ValueOf<C extends Column> = C extends Kind
  ? Values[C]
  : C extends `${infer K extends Kind}?`
    ? Values[K] | null
    : C extends readonly (string | null)[]
      ? C[number]
      : never

/** Rows of these columns. */
export type RowOf<C extends readonly Column[]> = { readonly [I in keyof C]: ValueOf<C[I]> }

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const listOf = (holds: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(holds)

const holds: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  int: Number.isSafeInteger,
  float: isNumber,
  text: isText,
  bool: (value) => typeof value === 'boolean',
  bytes: Buffer.isBuffer,
  ints: listOf(Number.isSafeInteger),
  floats: listOf(isNumber),
  texts: listOf(isText),
}

const checksByColumn = new Map<Column, (value: unknown) => boolean>(
  Object.entries(holds).flatMap(([kind, held]) => [
    [kind as Kind, held],
    [`${kind as Kind}?`, (value: unknown) => value === null || held(value)],
  ]),
)

const lookAt = (column: Column): ((value: unknown) => boolean) =>
  typeof column === 'string'
    ? present(checksByColumn.get(column))
    : (value) => column.includes(value as string | null)

/**
 * The same rows, checked: each has exactly these columns. Throws Error with the statement's text otherwise:
 * then the statement or the declaration is wrong.
 */
export function rowsOf<const C extends readonly Column[]>(
  rows: readonly (readonly unknown[])[],
  columns: C,
  text: string,
): readonly RowOf<C>[] {
  const looks = columns.map(lookAt)
  const fits = (row: readonly unknown[]): row is RowOf<C> =>
    row.length === looks.length && looks.every((look, i) => look(row[i]))
  if (rows.every(fits)) return rows
  throw new Error(
    `A statement gives other rows than was said, ${JSON.stringify(columns)}: ${wrongOf(rows, columns)}: ${text}`,
  )
}

/** The first row that does not fit, by the types of its values: values must not appear in messages. */
function wrongOf(rows: readonly (readonly unknown[])[], columns: readonly Column[]): string {
  const looks = columns.map(lookAt)
  const wrong = rows.find((row) => row.length !== looks.length || looks.some((look, i) => !look(row[i])))
  return JSON.stringify(
    wrong?.map((value) => (value === null ? null : Array.isArray(value) ? 'list' : typeof value)),
  )
}
