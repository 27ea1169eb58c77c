// Implementations as the engine stores them: functions over declared paths, methods and wraps. Their
// types were checked by the builders in `models/behaviour` and are erased here.

import type { Sql } from '../../sql/index.ts'
import type { Contract } from '../contract/model.ts'
import type { ModelName } from '../contract/names.ts'
import type { Audited, Writable } from './audited.ts'
import type { Ids, LooseVals } from './definitions.ts'
import type { Environment } from './environment.ts'
import type { Records } from './records.ts'
import type { Scope } from './scope.ts'

/** A record as the engine passes it to an implementation whose types were checked when it was declared. */
export type LooseRecord = LooseVals & { readonly id: number }

/** A function over declared paths, its types erased. */
export interface Computed<N extends string = string, V = unknown> {
  readonly model: N
  readonly depends: readonly string[]
  /** Returns the values by record id. Ids that are left out count as unset. */
  readonly run: (
    records: readonly LooseRecord[],
    env: Environment,
  ) => Promise<Map<number, unknown>> | Map<number, unknown>
  /** Context keys that change the value. Such a value is not cached across environments. */
  readonly context: readonly string[]
  readonly options: ComputedOptions
  /** Values follow from their record's paths alone: they may be computed before it is stored. */
  readonly pure: boolean
  /** Shared by the fields of one function, which returns the values of all of them. */
  readonly source?: Source
  /** The field's key among the values of `source`. */
  readonly part?: string
  readonly __value?: V
}

/** A function that returns the values of several fields: by record id, then by field. */
export interface Source {
  readonly run: (
    records: readonly LooseRecord[],
    env: Environment,
    fresh: boolean,
  ) => Promise<Map<number, LooseVals>> | Map<number, LooseVals>
}

/** Translates a condition on the field, by its positive operator and value, to a domain over other fields. */
export type SearchRule = (
  operator: string,
  value: unknown,
  env: Environment,
) => readonly unknown[] | Promise<readonly unknown[]>

/** Options of computed values: SQL form, search, inverse and dependencies beyond the paths. */
export interface ComputedOptions {
  /** Context keys that change the value. */
  readonly context?: readonly string[]
  /** The same value as SQL over the model's row, or null if this environment needs the function. */
  readonly sql?: (scope: Scope) => Sql | null
  /** False: the SQL form is for reading only. Domains, orders and groups that name the field are refused. */
  readonly searchable?: boolean
  /** Size of a binary value in bytes by record id, without computing the value; null if there is no value. */
  readonly size?: (ids: Ids, env: Environment) => Promise<Map<number, number | null>>
  /** Translates a condition on this field to a domain over other fields. */
  readonly search?: SearchRule
  /** Writes explicit values back to the fields that they come from. `values` is by record id. */
  readonly inverse?: (env: Environment, values: ReadonlyMap<number, unknown>) => Promise<void>
  /**
   * Stored and editable: an explicit value is kept until a dependency changes. True for stored computed
   * fields with `readonly: false`.
   */
  readonly editable?: boolean
  /**
   * Paths that the function reads by itself. A change of such a path alone does not make stored values
   * dirty. The paths are prefetched together with the dependencies. Functions of fields that are not
   * stored name every path that they read in addition to their dependencies: their cached values stay
   * valid while other fields change.
   */
  readonly asks?: readonly string[]
}

/** An onchange handler of `fields`: takes the form's current values and returns the values to set. */
export interface Onchange {
  readonly fields: readonly string[]
  readonly run: (
    values: LooseVals,
    env: Environment,
  ) => Promise<Record<string, unknown>> | Record<string, unknown>
}

/**
 * Which creations and writes a module's wraps handle, by the names of the values passed to them. If a
 * function returns false, the wraps only call `next`. A function that is left out counts as true. The
 * results may depend on the names, the models, and the caller's rights and context alone: they are
 * cached for all calls that share these.
 */
export interface Concerns {
  readonly create?: (names: ReadonlySet<string>, env: Environment) => boolean
  /** May also depend on rows: returns a condition over the rows to write, as they are before the write. */
  readonly write?: (names: ReadonlySet<string>, env: Environment) => boolean | ((scope: Scope) => Sql)
}

/** A contract with its implementation, the types erased. */
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
  readonly prepare: ((vals: Record<string, unknown>, env: Environment, ids: Ids | null) => void) | null
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
  readonly ids: Ids
  readonly vals: LooseVals
}

/** Writes changes. `records` are the records of all changes. */
export type WriteRun<R = Records<never>> = (records: R, changes: readonly WriteChange[]) => Promise<void>

/**
 * A wrap around every write: by `write`, by x2many commands, by `web_save_multi`, by imports, by `writeEach`.
 * It is called once per write with all records and their values. No record occurs twice. `next` calls the
 * inner wrap or the engine with the records and changes that it is passed: their environment is used, and
 * only these changes are written. A write on no records has one change without ids.
 */
export type WriteWrap<N extends ModelName> = (next: WriteRun<Records<N>>) => WriteRun<Records<N>>

/** A check of records; its message if it does not hold. */
export interface Check {
  readonly message: string
  readonly rule: Computed
}

/** Code of all modules that runs when records of a model are written or edited. */
export interface ModelHooks {
  readonly checks: readonly Check[]
  readonly prepares: readonly NonNullable<Behaviour['prepare']>[]
  readonly onchanges: readonly Onchange[]
  /** Writes through every module's wrap. The last module's wrap is the outermost. */
  readonly writing: WriteRun
  /** Which creations and writes the modules' wraps handle, one function per module. */
  readonly concerns: {
    readonly create: readonly NonNullable<Concerns['create']>[]
    readonly write: readonly NonNullable<Concerns['write']>[]
  }
}
