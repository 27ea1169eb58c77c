// Behaviour: how a contract's promises are kept. Computed fields, defaults, checks, methods, wraps, onchanges.
import type { Sql } from '../../sql/index.ts'
import type { Environment } from '../environment.ts'
import type { Scope } from '../records/scope.ts'
import type { MethodName, ModelName, Paths, Rec, Records, Seen } from '../types.ts'
import type { Fields, ValueOf } from './field.ts'
import type { Contract } from './model.ts'
import type { Methods, Params, Returns } from './param.ts'
import type { GenericWrap, WriteRun, WriteWrap } from './wraps.ts'

/** A record as the engine hands it to behaviour whose types were checked when it was declared. */
export type LooseRecord = Readonly<Record<string, unknown>> & { readonly id: number }

/** A function over declared paths, its types sealed in. */
export interface Computed<N extends string = string, V = unknown> {
  readonly model: N
  readonly depends: readonly string[]
  /** Gives the values by record id; ids left out count as unset. */
  readonly run: (records: readonly LooseRecord[], env: Environment) => Promise<Map<number, unknown>> | Map<number, unknown>
  /** Context keys that change the value; such a value is never kept across environments. */
  readonly context: readonly string[]
  readonly options: ComputedOptions
  /** Each value follows from its own record's paths alone, without queries: it may be computed before the record is stored. */
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
  ) => Promise<Map<number, Readonly<Record<string, unknown>>>> | Map<number, Readonly<Record<string, unknown>>>
}

/** A condition, by its positive operator and value, as a domain over other fields. */
export type SearchRule = (operator: string, value: unknown, env: Environment) => readonly unknown[] | Promise<readonly unknown[]>

export interface ComputedOptions {
  /** Context keys that change the value. */
  readonly context?: readonly string[]
  /** The same value as SQL over the model's row, or null when this environment needs the function. */
  readonly sql?: (scope: Scope) => Sql | null
  /** Bytes of a binary value by record id, without making the value; null where there is none. */
  readonly size?: (ids: readonly number[], env: Environment) => Promise<Map<number, number | null>>
  /** A condition on this field as a condition on others. */
  readonly search?: SearchRule
  /** Writes given values back to where they come from. `values` is by record id. */
  readonly inverse?: (env: Environment, values: ReadonlyMap<number, unknown>) => Promise<void>
  /** Stored and editable: a given value stays until a dependency changes. True for stored computed fields with `readonly: false`. */
  readonly editable?: boolean
}

/** One value from one record's declared paths. */
export function computed<N extends ModelName, const P extends string, V>(
  on: Contract<N, Fields, Methods>,
  depends: Paths<Rec<N>, P>,
  run: (record: Seen<Rec<N>, P>, env: Environment) => V,
  options: ComputedOptions = {},
): Computed<N, V> {
  return {
    model: on.name,
    depends,
    context: options.context ?? [],
    options,
    pure: true,
    run: (records, env) => new Map(records.map((r) => [r.id, run(r as never, env)])),
  }
}

/** Values for many records at once, by id; for what needs queries of its own. */
export function computedTogether<N extends ModelName, const P extends string, V>(
  on: Contract<N, Fields, Methods>,
  depends: Paths<Rec<N>, P>,
  run: (records: readonly Seen<Rec<N>, P>[], env: Environment) => Promise<Map<number, V>> | Map<number, V>,
  options: ComputedOptions = {},
): Computed<N, V> {
  return { model: on.name, depends, context: options.context ?? [], options, pure: false, run: run as unknown as Computed['run'] }
}

/**
 * Several fields from one function, which runs once for all of them: values by record id, then by field. Stored fields whose value is left out
 * stay as they are. `fresh` records are about to be stored and hold nothing yet. The result is spread into `computed`.
 */
export function computedFields<N extends ModelName, const P extends string, const K extends string>(
  on: Contract<N, Fields, Methods>,
  fields: readonly K[],
  depends: Paths<Rec<N>, P>,
  run: (
    records: readonly Seen<Rec<N>, P>[],
    env: Environment,
    fresh: boolean,
  ) => Promise<Map<number, { readonly [F in K]?: unknown }>> | Map<number, { readonly [F in K]?: unknown }>,
  options: ComputedOptions = {},
): { readonly [F in K]: Computed<N> } {
  const source = { run } as unknown as Source
  const part = (field: K): Computed<N> => ({
    model: on.name,
    depends,
    context: options.context ?? [],
    options,
    pure: false,
    source,
    part: field,
    run: async (records, env) => partOf(await source.run(records, env, false), field),
  })
  return Object.fromEntries(fields.map((field) => [field, part(field)])) as { readonly [F in K]: Computed<N> }
}

/** One field's values among those of several. */
export function partOf(values: ReadonlyMap<number, Readonly<Record<string, unknown>>>, field: string): Map<number, unknown> {
  return new Map([...values].flatMap(([id, of]) => (of[field] === undefined ? [] : [[id, of[field]]])))
}

/** What a form is told when `fields` change: the values as they stand, the values to set. */
export interface Onchange {
  readonly fields: readonly string[]
  readonly run: (values: Readonly<Record<string, unknown>>, env: Environment) => Promise<Record<string, unknown>> | Record<string, unknown>
}

type Call<N extends ModelName, K> = K extends keyof Rec<N>
  ? Rec<N>[K] extends (p: infer P) => Promise<infer T>
    ? (records: Records<N>, params: Required<NonNullable<P>>) => Promise<T>
    : never
  : never

export interface BehaviourBody<N extends ModelName, F extends Fields, M extends Methods> {
  readonly computed?: { readonly [K in keyof F]?: Computed<N, ValueOf<F[K]> extends { readonly id: number } | null ? unknown : unknown> }
  /** How a record is called. */
  readonly displayName?: Computed<N, string>
  /** Stored fields that are searched in another form than they are kept in: a condition on one as a condition on others. */
  readonly searches?: { readonly [K in keyof F]?: SearchRule }
  /** Defaults that need the environment. */
  readonly defaults?: { readonly [K in keyof F]?: (env: Environment) => unknown }
  readonly methods?: { readonly [K in keyof M]: (records: Records<N>, params: Params<M[K]>) => Returns<M[K]> | Promise<Returns<M[K]>> }
  /** Around methods that are there already; `next` goes on to what was there. */
  readonly wrap?: { readonly [K in MethodName<Rec<N>>]?: (next: Call<N, K>) => Call<N, K> }
  /** Around the methods that every model has; writing has `wrapWrite`. */
  readonly wrapGeneric?: Readonly<Record<string, GenericWrap<N>>> & { readonly write?: never }
  /** Around every write. */
  readonly wrapWrite?: WriteWrap<N>
  /** Message → what must hold for every record after a change of its dependencies (422 ValidationError). */
  readonly checks?: Readonly<Record<string, Computed<N, boolean>>>
  /** Functions that see the set-based values before they are written, and may change or refuse them. */
  readonly prepare?: (vals: Record<string, unknown>, env: Environment, ids: readonly number[] | null) => void
  readonly onchange?: readonly Onchange[]
  /** Runs in the installing transaction after tables and data of the module are there. */
  readonly init?: (env: Environment) => Promise<void>
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
  readonly checks: Readonly<Record<string, Computed>>
  readonly prepare: ((vals: Record<string, unknown>, env: Environment, ids: readonly number[] | null) => void) | null
  readonly onchange: readonly Onchange[]
  readonly init: ((env: Environment) => Promise<void>) | null
}

export type MethodRun = (records: Records<never>, params: Record<string, unknown>) => unknown

/** Joins a contract and its behaviour. */
export function implement<N extends string, F extends Fields, M extends Methods>(
  contract: Contract<N, F, M>,
  body: BehaviourBody<N & ModelName, F, M> = {} as BehaviourBody<N & ModelName, F, M>,
): Behaviour {
  return Object.freeze({
    contract: contract as Contract,
    computed: (body.computed ?? {}) as Record<string, Computed>,
    displayName: (body.displayName ?? null) as Computed | null,
    searches: (body.searches ?? {}) as Record<string, SearchRule>,
    defaults: (body.defaults ?? {}) as Record<string, (env: Environment) => unknown>,
    methods: (body.methods ?? {}) as unknown as Record<string, MethodRun>,
    wrapWrite: (body.wrapWrite ?? null) as unknown as Behaviour['wrapWrite'],
    wraps: { ...body.wrap, ...body.wrapGeneric } as unknown as Record<string, (next: MethodRun) => MethodRun>,
    checks: (body.checks ?? {}) as Record<string, Computed>,
    prepare: body.prepare ?? null,
    onchange: body.onchange ?? [],
    init: body.init ?? null,
  })
}
