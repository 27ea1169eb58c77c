// Model declarations: what a model promises. `implement` (behaviour.ts) says how it is done.

import type { Fields } from './field.ts'
import type { ModelName } from './names.ts'
import type { MethodSpec, Methods } from './param.ts'

/** A rule kept by the database; `message` is what the caller hears (422 ValidationError). */
export type TableRule =
  | { readonly unique: readonly string[]; readonly where?: string; readonly message: string }
  /** A unique index over an SQL expression of the table's columns. */
  | { readonly uniqueExpression: string; readonly where?: string; readonly message: string }
  | { readonly check: string; readonly message: string }
  /**
   * Columns, each may be followed by ` desc`. `include`: columns that conditions look at beside them, so that
   * PostgreSQL counts and skips rows without reading the table.
   */
  | { readonly index: readonly string[]; readonly include?: readonly string[]; readonly where?: string }

/** What kind of thing is declared; an extension adds to a model of another module. */
export type ModelKind = 'model' | 'abstract' | 'transient' | 'extension'

export interface ModelOptions {
  /** Human name of the model. */
  readonly label?: string
  /** Abstract models whose fields and methods this one takes over. */
  readonly mixins?: readonly string[]
  /** Delegation: model → the required many2one through which its fields are seen. */
  readonly inherits?: Readonly<Record<string, string>>
  /** Reading asks for its own record rules alone, not for those of its delegates. */
  readonly readsDelegates?: boolean
  /** Who may create its records, and none of a delegate's, makes the delegate along with them. */
  readonly makesDelegates?: boolean
  /** Order when none is asked for. Default `id`. */
  readonly order?: string
  /** Field that names a record. Default `name`, or `x_name`. */
  readonly recName?: string
  /** Fields that `display_name` is searched by. Default: the naming field. */
  readonly recNamesSearch?: readonly string[]
  /** The many2one that makes a tree. */
  readonly parent?: string
  /** Keep `parent_path` and answer `child_of` from it. */
  readonly parentStore?: boolean
  /** False: no create_uid, create_date, write_uid, write_date. */
  readonly logAccess?: boolean
  /** Name of the table; made from the model's name when absent. */
  readonly table?: string
  /** False: answers come from elsewhere, there is no table. */
  readonly auto?: boolean
  /**
   * A model to read alone: its rows are what this query gives, with a column `id` and one for each stored
   * field. There is no table.
   */
  readonly query?: string
  /**
   * `onchange` answers all that a save would make of a form: it is saved, read and undone. For models whose
   * saving touches nothing but the database.
   */
  readonly formsBySaving?: boolean
  /**
   * Whether changes of its records are told to those who follow them. Default: those of business are, those
   * of what describes the server are not.
   */
  readonly changes?: boolean
  /**
   * What happens to its records in the words of business, by name, with the fields that are told along: code
   * says `records.emit(name)`.
   */
  readonly events?: Readonly<Record<string, { readonly doc: string; readonly fields: readonly string[] }>>
  /**
   * Few records that seldom change, as countries, tags and taxes: lists take their names from memory, right
   * by a version that is read with the rows (read/short/dictionary.ts).
   */
  readonly dictionary?: boolean
  /** Rules of the table, by name. */
  readonly rules?: Readonly<Record<string, TableRule>>
}

export interface Contract<N extends string = string, F extends Fields = Fields, M extends Methods = Methods> {
  readonly name: N
  readonly kind: ModelKind
  readonly options: ModelOptions
  readonly fields: F
  readonly methods: M
}

interface Body<F extends Fields, M extends Methods> extends ModelOptions {
  readonly fields: F
  readonly methods?: M & KnownOptions<M>
}
/** Methods must not have names that no option has. */
type KnownOptions<M extends Methods> = {
  readonly [K in keyof M]: {
    readonly [O in Exclude<keyof M[K], keyof MethodSpec>]: { 'no option of a method': O }
  }
}

/** A model with a table. */
export function model<
  const N extends string,
  const F extends Fields,
  const M extends Methods = Record<never, never>,
>(name: N, body: Body<F, M>): Contract<N, F, M> {
  return contract(name, 'model', body)
}

/** A mixin: fields and methods that models take over by `mixins`. */
export function abstract<
  const N extends string,
  const F extends Fields,
  const M extends Methods = Record<never, never>,
>(name: N, body: Body<F, M>): Contract<N, F, M> {
  return contract(name, 'abstract', body)
}

/** A model whose records are swept away after a while. */
export function transient<
  const N extends string,
  const F extends Fields,
  const M extends Methods = Record<never, never>,
>(name: N, body: Body<F, M>): Contract<N, F, M> {
  return contract(name, 'transient', body)
}

/** Adds to a model that a module in `depends` declares. */
export function extend<
  const N extends ModelName,
  const F extends Fields,
  const M extends Methods = Record<never, never>,
>(name: N, body: Body<F, M>): Contract<N, F, M> {
  return contract(name, 'extension', body)
}

function contract<N extends string, F extends Fields, M extends Methods>(
  name: N,
  kind: ModelKind,
  body: Body<F, M>,
): Contract<N, F, M> {
  const { fields, methods = {} as M, ...options } = body
  return Object.freeze({
    name,
    kind,
    options: Object.freeze(options),
    fields: Object.freeze(fields),
    methods: Object.freeze(methods),
  })
}
