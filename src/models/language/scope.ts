// A query scope: a model's row inside a query, its fields as SQL expressions. Modules and domains use it.
import type { Sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from './definitions.ts'
import type { Environment, Typed } from './environment.ts'

/** Estimated cost of a statement, counted while it is composed. */
export interface QueryCost {
  /** One more subquery or joined table. Throws PayloadTooLarge. */
  step(steps?: number): void
  /** Counts conditions that are slow for each row, such as patterns. Throws PayloadTooLarge. */
  costly(conditions?: number): void
  /** Counts values of a list that is passed to PostgreSQL. Throws PayloadTooLarge. */
  list(values: number): void
  /** Runs `work` with a separate count: for the columns of a row, whose number depends on the request. */
  countedApart<T>(work: () => T): T
}

/** A query scope: a row of a model in a query. Its methods return SQL for the row's fields. */
export interface Scope {
  readonly env: Environment
  readonly model: ModelDef
  readonly alias: string
  /** Cost of the statement so far. */
  readonly cost: QueryCost
  readonly id: Sql
  /** Columns with one value in all rows, as the query demands: rules need to judge no others. */
  readonly fixed: Map<string, string>
  /** A scope for a subquery, with aliases of its own. Throws PayloadTooLarge for too many. */
  nested(model: ModelDef, env?: Environment): Scope
  /** The same row and joins as superuser: for record rules. */
  privileged(): Scope
  /** The same row and joins in another environment. */
  seenBy(env: Environment): Scope
  /**
   * `"table" "alias" JOIN …`, with every join requested so far: call it last. `within`: a source `u` of
   * ids, by which rows are chosen before anything is joined to them.
   */
  from(within?: Sql): Sql
  /** As `from`, but with the row from a JSON document instead of the table. */
  fromImage(image: Sql): Sql
  /** Tables that were joined so far. */
  readonly joins: number
  column(name: string): Sql
  /** The scope of a many2one's target, joined once. Throws PayloadTooLarge for too many. */
  join(field: FieldDef): Scope
  /** The field at the end of a path of many2ones and the scope of its row; null when a step needs code. */
  along(path: readonly string[]): { readonly scope: Scope; readonly field: FieldDef } | null
  /** Whether every row has a target of this many2one. */
  hasTarget(field: FieldDef): boolean
  /** Joins rows of a query whose column `owner` is the row's id, one at most. Returns their alias. */
  joinQuery(rows: Sql): Sql
  /**
   * The field as an expression of its column's type, or null when the value needs code.
   * x2many fields have none: conditions and reading of them are subqueries (`links`).
   */
  value(field: FieldDef): Sql | null
  /** The field at the end of a path such as `order_id.name`; null when one of its steps needs code. */
  path(path: string): Sql | null
  /** Wire JSON of the field, NULL only in the typed form; null when the value needs code. */
  json(field: FieldDef, typed?: Typed | null): Sql | null
  /** The text that names the record, or null when this environment needs code for it. */
  displayName(): Sql | null
}
