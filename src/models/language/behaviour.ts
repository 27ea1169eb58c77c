// Behaviour as the engine holds it: functions over declared paths, methods and wraps, their types sealed in.
import type { Sql } from '../../sql/index.ts'
import type { Contract } from '../contract/model.ts'
import type { ModelName } from '../contract/names.ts'
import type { Audited } from './audited.ts'
import type { Environment } from './environment.ts'
import type { Records } from './records.ts'
import type { Scope } from './scope.ts'
import type { Writable } from './writable.ts'

/** A record as the engine hands it to behaviour whose types were checked when it was declared. */
export type LooseRecord = Readonly<Record<string, unknown>> & { readonly id: number }

/** A function over declared paths, its types sealed in. */
export interface Computed<N extends string = string, V = unknown> {
  readonly model: N
  readonly depends: readonly string[]
  /** Gives the values by record id; ids left out count as unset. */
  readonly run: (
    records: readonly LooseRecord[],
    env: Environment,
  ) => Promise<Map<number, unknown>> | Map<number, unknown>
  /** Context keys that change the value; such a value is never kept across environments. */
  readonly context: readonly string[]
  readonly options: ComputedOptions
  /**
   * Each value follows from its own record's paths alone, without queries: it may be computed before the
   * record is stored.
   */
  readonly pure: boolean
  /** What fields of one function share: it gives the values of all of them. */
  readonly source?: Source
  /** The name of the field's value among those of `source`. */
  readonly part?: string
  readonly __value?: V
}

/** A function that gives the values of several fields: by record id, then by field. */
export interface Source {
  readonly run: (
    records: readonly LooseRecord[],
    env: Environment,
    fresh: boolean,
  ) =>
    | Promise<Map<number, Readonly<Record<string, unknown>>>>
    | Map<number, Readonly<Record<string, unknown>>>
}

/** A condition, by its positive operator and value, as a domain over other fields. */
export type SearchRule = (
  operator: string,
  value: unknown,
  env: Environment,
) => readonly unknown[] | Promise<readonly unknown[]>

export interface ComputedOptions {
  /** Context keys that change the value. */
  readonly context?: readonly string[]
  /** The same value as SQL over the model's row, or null when this environment needs the function. */
  readonly sql?: (scope: Scope) => Sql | null
  /** False: the SQL form is for reading; domains, orders and groups that name the field are refused. */
  readonly searchable?: boolean
  /** Bytes of a binary value by record id, without making the value; null where there is none. */
  readonly size?: (ids: readonly number[], env: Environment) => Promise<Map<number, number | null>>
  /** A condition on this field as a condition on others. */
  readonly search?: SearchRule
  /** Writes given values back to where they come from. `values` is by record id. */
  readonly inverse?: (env: Environment, values: ReadonlyMap<number, unknown>) => Promise<void>
  /**
   * Stored and editable: a given value stays until a dependency changes. True for stored computed fields with
   * `readonly: false`.
   */
  readonly editable?: boolean
  /**
   * Paths that the function reads by itself. A change of one alone does not make stored values stale; they
   * are read together with what these follow from. Functions of fields that are not stored name all that they
   * read beside their dependencies: cached values stay valid while other fields change.
   */
  readonly asks?: readonly string[]
}

/** What a form is told when `fields` change: the values as they stand, the values to set. */
export interface Onchange {
  readonly fields: readonly string[]
  readonly run: (
    values: Readonly<Record<string, unknown>>,
    env: Environment,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>
}

/**
 * What of creations and writes concerns a module's wraps, by the names of the values that come to them: where
 * it is none of these, they do nothing but go on to `next`. What is not said concerns them. The answers may
 * follow from the names, the models, and the caller's rights and context: one is kept for all calls that have
 * these in common.
 */
export interface Concerns {
  readonly create?: (names: ReadonlySet<string>, env: Environment) => boolean
  /** Or the rows that it depends on: a condition over those that are written, as they were before. */
  readonly write?: (names: ReadonlySet<string>, env: Environment) => boolean | ((scope: Scope) => Sql)
}

/** A contract with its behaviour, the types sealed in. */
export interface Behaviour {
  readonly contract: Contract
  readonly computed: Readonly<Record<string, Computed>>
  readonly displayName: Computed | null
  readonly searches: Readonly<Record<string, SearchRule>>
  readonly defaults: Readonly<Record<string, (env: Environment) => unknown>>
  readonly methods: Readonly<Record<string, MethodRun>>
  readonly wraps: Readonly<Record<string, (next: MethodRun) => MethodRun>>
  readonly wrapWrite: ((next: WriteRun) => WriteRun) | null
  readonly concerns: Concerns
  readonly checks: Readonly<Record<string, Computed>>
  readonly prepare:
    | ((vals: Record<string, unknown>, env: Environment, ids: readonly number[] | null) => void)
    | null
  readonly onchange: readonly Onchange[]
  readonly writable: Writable | null
  readonly audited: Audited | null
  readonly init: ((env: Environment) => Promise<void>) | null
}

export type MethodRun = (records: Records<never>, params: Record<string, unknown>) => unknown

/** A wrap around a method of every model: parameters and result as bound by name. */
export type GenericWrap<N extends ModelName> = (
  next: (records: Records<N>, params: Record<string, unknown>) => Promise<unknown>,
) => (records: Records<N>, params: Record<string, unknown>) => Promise<unknown>

/** Values to write on some records. */
export interface WriteChange {
  readonly ids: readonly number[]
  readonly vals: Readonly<Record<string, unknown>>
}

/** Writes changes; `records` are those of all of them. */
export type WriteRun<R = Records<never>> = (records: R, changes: readonly WriteChange[]) => Promise<void>

/**
 * A wrap around every write: by `write`, by x2many commands, by `web_save_multi`, by imports, by `writeEach`.
 * It sees all records of a write with their values at once, no record twice, and works on them in sets.
 * `next` goes on to what was there: the environment is that of the records it is given, what is written are
 * the changes it is given. A write on no records has one change without ids.
 */
export type WriteWrap<N extends ModelName> = (next: WriteRun<Records<N>>) => WriteRun<Records<N>>
