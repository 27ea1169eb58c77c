// The environment as everybody sees it: who acts, for which companies, in which language and time zone, with
// which context, in which unit of work.
import type { Column, RowOf, Sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { ModelDef } from './definitions.ts'
import type { Records } from './records.ts'
import type { UserProfile } from './rights.ts'
import type { Row, Unit } from './unit.ts'

export type Context = Readonly<Record<string, unknown>>

/** What is said of a statement beside its text. */
export interface Reading<C extends readonly Column[] = readonly Column[]> {
  readonly reads: readonly ModelName[]
  readonly row: C
  /**
   * Of what is asked for again in a call: the answer stands until records of `reads` are touched, or of
   * these, which hold links that the statement looks at.
   */
  readonly kept?: readonly ModelName[]
}

/** Never changes: `sudo`, `withContext` and the like give another one over the same unit of work. */
export interface Environment {
  readonly unit: Unit
  /** What parts of the engine remember of it (kit/slot.ts). */
  readonly slots: unknown[]
  readonly user: UserProfile
  readonly context: Context
  /** The superuser: no access rights and no record rules. The user stays who they are for log fields. */
  readonly su: boolean
  /**
   * True while a caller's own values are carried out: each is judged by the declarations of writable fields
   * (write/authorize.ts). Code that writes through recordsets uses `indirect()`, which is not judged.
   */
  readonly direct: boolean
  readonly uid: number
  /**
   * Language of translated values: the context's, else the base language. Throws UserError for one that is
   * not active.
   */
  readonly lang: string
  /** Time zone of relative dates and date parts: the context's, else null, which stands for UTC. */
  readonly tz: string | null
  /**
   * Active companies, the current one first: `allowed_company_ids` of the context, else all of the user's.
   * Throws AccessError for a company that is not the user's.
   */
  readonly companyIds: readonly number[]
  readonly companyId: number
  /** Whether archived records are left out. */
  readonly activeTest: boolean
  /** The moment it is: the machine's clock, or the one that a test has set. */
  now(): Date
  /** The empty recordset of a model. */
  model<N extends ModelName>(name: N): Records<N>
  /** The definition of a model that the code knows to be there. Throws Error otherwise. */
  def(name: string): ModelDef
  /**
   * The same past all rights. Defaults in the caller's context (`default_…`) are dropped, and companies
   * that are not the user's stay refused; what the code adds by `withContext` counts.
   */
  sudo(su?: boolean): Environment
  /** The same, for what code does by itself. */
  indirect(): Environment
  withContext(changes: Context): Environment
  /** Another user, with their rights: never the superuser, whoever acted before. */
  withUser(user: UserProfile): Environment
  /**
   * The same work done by another user, with their rights, language and time zone; the system user works
   * beside all rights. Throws MissingError.
   */
  asUser(uid: number): Promise<Environment>
  withCompany(company: number): Environment
  /**
   * Rows of one statement of a module. `reads`: the models whose tables it names; what waits to be computed
   * of the columns that it names is computed before. `row`: what its columns hold, in their order, with `?`
   * where a value may be missing; rows are held to it. Throws Error for rows that hold something else, and in
   * tests for a table of a model that was not said.
   */
  rows<const C extends readonly Column[]>(statement: Sql, said: Reading<C>): Promise<readonly RowOf<C>[]>
  /** As `rows`, of a statement that is run for what it does. Without `reads` nothing is computed before. */
  execute(statement: Sql, said?: Pick<Reading, 'reads'>): Promise<void>
  /**
   * The engine's own way: runs one statement in the call's transaction, computes nothing before it, and
   * gives its rows: `R` says what its columns hold, in their order. `last`: the caller expects no further
   * statement.
   */
  query<R extends Row = Row>(statement: Sql, last?: boolean): Promise<readonly R[]>
  /** Whether the user is in the group with this external id, by implication too. */
  hasGroup(xmlid: string): boolean
  /** The id behind an external id. Throws MissingError. */
  ref(xmlid: string): Promise<number>
  /** The id behind an external id, or null. */
  find(xmlid: string): Promise<number | null>
}
