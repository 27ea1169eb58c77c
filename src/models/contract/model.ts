// Model declarations: the contract of a model. `implement` (behaviour/implement.ts) joins it with an
// implementation.

import type { Fields } from './field.ts'
import type { ModelName } from './names.ts'
import type { MethodSpec, Methods } from './param.ts'

/** A constraint or index of the table. `message` is the error of violations (422 ValidationError). */
export type TableRule =
  | { readonly unique: readonly string[]; readonly where?: string; readonly message: string }
  /** A unique index over an SQL expression of the table's columns. */
  | { readonly uniqueExpression: string; readonly where?: string; readonly message: string }
  | { readonly check: string; readonly message: string }
  /**
   * Columns of an index, each may be followed by ` desc`. `include`: further columns that conditions
   * use, so that PostgreSQL counts and skips rows without reading the table.
   */
  | { readonly index: readonly string[]; readonly include?: readonly string[]; readonly where?: string }

/** The kind of a declaration. An extension adds to a model of another module. */
export type ModelKind = 'model' | 'abstract' | 'transient' | 'extension'

export interface ModelOptions {
  /** Name of the model for users. */
  readonly label?: string
  /** Abstract models whose fields and methods this one includes. */
  readonly mixins?: readonly string[]
  /** Delegation: model → the required many2one through which its fields are read and written. */
  readonly inherits?: Readonly<Record<string, string>>
  /** True: reading applies only the model's own record rules, not those of its delegates. */
  readonly readsDelegates?: boolean
  /** True: users who may create its records, but not the delegate's, create the delegate along with them. */
  readonly makesDelegates?: boolean
  /** Default order. Default `id`. */
  readonly order?: string
  /** The field with a record's name. Default `name`, or `x_name`. */
  readonly recName?: string
  /** Fields that a search by `display_name` uses. Default: `recName`. */
  readonly recNamesSearch?: readonly string[]
  /** The many2one to the parent record, for models with a hierarchy. */
  readonly parent?: string
  /** Keeps `parent_path` up to date and uses it for `child_of`. */
  readonly parentStore?: boolean
  /** False: no create_uid, create_date, write_uid, write_date. */
  readonly logAccess?: boolean
  /** Name of the table; derived from the model's name if absent. */
  readonly table?: string
  /** False: records come from code, there is no table. */
  readonly auto?: boolean
  /**
   * For read-only models: the query whose rows are the records, with a column `id` and one for each
   * stored field. There is no table.
   */
  readonly query?: string
  /**
   * `onchange` returns everything that saving the form would change: the form is saved, read and rolled
   * back. For models whose saving has effects in the database only.
   */
  readonly formsBySaving?: boolean
  /**
   * Whether changes of its records appear in the change feed. Default: true, except for models that
   * describe the server.
   */
  readonly changes?: boolean
  /**
   * Business events of its records by name, with the fields that are published with them. Code emits
   * them by `records.emit(name)`.
   */
  readonly events?: Readonly<Record<string, { readonly doc: string; readonly fields: readonly string[] }>>
  /**
   * Few records that seldom change, such as countries, tags and taxes: lists take their names from a
   * cache, which is validated by a version read with the rows (read/short/dictionary.ts).
   */
  readonly dictionary?: boolean
  /** Constraints and indexes of the table, by name. */
  readonly rules?: Readonly<Record<string, TableRule>>
}

/** A declared model: its name, options, fields and methods, as plain data. */
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
/** Reports unknown options of methods as type errors. */
type KnownOptions<M extends Methods> = {
  readonly [K in keyof M]: {
    readonly [O in Exclude<keyof M[K], keyof MethodSpec>]: { 'no option of a method': O }
  }
}

/** Declares a model of a kind: its name, and its options with fields and methods. */
type Declare<B extends string> = <
  const N extends B,
  const F extends Fields,
  const M extends Methods = Record<never, never>,
>(
  name: N,
  body: Body<F, M>,
) => Contract<N, F, M>

const declare =
  <B extends string>(kind: ModelKind): Declare<B> =>
  <N extends B, F extends Fields, M extends Methods>(name: N, body: Body<F, M>): Contract<N, F, M> => {
    const { fields, methods = {} as M, ...options } = body
    return Object.freeze({
      name,
      kind,
      options: Object.freeze(options),
      fields: Object.freeze(fields),
      methods: Object.freeze(methods),
    })
  }

/** Declares a model with a table. `implement` joins the contract with its implementation. */
export const model: Declare<string> = declare('model')

/** Declares a mixin: fields and methods that models include by `mixins`. It has no records. */
export const abstract: Declare<string> = declare('abstract')

/** Declares a model whose records are deleted automatically after a while, such as those of wizards. */
export const transient: Declare<string> = declare('transient')

/** Adds fields, methods and options to a model of a module in `depends`. */
export const extend: Declare<ModelName> = declare('extension')
