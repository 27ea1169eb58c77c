// A caller's preferences for rows of an answer, beyond the documented API: forms of values, pages,
// counts.

/** Values in typed form: null for unset, moments with their time zone, records as objects. */
export interface Typed {
  /** The time zone of moments; null: UTC. */
  readonly zone: string | null
  /** Amounts and numbers with digits as exact text. */
  readonly decimal: boolean
}

export type CountKind = 'exact' | 'planned' | 'estimated'

/** A page that begins after a row, whatever the row's position. */
export interface PageRequest {
  /** Where the previous page ended; null for the first page. */
  readonly cursor: string | null
  /** The database: a cursor is bound to it and to the query. */
  readonly database: string
}

export interface Preferences {
  readonly typed: Typed | null
  readonly page: PageRequest | null
  readonly count: CountKind | null
  /** Tags of answers that the caller has cached. */
  readonly cachedTags: readonly string[]
  /** Rows are sent one by one, so that no list of all rows is needed. */
  readonly lines: boolean
  /** Adds a header to the answer. */
  tell(name: string, value: string): void
}

export const NO_PREFERENCES: Preferences = {
  typed: null,
  page: null,
  count: null,
  cachedTags: [],
  lines: false,
  tell: () => undefined,
}
