// What models look like on the wire: rows, values, domains and methods, derived from the records that modules declare. Types only.
// A model that `#models` does not know is loose: any field name, values unknown. Wire forms: spec/models-api.md section 4.
import type { Domain, ModelName, Rec, Vals } from '#models'
import type { MethodName } from '../models/types.ts'

/** How `read` answers a many2one: as `[id, display name]`, or with null as the bare id. */
export type Load = '_classic_read' | null

type Link<L extends Load> = L extends null ? number : [id: number, name: string]
type Unset<V> = null extends V ? false : never

/** The wire form of a value as code sees it: false where unset, a pair or an id for a record, ids for a recordset. */
export type WireValue<V, L extends Load = '_classic_read'> = unknown extends V
  ? unknown
  : [V] extends [null] // a many2one to a model that is not in view
    ? Link<L> | false
    : [V] extends [boolean | null]
      ? boolean
      : [V] extends [{ readonly ids: readonly number[] }]
        ? number[]
        : [NonNullable<V>] extends [{ readonly id: number; readonly display_name: string }]
          ? Link<L> | Unset<V>
          : NonNullable<V> | Unset<V>

type DataKey<R> = { [K in keyof R]: R[K] extends (...args: never) => unknown ? never : K }[keyof R] & string

/** Names of a model's fields. */
export type FieldName<N extends string> = N extends ModelName ? DataKey<Rec<N>> : string

/** A row of `read` and `search_read`: the id and the fields asked for; all of them when none was named. */
export type Row<N extends string, F extends string = FieldName<N>, L extends Load = '_classic_read'> = [F] extends [never]
  ? Row<N, FieldName<N>, L>
  : N extends ModelName
    ? { -readonly [K in (F & keyof Rec<N>) | 'id']: WireValue<Rec<N>[K & keyof Rec<N>], L> }
    : { id: number } & { [K in F]: K extends 'id' ? number : unknown }

/** A domain literal; the first field of each path and the operators are checked for models in view. */
export type DomainOf<N extends string> = N extends ModelName ? Domain<N> : readonly unknown[]

/** Values to create or write with. */
export type ValuesOf<N extends string> = N extends ModelName ? Vals<N> : Readonly<Record<string, unknown>>

/** Names of the methods that a model's modules declare. */
export type MethodOf<N extends string> = N extends ModelName ? MethodName<Rec<N>> : never

type Declared<N extends string, M> = N extends ModelName ? (M extends MethodName<Rec<N>> ? Rec<N>[M] : never) : never
type LooseParams = Readonly<Record<string, unknown>>

/** Parameters by name. All may be left out here, since record types do not say which have a default; the server refuses what lacks. */
export type ParamsOf<N extends string, M> = [Declared<N, M>] extends [never]
  ? LooseParams
  : Declared<N, M> extends (params: infer P) => Promise<unknown>
    ? Partial<P>
    : LooseParams

/** A method's result on the wire: records as ids, nothing as null (spec/wire.md section 5). */
export type ResultOf<N extends string, M> = [Declared<N, M>] extends [never]
  ? unknown
  : Declared<N, M> extends (params: never) => Promise<infer R>
    ? WireResult<R>
    : unknown

type WireResult<R> = unknown extends R
  ? unknown
  : [R] extends [null | undefined]
    ? null
    : [R] extends [{ readonly ids: readonly number[] }]
      ? number[]
      : R

/** What `fields_get` says about a field; attributes that do not apply to its type are absent. */
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
