// Ids that a unit owes to several records: drawn together, in the flush that makes these.

/** How an id of a table is drawn, in SQL. */
export interface Drawing {
  readonly table: string
  /** What gives the next one. */
  readonly next: string
  /** What must not be for it to be drawn; null where nothing has to be looked at. */
  readonly unless: string | null
}

/** An id that is drawn together with others. */
export interface OwedId {
  /** The number that stands for it until it is known. */
  readonly stand: number
  /** The setting of the transaction that has it among those of its table, and its place there from 1. */
  readonly setting: string
  readonly n: number
}

/** Ids that a unit owes to several records. */
export interface Owing {
  /** Whether there are some that nobody knows yet. */
  readonly isOpen: boolean
  /** How many there are. */
  readonly count: number
  /** The id that a number stands for, once it is told; other numbers are what they are. */
  idOf(stand: number): number
  /** All ids as a list of texts, in SQL, for PostgreSQL's `format`. */
  readonly list: string
  /** What `format` puts the id in the place of, by the number that stands for it. */
  spelling(): (stand: number) => string | number
}
