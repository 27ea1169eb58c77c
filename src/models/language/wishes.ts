// What a caller wishes of the rows of an answer, beyond the documented API: forms of values, pages, counts.

/** Values as typed languages want them: null for nothing, moments with their zone, records as objects. */
export interface Typed {
  /** The zone that moments are told in; null: UTC. */
  readonly zone: string | null
  /** Amounts and numbers with digits as exact text. */
  readonly decimal: boolean
}

export type CountKind = 'exact' | 'planned' | 'estimated'

/** A page that begins behind a row, whatever its place. */
export interface PageWish {
  /** Where the page before it ended; null for the first. */
  readonly cursor: string | null
  /** What a cursor is bound to besides the question: the database. */
  readonly database: string
}

export interface Wishes {
  readonly typed: Typed | null
  readonly page: PageWish | null
  readonly count: CountKind | null
  /** Tags of answers that the caller has. */
  readonly known: readonly string[]
  /** Rows are passed on one by one: nobody holds all of them. */
  readonly lines: boolean
  /** Adds a header to the answer. */
  tell(name: string, value: string): void
}

export const NO_WISHES: Wishes = {
  typed: null,
  page: null,
  count: null,
  known: [],
  lines: false,
  tell: () => undefined,
}
