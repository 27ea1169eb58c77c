// The interface of a field type: its column, input, JSON output, and values in code.
import type { Sql } from '../../sql/index.ts'
import type { FieldKind } from '../contract/field.ts'
import type { FieldDef } from './definitions.ts'
import type { Typed } from './environment.ts'

/**
 * The comparison of a field type, which includes the values that count as unset (spec/models-api.md
 * section 2, "Unset values" and "Values by type").
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

/** The only interface to field types: other code does not name any of them (`kinds/`). */
export interface FieldType {
  readonly kind: FieldKind
  /** The type's name in `fields_get`. */
  readonly wireType: string
  readonly comparison: Comparison
  /** PostgreSQL type of the column; null if the field type has no column. */
  columnType(field: FieldDef): string | null
  /**
   * Converts a value from a client or a module to what the database stores: a string, number, boolean or
   * null that the column's type accepts both as a parameter and in `jsonb_to_recordset`. Throws
   * InvalidValue for values that the field does not accept (spec/models-api.md section 5, "Values").
   */
  toColumn(field: FieldDef, value: unknown): unknown
  /** From an expression of the column's type to the one that becomes JSON. Absent: the same. */
  outward?(expression: Sql, typed: Typed | null): Sql
  /**
   * JSON expression of the wire form, from an expression of the column's type. It is never NULL, or, for
   * `typed`, has the typed form, in which unset is NULL (`unsetIn`).
   */
  toJson(field: FieldDef, expression: Sql, typed?: Typed | null): Sql
  /**
   * The column's JSON is the wire form: the server writes short lists of such values itself, which costs
   * less than in PostgreSQL. `text`: JSON texts, which pass as PostgreSQL wrote them.
   */
  readonly direct?: 'text' | 'value'
  /** Its typed form, which is null for unset; absent if that is the documented form. */
  readonly typedAs?: 'text' | 'moment' | 'decimal' | 'record' | 'reference'
  /** Refers to one record, to many, or to none. */
  readonly relation: 'one' | 'many' | null
  /** Reads as 0 or false if the column is NULL: a required field of this type may be left out. */
  readonly filled: boolean
  /** The column contains exactly the result of `toColumn`: written values need not be read back. */
  readonly isCachedVerbatim: boolean
  /** Values in code are identical to those of the column, and compare as they are. */
  readonly plain: boolean
  /** The aggregates that the type allows: sums, booleans, only minimum and maximum, or none. */
  readonly measure: 'number' | 'truth' | 'value' | null
  readonly groups: boolean
  /** Whether its value can be a display name without conversion. */
  readonly isText: boolean
  /** The expected contents of an import's cell, in words; null if the error of `toColumn` says it. */
  readonly expected: string | null
  /** A value for checking rules that read it from the user's row; undefined if they cannot. */
  readonly ruleSample: unknown
  /**
   * For types that compare as `ordered`: the right side of a condition in the form of `toColumn`. The
   * values order as text. Undefined for values that are not of the type.
   */
  operand?(value: unknown): string | undefined
  /**
   * JSON Schema of a value on the wire, for types whose values the documented API does not describe.
   * `examples` contains one.
   */
  readonly schema?: {
    readonly type: string
    readonly pattern?: string
    readonly examples: readonly unknown[]
  }
  readonly unset: false | 0 | readonly []
  /** Converts the driver's value of the column to the value in code. */
  fromColumn(field: FieldDef, value: unknown): unknown
  /** Converts a value in code to the documented wire form. */
  toWire(field: FieldDef, value: unknown): unknown
}
