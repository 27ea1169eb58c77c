// Types that derive records from models: the open registry, records, recordsets, dependency paths,
// domains and values.

import type { Always, Field, Fields } from '../contract/field.ts'
import type { Contract } from '../contract/model.ts'
import type { ModelName, Models } from '../contract/names.ts'
import type { Given, MethodSpec, Methods, Returns } from '../contract/param.ts'
import type { Ids, LooseVals } from './definitions.ts'
import type { Environment } from './environment.ts'

/** A record of a model: the fields and methods that all modules declare. */
export type Rec<N extends string> = N extends keyof Models ? Models[N] & BaseRecord : never

/** Fields of every record. */
export interface BaseRecord {
  readonly id: number
  readonly display_name: string
  readonly create_date: string | null
  readonly write_date: string | null
  readonly create_uid: UserRef | null
  readonly write_uid: UserRef | null
}
/** The author of a record, separate from `res.users` so that this file depends on no module. */
export interface UserRef {
  readonly id: number
  readonly display_name: string
}

/** The value of a field in code: null if unset, a record for a many2one, a recordset for an x2many. */
export type ValueOf<F> =
  F extends Field<infer V, infer K, infer T>
    ? K extends 'many2one'
      ? V extends Always
        ? Rec<T & ModelName>
        : Rec<T & ModelName> | null
      : K extends 'one2many' | 'many2many'
        ? Recordset<T & ModelName>
        : V
    : never

/** The fields and methods that a contract adds to the record's open interface. */
export type Of<C> =
  C extends Contract<string, infer F extends Fields, infer M extends Methods>
    ? { readonly [K in keyof F]: ValueOf<F[K]> } & { readonly [K in keyof M]: Method<M[K]> }
    : never

/** A method as callers see it. The argument is optional if all parameters are. */
type Method<M extends MethodSpec> = (
  ...params: Partial<Given<M>> extends Given<M> ? [params?: Given<M>] : [params: Given<M>]
) => Promise<Returns<M>>

type Elem<V> = V extends Recordset<infer N> ? Rec<N> : NonNullable<V>
/** `P` when it is a path of fields from `R`, else never. */
export type CheckPath<R, P extends string> = P extends `${infer H}.${infer T}`
  ? H extends keyof R
    ? CheckPath<Elem<R[H]>, T> extends never
      ? never
      : P
    : never
  : P extends keyof R
    ? P
    : never
type BadPath<R, P> = P extends string ? (CheckPath<R, P> extends never ? P : never) : never
/** Paths that all exist, or an object type that names the one which does not. */
export type Paths<R, P extends string> = readonly P[] &
  ([BadPath<R, P>] extends [never] ? unknown : { 'no such field': BadPath<R, P> })

type Head<P> = P extends `${infer H}.${string}` ? H : P
type Tail<P, H> = P extends `${H & string}.${infer T}` ? T : never
/** A record with only its id and the declared paths. Relations become plain objects and arrays. */
export type Seen<R, P extends string> = { readonly id: number } & {
  readonly [H in Head<P> & keyof R]: [Tail<P, H>] extends [never]
    ? Shallow<R[H]>
    : R[H] extends Recordset<infer N>
      ? readonly Seen<Rec<N>, Tail<P, H>>[]
      : null extends R[H]
        ? Seen<NonNullable<R[H]>, Tail<P, H>> | null
        : Seen<R[H], Tail<P, H>>
}
/** A relation without a further path has ids only. */
type Shallow<V> =
  V extends Recordset<ModelName>
    ? readonly { readonly id: number }[]
    : V extends { readonly id: number }
      ? { readonly id: number }
      : V

/** Names of a record's fields, without those of its methods. */
export type FieldKey<R> = { [K in keyof R]: R[K] extends (...a: never) => unknown ? never : K }[keyof R] &
  string
export type MethodName<R> = {
  [K in keyof R]: R[K] extends (p: never) => Promise<unknown> ? K : never
}[keyof R] &
  string

/** A command on an x2many field (spec/models-api.md section 5). */
export type Command = readonly [0 | 1 | 2 | 3 | 4 | 5 | 6, ...unknown[]]
type Written<V> =
  V extends Recordset<ModelName>
    ? readonly (Command | number)[] | null | false
    : V extends { readonly id: number }
      ? number
      : V
/** Values to create or write records with. */
export type Vals<N extends ModelName> = {
  readonly [K in FieldKey<Rec<N>>]?: Written<Rec<N>[K]> | null | false
}

export type Operator =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '=?'
  | 'in'
  | 'not in'
  | 'like'
  | 'not like'
  | 'ilike'
  | 'not ilike'
  | '=like'
  | '=ilike'
  | 'not =like'
  | 'not =ilike'
  | 'child_of'
  | 'parent_of'
  | 'any'
  | 'not any'
type FieldPath<R> = FieldKey<R> | `${FieldKey<R>}.${string}`
export type Condition<N extends ModelName> =
  | readonly [FieldPath<Rec<N>>, Operator, unknown]
  | readonly [0 | 1, '=', 1]
/** A domain in which the type checks the first field of each path. `CheckedDomain` checks the rest. */
export type Domain<N extends ModelName> = readonly (Condition<N> | '&' | '|' | '!')[]

/** Parts of a date or moment, as the end of a path. */
export type MomentPart =
  | 'year_number'
  | 'quarter_number'
  | 'month_number'
  | 'iso_week_number'
  | 'day_of_year'
  | 'day_of_month'
  | 'day_of_week'
  | 'hour_number'
  | 'minute_number'
  | 'second_number'

/** The path if it does not exist, else never. Paths that are known at run time only are accepted. */
type LostPath<R, P extends string> = P extends `${infer H}.${infer T}`
  ? string extends T
    ? never
    : H extends FieldKey<R>
      ? LostBehind<NonNullable<R[H]>, T> extends never
        ? never
        : P
      : P
  : P extends keyof R
    ? never
    : string extends P
      ? never
      : P
/** The rest of a path after a value, if it does not exist; else never. */
type LostBehind<V, T extends string> = unknown extends V
  ? never
  : V extends string
    ? T extends MomentPart
      ? never
      : T
    : V extends Recordset<infer N>
      ? LostPath<Rec<N>, T>
      : V extends { readonly id: number }
        ? LostPath<V, T>
        : T

/** Paths of a literal domain over records of type `R` that do not exist. */
export type LostIn<R, D> = D extends readonly (infer C)[]
  ? C extends readonly [infer P extends string, infer O, infer V]
    ? LostPath<R, P> | (O extends 'any' | 'not any' ? LostInside<R, P, V> : never)
    : never
  : never
type LostInside<R, P extends string, D> =
  P extends FieldKey<R>
    ? NonNullable<R[P]> extends infer V
      ? V extends Recordset<infer N>
        ? LostIn<Rec<N>, D>
        : V extends { readonly id: number }
          ? LostIn<V, D>
          : never
      : never
    : never

/** A literal domain whose paths all exist, or an object type that names the one which does not. */
export type CheckedDomain<N extends ModelName, D> = D &
  (LostIn<Rec<N>, D> extends infer L ? ([L] extends [never] ? unknown : { 'no such field': L }) : never)

export interface SearchOptions {
  readonly offset?: number
  readonly limit?: number | null
  readonly order?: string | null
}

/** Zero or more records of one model in one environment. */
export interface Recordset<N extends ModelName> extends Iterable<Recordset<N>> {
  readonly env: Environment
  readonly ids: Ids
  readonly length: number
  /** The declared model's name. */
  readonly name: N
  /** Records of this model by id. Nothing is read. */
  browse(ids: Ids): Records<N>
  /**
   * Reads the paths of all records in one batch, from the cache if possible. The order is that of `ids`;
   * deleted records are left out.
   */
  load<const P extends string>(paths: Paths<Rec<N>, P>): Promise<Seen<Rec<N>, P>[]>
  /** `load` for one record. Throws InvalidValue for none or several, MissingError if it is deleted. */
  one<const P extends string>(paths: Paths<Rec<N>, P>): Promise<Seen<Rec<N>, P>>
  /**
   * Prefetches the dotted paths that the code is about to load, and what is recomputed when it writes
   * the fields in `changing`. All of it is read in one flush as far as relations allow.
   */
  prefetch(paths: readonly string[], changing?: readonly string[]): Promise<void>
  search<const D extends Domain<N>>(domain: CheckedDomain<N, D>, options?: SearchOptions): Promise<Records<N>>
  searchCount<const D extends Domain<N>>(domain: CheckedDomain<N, D>, limit?: number | null): Promise<number>
  create(vals: readonly Vals<N>[]): Promise<Records<N>>
  write(vals: Vals<N>): Promise<void>
  /** Writes on each record its own values, by id, in one write. */
  writeEach(values: ReadonlyMap<number, Vals<N>>): Promise<void>
  unlink(): Promise<void>
  copy(overrides?: Vals<N>): Promise<Records<N>>
  /** Records that match the domain, evaluated in memory if the fields are loaded, else in the database. */
  filtered<const D extends Domain<N>>(domain: CheckedDomain<N, D>): Promise<Records<N>>
  /** Records that still exist. */
  exists(): Promise<Records<N>>
  /** Rows in wire form, as the method `read` returns them. */
  read(fields?: readonly string[] | null, load?: string | null): Promise<Record<string, unknown>[]>
  union(other: Recordset<N>): Records<N>
  /** The same records as superuser: no access rights, no record rules. */
  sudo(): Records<N>
  withContext(context: LooseVals): Records<N>
  /** Notes a declared event of these records. Subscribers get it once the call is committed. */
  emit(event: string): void
  /** Returns the id. Throws InvalidValue unless there is exactly one record. */
  ensureOne(): number
  /** Runs a method by name with bound parameters, through every module's wrap. */
  invoke(method: string, params: Record<string, unknown>): Promise<unknown>
}

/** A recordset with the methods that its modules declare. */
export type Records<N extends ModelName> = Recordset<N> & { readonly [K in MethodName<Rec<N>>]: Rec<N>[K] }
