// The environment: user, companies, language, time zone, context and unit of work; and the caller's
// preferences for rows of an answer, beyond the documented API: forms of values, pages, counts.
import type { Column, RowOf, Sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { Ids, ModelDef } from './definitions.ts'
import type { Records } from './records.ts'
import type { UserProfile } from './rights.ts'
import type { Row, Unit } from './unit.ts'

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

export type Context = Readonly<Record<string, unknown>>

/** Declares which models a statement of a module reads and the types of the columns that it returns. */
export interface Reading<C extends readonly Column[] = readonly Column[]> {
  readonly reads: readonly ModelName[]
  readonly row: C
  /**
   * The rows may be cached within the call, until records of `reads` or of these models are touched,
   * which contain links that the statement uses.
   */
  readonly kept?: readonly ModelName[]
}

/** Immutable: `sudo`, `withContext` and the like return another environment over the same unit of work. */
export interface Environment {
  readonly unit: Unit
  /** Values that parts of the engine cache for it (kit/slot.ts). */
  readonly slots: unknown[]
  readonly user: UserProfile
  readonly context: Context
  /** The superuser: no access rights and no record rules. Log fields still get the user. */
  readonly su: boolean
  /**
   * True while a caller's explicit values are written: each is checked against the declarations of
   * writable fields (write/authorize.ts). Code that writes through recordsets uses `indirect`
   * (unit/environment.ts), which skips this check.
   */
  readonly direct: boolean
  readonly uid: number
  /**
   * Language of translated values: the context's, else the base language. Throws UserError if the
   * language is not active.
   */
  readonly lang: string
  /** Time zone of relative dates and date parts: the context's, else null, which means UTC. */
  readonly tz: string | null
  /**
   * Active companies, the current one first: `allowed_company_ids` of the context, else all of the
   * user's. Throws AccessError for a company that is not the user's.
   */
  readonly companyIds: Ids
  readonly companyId: number
  /** Whether archived records are left out. */
  readonly activeTest: boolean
  /** The current time: the machine's clock, or the one that a test has set. */
  now(): Date
  /** The empty recordset of a model. */
  model<N extends ModelName>(name: N): Records<N>
  /** The definition of a model. Throws Error if there is no such model. */
  def(name: string): ModelDef
  /**
   * The same as superuser. Defaults in the caller's context (`default_…`) are dropped, those that the
   * code adds by `withContext` count. Companies that are not the user's stay refused.
   */
  sudo(su?: boolean): Environment
  withContext(changes: Context): Environment
  /**
   * Acts as another user with their rights, language and time zone; the system user acts as superuser.
   * Throws MissingError.
   */
  asUser(uid: number): Promise<Environment>
  withCompany(company: number): Environment
  /**
   * Runs a module's statement and returns its rows. `reads` are the models whose tables it names:
   * pending values of the columns that it names are computed first. `row` are the types of its columns
   * in order, with `?` for nullable ones; the rows are validated against them. Throws Error for rows
   * that do not match, and in tests for a table whose model is not declared.
   */
  rows<const C extends readonly Column[]>(statement: Sql, said: Reading<C>): Promise<readonly RowOf<C>[]>
  /** As `rows`, for its effect. Without `reads`, pending values are not computed. */
  execute(statement: Sql, said?: Pick<Reading, 'reads'>): Promise<void>
  /**
   * For the engine: runs one statement in the call's transaction without computing pending values, and
   * returns its rows. `R` declares the types of its columns in order. `last`: the caller expects no
   * further statement.
   */
  query<R extends Row = Row>(statement: Sql, last?: boolean): Promise<readonly R[]>
  /** Whether the user is in the group with this external id, directly or by implication. */
  hasGroup(xmlid: string): boolean
  /** The id of an external id. Throws MissingError. */
  ref(xmlid: string): Promise<number>
  /** The id of an external id, or null. */
  find(xmlid: string): Promise<number | null>
}
