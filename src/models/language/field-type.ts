// A field type: its column, how values come in, how they leave as JSON, how code sees them.
import type { Sql } from '../../sql/index.ts'
import type { FieldKind } from '../contract/field.ts'
import type { FieldDef } from './definitions.ts'
import type { Typed } from './wishes.ts'

/**
 * How a kind compares and what counts as unset (spec/models-api.md section 2, "Unset values" and "Values by
 * type").
 */
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
  | 'ordered'

/** All that other code asks of a field type, so that it need not name any. One file a type (`kinds/`). */
export interface FieldType {
  readonly kind: FieldKind
  /** The name that `fields_get` gives. */
  readonly wireType: string
  readonly comparison: Comparison
  /** PostgreSQL type of the column; null when the kind has none of its own. */
  columnType(field: FieldDef): string | null
  /**
   * A value from a client or a module to what the database stores: a string, number, boolean or null that
   * both a parameter and `jsonb_to_recordset` take for the column's type. Throws InvalidValue for what the
   * field does not take (spec/models-api.md section 5, "Values").
   */
  toColumn(field: FieldDef, value: unknown): unknown
  /** The expression that becomes JSON, from one of the column's type; absent: that itself. */
  outward?(expression: Sql, typed: Typed | null): Sql
  /**
   * JSON expression of the wire form, from an expression of the column's type: never NULL, or, for `typed`,
   * in the typed form, in which unset is NULL (`unsetIn`).
   */
  toJson(field: FieldDef, expression: Sql, typed?: Typed | null): Sql
  /**
   * JSON of the column is the wire form: the server writes short lists of such values itself, at less cost
   * than PostgreSQL. `text`: JSON texts, which pass as PostgreSQL wrote them.
   */
  readonly direct?: 'text' | 'value'
  /** Its typed form, which is null for unset; absent where that is the documented one. */
  readonly typedAs?: 'text' | 'moment' | 'decimal' | 'record' | 'reference'
  /** Leads to one record, to many, or to none. */
  readonly relation: 'one' | 'many' | null
  /** Reads as 0 or false where its column holds nothing: a required one need not be given. */
  readonly filled: boolean
  /** Its column holds just what `toColumn` gave: what was written need not be read back. */
  readonly heldAsGiven: boolean
  /** What code sees is what its column takes: values compare as they are. */
  readonly plain: boolean
  /** What aggregates make of it: sums, truth, no more than the least and the greatest, or nothing. */
  readonly measure: 'number' | 'truth' | 'value' | null
  /** Whether groups are made by it. */
  readonly groups: boolean
  /** Whether records are named by it as it stands. */
  readonly isText: boolean
  /** What a cell of an import is expected to be, in words; null where the refusal of `toColumn` says it. */
  readonly expected: string | null
  /**
   * A value for trying out a rule that reads it from the user's row; undefined where rules cannot read it.
   */
  readonly ruleSample: unknown
  /**
   * Of kinds that compare as `ordered`: the right side of a condition as `toColumn` would give it. Their
   * order is that of the text; undefined for what is no value of the kind.
   */
  operand?(value: unknown): string | undefined
  /**
   * What JSON Schema says of a value on the wire, for kinds that documents have no words of their own for;
   * `examples` holds one.
   */
  readonly schema?: {
    readonly type: string
    readonly pattern?: string
    readonly examples: readonly unknown[]
  }
  /** Wire form of unset. */
  readonly unset: false | 0 | readonly []
  /** What code sees, from what the driver gives for the column. */
  fromColumn(field: FieldDef, value: unknown): unknown
  /** Documented wire form of what code sees. */
  toWire(field: FieldDef, value: unknown): unknown
}
