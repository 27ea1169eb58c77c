// Implementations of contracts: computed fields, defaults, checks, methods, wraps, onchanges.

import { DeclarationError } from '../../errors.ts'
import type { Field, FieldKind, Fields } from '../contract/field.ts'
import { type Contract, extend } from '../contract/model.ts'
import type { ModelName } from '../contract/names.ts'
import type { Methods, Params, Returns } from '../contract/param.ts'
import type { Audited, Writable } from '../language/audited.ts'
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
import type { Ids, LooseVals } from '../language/definitions.ts'
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
import { behaviourFlaws, type NamesOf } from './body-options.ts'

/**
 * A value of each record, computed from its declared paths alone. `run` gets a record with exactly these
 * paths. Relations are loaded in batches, and changes of the paths recompute stored values.
 */
export function computed<N extends ModelName, const P extends string, V>(
  on: Contract<N, Fields, Methods>,
  depends: Paths<Rec<N>, P>,
  run: (record: Seen<Rec<N>, P>, env: Environment) => V,
  options: ComputedOptions = {},
): Computed<N, V> {
  const perRecord: Computed['run'] = (records, env) => {
    const values = new Map<number, V>()
    for (const record of records) values.set(record.id, run(record as never, env))
    return values
  }
  return { ...over(on, depends, options), pure: true, run: perRecord }
}

const over = <N extends ModelName>(
  on: Contract<N, Fields, Methods>,
  depends: readonly string[],
  options: ComputedOptions,
) => ({ model: on.name, depends, context: options.context ?? [], options })

/** Values of many records by id, from a function that may query. Ids that are left out count as unset. */
export function computedTogether<N extends ModelName, const P extends string, V>(
  on: Contract<N, Fields, Methods>,
  depends: Paths<Rec<N>, P>,
  run: (records: readonly Seen<Rec<N>, P>[], env: Environment) => Promise<Map<number, V>> | Map<number, V>,
  options: ComputedOptions = {},
): Computed<N, V> {
  return { ...over(on, depends, options), pure: false, run: run as unknown as Computed['run'] }
}

/**
 * Values of several fields from one function: by record id, then by field. Stored fields whose value is
 * left out keep it. `fresh` records are about to be stored and have no values yet. Spread the result
 * into `computed` of `implement`.
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
    ...over(on, depends, options),
    pure: false,
    source,
    part: field,
    run: async (records, env) => partOf(await source.run(records, env, false), field),
  })
  return Object.fromEntries(fields.map((field) => [field, part(field)])) as {
    readonly [F in K]: Computed<N, never>
  }
}

/** One field's values from those of several fields. */
export function partOf(values: ReadonlyMap<number, LooseVals>, field: string): Map<number, unknown> {
  const fieldValues = new Map<number, unknown>()
  for (const [id, of] of values) if (of[field] !== undefined) fieldValues.set(id, of[field])
  return fieldValues
}

/** Declares which fields of a model users may write, by state: for `writable` of `implement`. */
export const writable = <N extends ModelName>(
  rules: Writable<keyof Rec<N> & string>,
): Writable<keyof Rec<N> & string> => Object.freeze(rules)

type Call<N extends ModelName, K> = K extends keyof Rec<N>
  ? Rec<N>[K] extends (p: infer P) => Promise<infer T>
    ? (records: Records<N>, params: Required<NonNullable<P>>) => Promise<T>
    : never
  : never

/** The value that a function may return for a field: its value, unset, or, for relations, ids or records. */
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

/** The implementation of a contract: each part may be left out. */
export interface BehaviourBody<N extends ModelName, F extends Fields, M extends Methods> {
  readonly computed?: { readonly [K in keyof F]?: Computed<N, Computable<F[K]>> }
  /** The record's display name. */
  readonly displayName?: Computed<N, string>
  /** Search rules of stored fields that are searched in another form than they are stored in. */
  readonly searches?: { readonly [K in keyof F]?: SearchRule }
  /** Defaults that depend on the environment. */
  readonly defaults?: {
    readonly [K in keyof F]?: (env: Environment) => Computable<F[K]> | Promise<Computable<F[K]>>
  }
  readonly methods?: {
    readonly [K in keyof M]: (
      records: Records<N>,
      params: Params<M[K]>,
    ) => Returns<M[K]> | Promise<Returns<M[K]>>
  }
  /** Wraps around methods that the model already has. `next` calls the inner wrap or the method. */
  readonly wrap?: { readonly [K in MethodName<Rec<N>>]?: (next: Call<N, K>) => Call<N, K> }
  /** Wraps around the methods of every model, except `write`, which has `wrapWrite`. */
  readonly wrapGeneric?: Readonly<Record<string, GenericWrap<N>>> & { readonly write?: never }
  /**
   * A wrap around every creation, with the values of all records of a call. It returns the new records
   * in the order of the values.
   */
  readonly wrapCreate?: (next: CreateRun<N>) => CreateRun<N>
  /** A wrap around every write. */
  readonly wrapWrite?: WriteWrap<N>
  /** Which creations and writes these wraps handle. Default: all. */
  readonly concerns?: Concerns
  /** Message → condition that holds for every record after a change of its dependencies (422). */
  readonly checks?: Readonly<Record<string, Computed<N, boolean>>>
  /** Called with the values of a creation or write before they are stored. It may change or refuse them. */
  readonly prepare?: (vals: Record<string, unknown>, env: Environment, ids: Ids | null) => void
  readonly onchange?: readonly Onchange[]
  /** The fields that users may write, by state. Extensions add to it. */
  readonly writable?: Writable<keyof Rec<N> & string>
  /** Changes of its records that go to the audit log; extensions add to it. */
  readonly audited?: Audited<keyof Rec<N> & string>
  /** Runs in the installing transaction once the module's tables and data exist. */
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

/** Paths in the domains of declared relations that do not exist. */
type LostInFields<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, FieldKind, infer T, infer D>
    ? [D] extends [never]
      ? never
      : T extends ModelName
        ? LostIn<Rec<T>, D>
        : never
    : never
}[keyof F]
/** Reports paths in a contract's domains that do not exist as type errors. */
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
 * Joins a contract with its implementation. Throws DeclarationError for two wraps of `create`, and for
 * unknown options.
 *
 * @example
 * ```ts
 * import { char, computed, implement, integer, model, type Of } from 'comptoir/models'
 *
 * const shelf = model('x.shelf', {
 *   fields: { name: char({ required: true }), size: integer({ computed: true, stored: true }) },
 * })
 * declare module 'comptoir/models' {
 *   interface Models {
 *     'x.shelf': Shelf
 *   }
 *   interface Shelf extends Of<typeof shelf> {}
 * }
 *
 * export default implement(shelf, {
 *   computed: { size: computed(shelf, ['name'], ({ name }) => name.length) },
 * })
 * ```
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

/** Declares the changes of any module's model that go to the audit log, in a file of its own. */
export const audited = <N extends ModelName>(name: N, rules: Audited<keyof Rec<N> & string>): Behaviour =>
  implement(extend(name, { fields: {} }) as Contract, { audited: Object.freeze(rules) as Audited<never> })
