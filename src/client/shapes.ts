// Types of models on the wire: rows, values to write, parameters and results. Types only. Wire forms:
// spec/models-api.md section 4.
import type { Field, FieldName, FieldsOf, Kind, Method, Model, Scalars, Target } from './schema.ts'

/** Form of a many2one in `read`: `[id, display name]`, or with null the bare id. */
export type Load = '_classic_read' | null

/** The form of values: as documented, or typed (`createClient({ values: 'typed' })`). */
export type Form = 'documented' | 'typed'

/** A record that a many2one leads to, in the typed form. */
export interface Named {
  readonly id: number
  readonly display_name: string | null
}

/** Kinds that read differently in the typed form; with `numbers: 'decimal'` numbers with digits are text. */
interface TypedRead<L> {
  readonly many2one: L extends null ? number : Named
  readonly reference: L extends null ? string : Named & { readonly model: string }
}

/** Kinds that read as null, where they are unset, in the typed form. */
type Nulled =
  | 'char'
  | 'text'
  | 'html'
  | 'date'
  | 'datetime'
  | 'time'
  | 'selection'
  | 'binary'
  | 'many2one'
  | 'reference'

interface Read<Of, L> extends Record<Exclude<Kind, keyof Scalars>, unknown>, Scalars {
  readonly binary: string
  readonly selection: Of
  readonly many2one: L extends null ? number : [id: number, name: string]
  readonly one2many: number[]
  readonly many2many: number[]
}

/** Kinds that read as 0, false or [] where they are unset. */
type Zeroed =
  | 'id'
  | 'integer'
  | 'float'
  | 'monetary'
  | 'boolean'
  | 'many2one_reference'
  | 'one2many'
  | 'many2many'

/** Type that a field reads as: false where it is unset. */
export type WireValue<F, L extends Load = '_classic_read', V extends Form = 'documented'> =
  F extends Field<infer K, infer Of, infer Always>
    ?
        | (V extends 'typed'
            ? K extends keyof TypedRead<L>
              ? TypedRead<L>[K]
              : Read<Of, L>[K]
            : Read<Of, L>[K])
        | (K extends Zeroed ? never : Always extends true ? never : Unsaid<K, V>)
    : unknown

type Unsaid<K, V extends Form> = V extends 'typed' ? (K extends Nulled ? null : false) : false

/** A row of `read` and `search_read`: the id and the fields asked for; all of them when none was named. */
export type Row<
  M,
  N,
  F extends string = FieldName<M, N>,
  L extends Load = '_classic_read',
  V extends Form = 'documented',
> = [F] extends [never]
  ? Row<M, N, FieldName<M, N>, L, V>
  : string extends F
    ? { id: number; [name: string]: unknown }
    : {
        -readonly [K in (F & keyof FieldsOf<M, N>) | 'id']: K extends 'id'
          ? number
          : WireValue<FieldsOf<M, N>[K & keyof FieldsOf<M, N>], L, V>
      }

type Unset = false | null

/** A value to write: `Scalars`, or unset; no flag reads as unset, so a flag is unset by null alone. */
type WrittenScalars = { readonly [K in keyof Scalars]: Scalars[K] | (K extends 'boolean' ? null : Unset) }

interface Written<M, Of, V extends Form>
  extends Record<Exclude<Kind, keyof Scalars>, unknown>,
    WrittenScalars {
  readonly binary: string | Unset
  readonly selection: Of | Unset
  readonly many2one: number | Unset | (V extends 'typed' ? { readonly id: number } : never)
  readonly one2many: readonly (Command<M, Of, V> | number)[] | Unset
  readonly many2many: readonly (Command<M, Of, V> | number)[] | Unset
}

/** A change of lines: create, write, remove, unlink, link, clear, set (spec/models-api.md section 5). */
export type Command<M, Of, V extends Form = 'documented'> =
  | readonly [0, unknown, Values<M, Target<M, Of>, V>]
  | readonly [1, number, Values<M, Target<M, Of>, V>]
  | readonly [2 | 3 | 4, number, ...unknown[]]
  | readonly [5, ...unknown[]]
  | readonly [6, unknown, readonly number[]]

/** Fields that the server alone fills in. */
type Automatic = 'id' | 'create_uid' | 'create_date' | 'write_uid' | 'write_date'

type Values<M, Fs, V extends Form> = {
  readonly [K in keyof Fs as K extends Automatic ? never : K]?: Fs[K] extends Field<infer Kd, infer Of>
    ? Written<M, Of, V>[Kd]
    : unknown
}

/** Values to create or write with. */
export type ValuesOf<M, N, V extends Form = 'documented'> = Values<M, FieldsOf<M, N>, V>

type NeededName<Fs> = {
  [K in keyof Fs]-?: Fs[K] extends Field<Kind, unknown, boolean, infer Needed>
    ? boolean extends Needed
      ? never
      : Needed extends true
        ? K
        : never
    : never
}[keyof Fs]

/** Values to create a record with: those that a record cannot exist without are required. */
export type NewValuesOf<M, N, V extends Form = 'documented'> = ValuesOf<M, N, V> &
  Required<Pick<ValuesOf<M, N, V>, NeededName<FieldsOf<M, N>> & keyof ValuesOf<M, N, V>>>

/**
 * Values of one new record or of a list. `Each` is inferred where they are a list; a single signature has the
 * compiler report a wrong name at the name, where overloads are reported at the call.
 */
export type NewRecords<M, N, V extends Form, Each> = (
  | NewValuesOf<M, N, V>
  | readonly NewValuesOf<M, N, V>[]
) & { readonly [Symbol.iterator]?: Each }

/** The id of a new record, or the ids of a list. */
export type NewIds<Each> = [Each] extends [undefined] ? number : number[]

type Loose = Readonly<Record<string, unknown>>
type MethodsOf<M, N> = N extends keyof M
  ? M[N] extends Model<unknown, infer X>
    ? X
    : RecordMethods<M[N]>
  : unknown
/** The methods of a record that modules declare. */
type RecordMethods<R> = {
  readonly [K in keyof R as R[K] extends (...args: never) => Promise<unknown> ? K : never]: R[K] extends (
    ...args: infer A
  ) => Promise<infer T>
    ? Method<A extends readonly [unknown?, ...unknown[]] ? NonNullable<A[0]> : Loose, WireResult<T>>
    : never
}
/** A result on the wire: records as ids, nothing as null (spec/wire.md section 5). */
type WireResult<R> = unknown extends R
  ? unknown
  : [R] extends [null | undefined]
    ? null
    : [R] extends [{ readonly ids: readonly number[] }]
      ? number[]
      : R

/**
 * Names of a model's methods. Generated types know all of them; declared records those of their modules, so
 * that any other goes too.
 */
export type MethodName<M, N> = N extends keyof M
  ? M[N] extends Model<unknown, infer X>
    ? keyof X & string
    : (keyof RecordMethods<M[N]> & string) | (string & {})
  : string

/** Parameters of a method by name; those of `create` hold what no record of the model can be made without. */
export type ParamsOf<M, N, X> = X extends keyof MethodsOf<M, N>
  ? X extends 'create'
    ? { readonly vals_list: readonly NewValuesOf<M, N>[] }
    : DeclaredParams<M, N, X>
  : Loose

type DeclaredParams<M, N, X extends keyof MethodsOf<M, N>> =
  MethodsOf<M, N>[X] extends Method<infer P>
    ? unknown extends P
      ? Loose
      : keyof P extends never
        ? Readonly<Record<string, never>>
        : P
    : Loose

/** A method's result on the wire. */
export type ResultOf<M, N, X> = X extends keyof MethodsOf<M, N>
  ? MethodsOf<M, N>[X] extends Method<unknown, infer R>
    ? R
    : unknown
  : unknown

/** Arguments after a method's name: optional where no parameter is required. */
export type Arguments<P, Options> =
  Record<never, never> extends P ? [params?: P, options?: Options] : [params: P, options?: Options]

/** Metadata of a field in `fields_get`; attributes that do not apply to its type are absent. */
export interface FieldInfo {
  readonly type?: string
  readonly string?: string
  readonly help?: string
  readonly required?: boolean
  readonly readonly?: boolean
  readonly store?: boolean
  readonly relation?: string
  readonly relation_field?: string
  readonly selection?: readonly (readonly [key: string, label: string])[]
  readonly [attribute: string]: unknown
}
