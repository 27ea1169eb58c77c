// What the audit log is told of a model's records: the declarations of modules, and their composed form
// (docs/decisions/0092).
import type { FieldDef } from './definitions.ts'

/**
 * The fields of a model whose changes are written down with the values before and after, whoever changes
 * them and by whatever way. Nothing else of a model is.
 */
export interface Audited<F extends string = string> {
  /** Fields whose changes always count. */
  readonly fields?: readonly F[]
  /** Fields whose changes count in some states: those of a document that binds. */
  readonly later?: {
    /** The field with the state, or the path to it through one many2one: `order_id.state`. */
    readonly state: string
    readonly in: readonly string[]
    readonly fields: readonly F[]
  }
  /** Of these it is told that they changed, and never a value. */
  readonly secret?: readonly F[]
  /** Records in which this field is set are not told of. */
  readonly unless?: F
  /** Whether new records are written down, with the values of all these fields. */
  readonly create?: boolean
  /** Whether removals are, with the values of all these fields, and of those that are named here. */
  readonly unlink?: boolean | readonly F[]
}

/** Composed: what modules say of a model, taken together. */
export interface Auditing {
  readonly always: ReadonlySet<FieldDef>
  readonly later: readonly AuditedLater[]
  readonly secret: ReadonlySet<FieldDef>
  /** Fields that are unset in all records that are told of. */
  readonly unless: readonly FieldDef[]
  /** What new records are written down with; null where they are not. */
  readonly create: readonly FieldDef[] | null
  /** What removals are written down with; null where they are not. */
  readonly unlink: readonly FieldDef[] | null
}

export interface AuditedLater {
  /** The field with the state, of the record or of what `through` leads to. */
  readonly state: FieldDef
  readonly through: FieldDef | null
  readonly in: ReadonlySet<string>
  readonly fields: ReadonlySet<FieldDef>
}
