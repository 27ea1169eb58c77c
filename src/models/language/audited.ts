// Declarations of modules for the audit log, model by model, and their composed form (docs/decisions/0092).
import type { FieldDef } from './definitions.ts'

/**
 * The fields of a model whose changes are written down with the values before and after, by any user and any
 * way to write. Nothing else of a model is.
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
  /** Fields of which the log says that they changed, and never a value. */
  readonly secret?: readonly F[]
  /** Records in which this field is set are not logged. */
  readonly unless?: F
  /** Whether new records are written down, with the values of all these fields. */
  readonly create?: boolean
  /** Whether removals are, with the values of all these fields, and of those that are named here. */
  readonly unlink?: boolean | readonly F[]
}

/** Composed: the declarations of all modules for a model. */
export interface Auditing {
  readonly always: ReadonlySet<FieldDef>
  readonly later: readonly AuditedLater[]
  readonly secret: ReadonlySet<FieldDef>
  /** Fields that are unset in all records that are logged. */
  readonly unless: readonly FieldDef[]
  /** Fields that are written down of new records; null where creation is not logged. */
  readonly create: readonly FieldDef[] | null
  /** Fields that are written down of removed records; null where removal is not logged. */
  readonly unlink: readonly FieldDef[] | null
}

export interface AuditedLater {
  /** The field with the state, of the record or of what `through` leads to. */
  readonly state: FieldDef
  readonly through: FieldDef | null
  readonly in: ReadonlySet<string>
  readonly fields: ReadonlySet<FieldDef>
}
