// Writable fields of a model's records by their state: the declarations of modules, and their composed form
// (docs/decisions/0090).
import type { FieldDef } from './definitions.ts'

/**
 * The fields of a document that callers may write, administrators included. While a document is open these
 * are all that are not read-only, later only those that are listed. Methods of modules write without it.
 */
export interface Writable<F extends string = string> {
  /** The field that holds the state. None of it: documents are always open. */
  readonly state?: F
  /** A field that closes a record that is no part: while it is set, that is in the state `locked`. */
  readonly lock?: F
  /** The many2one to the document whose state is that of its parts; without it they are in `always`. */
  readonly partOf?: F
  /** States in which a document is open; the first is that of new ones. Of parts: those of the document. */
  readonly open?: readonly string[]
  /** Fields that are given with a new record, and that nobody writes later. */
  readonly once?: readonly F[]
  /** Read-only fields that may be given while a document is open. */
  readonly given?: readonly F[]
  /** Fields that may be written, whatever the state. */
  readonly always?: readonly F[]
  /** Fields that may be written in a state in which a document is not open. */
  readonly later?: Readonly<Record<string, readonly F[]>>
  /** Fields that nobody writes, though they are not read-only. */
  readonly server?: readonly F[]
  /** Paths that modules ask of records before they are written: they come with the state. */
  readonly along?: readonly string[]
  /** States of the document in which parts are added. Default: while it is open. */
  readonly added?: readonly string[]
  /** States in which records are removed. Default: while they are open. */
  readonly removed?: readonly string[]
  /** Links that lead only to documents in one of these states. */
  readonly into?: Readonly<Partial<Record<F, readonly string[]>>>
  /** Groups whose people alone may write fields, or all of them, by their external ids. */
  readonly only?: Readonly<Record<string, readonly F[] | 'all'>>
}

/** Composed: what modules say of a model, taken together. */
export interface Authority {
  readonly partOf: FieldDef | null
  /** Paths that tell the state, from the record itself; of parts, through their document. */
  readonly paths: readonly string[]
  /** These, with what modules ask before a write. */
  readonly asked: readonly string[]
  stateOf(row: Readonly<Record<string, unknown>>): string
  readonly open: ReadonlySet<string>
  /** The state of new records. */
  readonly first: string
  readonly stateField: FieldDef | null
  readonly added: ReadonlySet<string>
  readonly removed: ReadonlySet<string>
  readonly into: ReadonlyMap<string, ReadonlySet<string>>
  /** Whether people may give a new record a value of a field. */
  gives(field: FieldDef): boolean
  /** Whether people may write a field in a state. */
  allows(field: FieldDef, state: string): boolean
  /** Whether they may in every state, so that nobody has to ask for it. */
  isFree(field: FieldDef): boolean
  /** The group whose people alone may write a field; undefined where that is anybody. */
  groupOf(field: FieldDef): string | undefined
}

/** The state of documents that have none, and of those that a lock closes. */
export const ALWAYS = 'always'
export const LOCKED = 'locked'
