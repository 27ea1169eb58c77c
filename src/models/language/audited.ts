// Declarations of modules for the audit log, model by model, and their composed form (docs/decisions/0091).
import type { FieldDef, LooseVals } from './definitions.ts'

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

// Writable fields of a model's records by their state: the declarations of modules, and their composed form
// (docs/decisions/0090).

/**
 * The fields of a document that callers, including administrators, may write. While a document is open these
 * are all fields that are not read-only, later only the listed ones. Code of modules is not restricted.
 */
export interface Writable<F extends string = string> {
  /** The field with the state. Absent: documents are always open. */
  readonly state?: F
  /** A field that closes a record that is not a part: while it is set, the record's state is `locked`. */
  readonly lock?: F
  /** The many2one to the document whose state counts for its parts: `always` without a document. */
  readonly partOf?: F
  /** States in which a document is open, the first of new ones. For parts: states of the document. */
  readonly open?: readonly string[]
  /** Fields that can be set when a record is created and not written later. */
  readonly once?: readonly F[]
  /** Read-only fields that may be set while a document is open. */
  readonly given?: readonly F[]
  /** Fields that may be written in any state. */
  readonly always?: readonly F[]
  /** Fields that may be written in a state in which a document is not open. */
  readonly later?: Readonly<Record<string, readonly F[]>>
  /** Fields that callers cannot write, though they are not read-only. */
  readonly server?: readonly F[]
  /** Paths that modules read before a write: they are loaded together with the state. */
  readonly along?: readonly string[]
  /** States of the document in which parts can be added. Default: while it is open. */
  readonly added?: readonly string[]
  /** States in which records can be deleted. Default: while they are open. */
  readonly removed?: readonly string[]
  /** Links that may refer only to documents in one of these states. */
  readonly into?: Readonly<Partial<Record<F, readonly string[]>>>
  /**
   * Fields that only members of a group may write, by the group's external id; `all` of them, for which only
   * members delete records. Rights to a model are wider where code of modules writes as its caller.
   */
  readonly only?: Readonly<Record<string, readonly F[] | 'all'>>
  /** Groups whose members alone may write what `later` lists, by state. */
  readonly laterOnly?: Readonly<Record<string, string>>
}

/** The composed declarations of all modules for a model. */
export interface Authority {
  readonly partOf: FieldDef | null
  /** Paths to the state from the record itself; for parts, through their document. */
  readonly paths: readonly string[]
  /** These, and paths that modules read before a write. */
  readonly readPaths: readonly string[]
  stateOf(row: LooseVals): string
  readonly open: ReadonlySet<string>
  /** The state of new records. */
  readonly first: string
  readonly stateField: FieldDef | null
  readonly added: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  readonly into: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether users may set a field of a new record. */
  gives(field: FieldDef): boolean
  /** Whether users may write a field in a state. */
  allows(field: FieldDef, state: string): boolean
  /** Whether users may write it in every state, so that the state need not be read. */
  isFree(field: FieldDef): boolean
  /** The group whose members alone may write a field; undefined if all users may. */
  groupOf(field: FieldDef): string | undefined
  /** The group whose members alone may write a field of a closed document; undefined if all users may. */
  groupLater(field: FieldDef, state: string): string | undefined
  /** The group whose members alone may delete records; undefined if all users may. */
  readonly remover: string | undefined
}

/** The state of documents without a state, and of locked ones. */
export const ALWAYS = 'always'
export const LOCKED = 'locked'
