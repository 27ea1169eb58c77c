// What a kind of field must know: its column, how values come in, how they leave as JSON, how code sees them.
import type { Sql } from '../../sql/index.ts'
import type { FieldKind } from '../contract/field.ts'
import type { FieldDef } from './definitions.ts'

/** How a kind compares and what counts as unset (spec/models-api.md section 2, "Unset values" and "Values by type"). */
export type Comparison =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'selection'
  | 'many2one'
  | 'x2many'
  | 'reference'
  | 'integerReference'
  | 'presence'
  | 'json'

/** Behaviour of a kind of field. One file per kind in this folder. */
export interface FieldType {
  readonly kind: FieldKind
  /** The name that `fields_get` gives. */
  readonly wireType: string
  readonly comparison: Comparison
  /** PostgreSQL type of the column; null when the kind has none of its own. */
  columnType(field: FieldDef): string | null
  /**
   * A value from a client or a module to what the database stores: a string, number, boolean or null that both a parameter and
   * `jsonb_to_recordset` take for the column's type. Throws InvalidValue for what the field does not take (spec/models-api.md section 5, "Values").
   */
  toColumn(field: FieldDef, value: unknown): unknown
  /** JSON expression of the wire form, never NULL, from an expression of the column's type. */
  toJson(field: FieldDef, expression: Sql): Sql
  /** Wire form of unset: `false` or 0. */
  readonly unset: false | 0
  /** What code sees, from what the driver gives for the column. */
  fromColumn(field: FieldDef, value: unknown): unknown
  /** Wire form of what code sees. */
  toWire(field: FieldDef, value: unknown): unknown
}
