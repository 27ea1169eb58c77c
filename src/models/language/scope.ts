// The scope as modules and domains see it: a model's row inside of a query, its fields as SQL expressions.
import type { Sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from './definitions.ts'
import type { Environment } from './environment.ts'
import type { Typed } from './wishes.ts'

/** What a statement asks of PostgreSQL, counted while it is composed. */
export interface Tally {
  /** One more subquery or joined table. Throws PayloadTooLarge. */
  step(steps?: number): void
  /**
   * Conditions that take long for each row: patterns, parts of dates, values inside of others. Throws
   * PayloadTooLarge.
   */
  costly(conditions?: number): void
  /** Values of a list that PostgreSQL is given. Throws PayloadTooLarge. */
  list(values: number): void
  /**
   * Runs `work` with a count of its own: for the columns of a row, of which there are as many as were asked
   * for.
   */
  apart<T>(work: () => T): T
}

export interface Scope {
  readonly env: Environment
  readonly model: ModelDef
  readonly alias: string
  /** What the statement asks for so far. */
  readonly tally: Tally
  readonly id: Sql
  /**
   * A fresh scope for a subquery, its aliases distinct from this scope's. Throws PayloadTooLarge for too
   * many.
   */
  nested(model: ModelDef, env?: Environment): Scope
  /** The same row and joins, seen by the superuser: for record rules. */
  privileged(): Scope
  /** The same row and joins in another environment. */
  seenBy(env: Environment): Scope
  /** `"table" "alias" JOIN …`, with every join asked for so far: render it last. */
  from(): Sql
  /** As `from`, with the row as a document in the place of the table's. */
  fromImage(image: Sql): Sql
  /** Whether something was joined to the row so far. */
  readonly joined: boolean
  column(name: string): Sql
  /** The scope of a many2one's target, joined once. Throws PayloadTooLarge for too many. */
  join(field: FieldDef): Scope
  /** Whether every row there is has a target of this many2one. */
  leads(field: FieldDef): boolean
  /** Joins rows of a query that name the row's id as their `owner`, one at most; gives their alias. */
  beside(rows: Sql): Sql
  /**
   * The field as an expression of its column's type, or null when the value needs code.
   * x2many fields have none: conditions and reading of them are subqueries (`links`).
   */
  value(field: FieldDef): Sql | null
  /**
   * The field at the end of a path of many2ones such as `order_id.name`, or null when one of its steps needs
   * code.
   */
  path(path: string): Sql | null
  /** Wire JSON of the field, NULL only in the typed form; null when the value needs code. */
  json(field: FieldDef, typed?: Typed | null): Sql | null
  /** The text that names the record, or null when this environment needs code for it. */
  displayName(): Sql | null
}
