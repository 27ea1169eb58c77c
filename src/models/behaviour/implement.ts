// Behaviour: how a contract's promises are kept. Computed fields, defaults, checks, methods, wraps,
// onchanges.

import { DeclarationError } from '../../errors.ts'
import type { Field, FieldKind, Fields } from '../contract/field.ts'
import { type Contract, extend } from '../contract/model.ts'
import type { ModelName } from '../contract/names.ts'
import type { NamesOf } from '../contract/option-names.ts'
import type { Methods, Params, Returns } from '../contract/param.ts'
import type { Audited } from '../language/audited.ts'
import type {
  Behaviour,
  Computed,
  ComputedOptions,
  Concerns,
  GenericWrap,
  MethodRun,
  Onchange,
  SearchRule,
  Source,
  WriteWrap,
} from '../language/behaviour.ts'
import type { Environment } from '../language/environment.ts'
import type {
  Command,
  LostIn,
  MethodName,
  Paths,
  Rec,
  Records,
  Recordset,
  Seen,
  Vals,
} from '../language/records.ts'
import type { Writable } from '../language/writable.ts'
import { behaviourFlaws } from './body-options.ts'

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
    run: (records, env) => {
      const values = new Map<number, V>()
      for (const record of records) values.set(record.id, run(record as never, env))
      return values
    },
  }
}

/** Values for many records at once, by id; for what needs queries of its own. */
export function computedTogether<N extends ModelName, const P extends string, V>(
  on: Contract<N, Fields, Methods>,
  depends: Paths<Rec<N>, P>,
  run: (records: readonly Seen<Rec<N>, P>[], env: Environment) => Promise<Map<number, V>> | Map<number, V>,
  options: ComputedOptions = {},
): Computed<N, V> {
  return {
    model: on.name,
    depends,
    context: options.context ?? [],
    options,
    pure: false,
    run: run as unknown as Computed['run'],
  }
}

/**
 * Several fields from one function, which runs once for all of them: values by record id, then by field.
 * Stored fields whose value is left out stay as they are. `fresh` records are about to be stored and hold
 * nothing yet. The result is spread into `computed`.
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
): { readonly [F in K]: Computed<N, never> } {
  const source = { run } as unknown as Source
  const part = (field: K): Computed<N, never> => ({
    model: on.name,
    depends,
    context: options.context ?? [],
    options,
    pure: false,
    source,
    part: field,
    run: async (records, env) => partOf(await source.run(records, env, false), field),
  })
  return Object.fromEntries(fields.map((field) => [field, part(field)])) as {
    readonly [F in K]: Computed<N, never>
  }
}

/** One field's values among those of several. */
export function partOf(
  values: ReadonlyMap<number, Readonly<Record<string, unknown>>>,
  field: string,
): Map<number, unknown> {
  const own = new Map<number, unknown>()
  for (const [id, of] of values) if (of[field] !== undefined) own.set(id, of[field])
  return own
}

/** Declares what people may write of a model, in a file of its own; for `writable` of `implement`. */
export const writable = <N extends ModelName>(
  rules: Writable<keyof Rec<N> & string>,
): Writable<keyof Rec<N> & string> => Object.freeze(rules)

type Call<N extends ModelName, K> = K extends keyof Rec<N>
  ? Rec<N>[K] extends (p: infer P) => Promise<infer T>
    ? (records: Records<N>, params: Required<NonNullable<P>>) => Promise<T>
    : never
  : never

/** What a function may give for a field: its value, unset, or, for relations, ids as well as records. */
type Computable<F> =
  F extends Field<infer V, infer K, string>
    ? K extends 'many2one'
      ? Linked | null | false | undefined
      : K extends 'one2many' | 'many2many'
        ? readonly Linked[] | Recordset<ModelName> | readonly Command[] | null | false | undefined
        : K extends 'json' | 'properties' | 'properties_definition' | 'binary'
          ? unknown
          : V | null | false | undefined
    : never
type Linked = number | { readonly id: number }

export interface BehaviourBody<N extends ModelName, F extends Fields, M extends Methods> {
  readonly computed?: { readonly [K in keyof F]?: Computed<N, Computable<F[K]>> }
  /** How a record is called. */
  readonly displayName?: Computed<N, string>
  /**
   * Stored fields that are searched in another form than they are kept in: a condition on one as a condition
   * on others.
   */
  readonly searches?: { readonly [K in keyof F]?: SearchRule }
  /** Defaults that need the environment. */
  readonly defaults?: {
    readonly [K in keyof F]?: (env: Environment) => Computable<F[K]> | Promise<Computable<F[K]>>
  }
  readonly methods?: {
    readonly [K in keyof M]: (
      records: Records<N>,
      params: Params<M[K]>,
    ) => Returns<M[K]> | Promise<Returns<M[K]>>
  }
  /** Around methods that are there already; `next` goes on to what was there. */
  readonly wrap?: { readonly [K in MethodName<Rec<N>>]?: (next: Call<N, K>) => Call<N, K> }
  /** Around the methods that every model has; writing has `wrapWrite`. */
  readonly wrapGeneric?: Readonly<Record<string, GenericWrap<N>>> & { readonly write?: never }
  /**
   * Around every creation, with all values of a call at once: what is called with, and the records that were
   * made of it in their order.
   */
  readonly wrapCreate?: (next: CreateRun<N>) => CreateRun<N>
  /** Around every write. */
  readonly wrapWrite?: WriteWrap<N>
  /** What of creations and writes concerns these wraps; all, where it is not said. */
  readonly concerns?: Concerns
  /** Message → what must hold for every record after a change of its dependencies (422 ValidationError). */
  readonly checks?: Readonly<Record<string, Computed<N, boolean>>>
  /** Functions that see the set-based values before they are written, and may change or refuse them. */
  readonly prepare?: (vals: Record<string, unknown>, env: Environment, ids: readonly number[] | null) => void
  readonly onchange?: readonly Onchange[]
  /** The fields that people may write, by state; extensions add to it. */
  readonly writable?: Writable<keyof Rec<N> & string>
  /** Changes of its records that go to the audit log; extensions add to it. */
  readonly audited?: Audited<keyof Rec<N> & string>
  /** Runs in the installing transaction after tables and data of the module are there. */
  readonly init?: (env: Environment) => Promise<void>
}

type CreateRun<N extends ModelName> = (records: Records<N>, list: readonly Vals<N>[]) => Promise<Records<N>>

/** A wrap of `create` by its one parameter. */
function createWrap<N extends ModelName>(
  wrap: NonNullable<BehaviourBody<N, Fields, Methods>['wrapCreate']>,
): GenericWrap<N> {
  return (next) => (records, params) => {
    const run = wrap((inner, list) => next(inner, { ...params, vals_list: list }) as Promise<Records<N>>)
    return run(records, params.vals_list as readonly Vals<N>[])
  }
}

/** Paths of the domains of declared relations that lead nowhere. */
type LostInFields<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, FieldKind, infer T, infer D>
    ? [D] extends [never]
      ? never
      : T extends ModelName
        ? LostIn<Rec<T>, D>
        : never
    : never
}[keyof F]
/** What a contract must be besides: its domains name fields that are there, to the end of every path. */
type Leading<F extends Fields> = { readonly [P in LostInFields<F> as `no such field: ${P}`]: never }

const bodyOptions = Object.keys({
  computed: true,
  displayName: true,
  searches: true,
  defaults: true,
  methods: true,
  wrap: true,
  wrapGeneric: true,
  wrapCreate: true,
  wrapWrite: true,
  concerns: true,
  checks: true,
  prepare: true,
  onchange: true,
  writable: true,
  audited: true,
  init: true,
} satisfies NamesOf<BehaviourBody<ModelName, Fields, Methods>>)

/**
 * Joins a contract and its behaviour. Throws DeclarationError for two wraps of `create`, and for options that
 * do not exist.
 */
export function implement<N extends string, F extends Fields, M extends Methods>(
  contract: Contract<N, F, M> & Leading<F>,
  body: BehaviourBody<N & ModelName, F, M> = {} as BehaviourBody<N & ModelName, F, M>,
): Behaviour {
  const flaws = [...behaviourFlaws(body as object, bodyOptions)]
  if (flaws.length) throw new DeclarationError(flaws.map((flaw) => `${contract.name}: ${flaw}`).join('\n'))
  if (body.wrapCreate && body.wrapGeneric?.create)
    throw new DeclarationError(`${contract.name} wraps create twice: let wrapCreate do both.`)
  const create = body.wrapCreate && { create: createWrap(body.wrapCreate) }
  return Object.freeze({
    contract: contract as Contract,
    computed: (body.computed ?? {}) as Record<string, Computed>,
    displayName: (body.displayName ?? null) as Computed | null,
    searches: (body.searches ?? {}) as Record<string, SearchRule>,
    defaults: (body.defaults ?? {}) as Record<string, (env: Environment) => unknown>,
    methods: (body.methods ?? {}) as unknown as Record<string, MethodRun>,
    wrapWrite: (body.wrapWrite ?? null) as unknown as Behaviour['wrapWrite'],
    wraps: { ...body.wrap, ...body.wrapGeneric, ...create } as unknown as Record<
      string,
      (next: MethodRun) => MethodRun
    >,
    concerns: body.concerns ?? {},
    checks: (body.checks ?? {}) as Record<string, Computed>,
    prepare: body.prepare ?? null,
    onchange: body.onchange ?? [],
    writable: body.writable ?? null,
    audited: body.audited ?? null,
    init: body.init ?? null,
  })
}

/** Declares the changes of any module's model that go to the audit log, in a file beside the models. */
export const audited = <N extends ModelName>(name: N, rules: Audited<keyof Rec<N> & string>): Behaviour =>
  implement(extend(name, { fields: {} }) as Contract, { audited: Object.freeze(rules) as Audited<never> })
