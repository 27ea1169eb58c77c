// Plans: statements composed once for the shape of a call and the rights of its caller, and reused for
// calls that differ in values only.
import { oncePer } from '../../kit/once-per.ts'
import { Recent } from '../../kit/recent.ts'
import { serial } from '../../kit/serial.ts'
import { idList, type Sql, type Statement, sql } from '../../sql/index.ts'
import type { FieldDef, Ids } from '../language/definitions.ts'
import type { Context, Environment } from '../language/environment.ts'
import type { Rights } from '../language/rights.ts'

/** Characters of a shape that is cached at most: all fields of the widest models have a third of it. */
const LONGEST_KEY = 20_000
/** Nor are longer statements: all fields of messages, with the rules of all threads, have 80 KB. */
const LONGEST_TEXT = 128 * 1024

/** Values of a call, and others that show where each of them stands. */
export interface Values {
  readonly real: readonly unknown[]
  marks(): readonly unknown[]
  /** Whether some were derived for the call: its parameters alone do not give them again. */
  readonly areFound?: boolean
}

export interface Cached {
  /** Roughly the bytes that it takes. */
  readonly bytes: number
}

/** A statement that is kept, without the values of a call. */
export interface Plan<T> extends Cached {
  readonly text: string
  readonly values: readonly unknown[]
  readonly each: boolean | undefined
  /** Which of the call's own values stands where among them: a value may stand in several places. */
  readonly places: readonly (readonly [place: number, value: number])[]
  /** Whether each of the call's values stands somewhere. */
  readonly isWhole: boolean
  /** Whether it may be kept: rules, and domains of relations, may have dates such as `today`. */
  readonly lasts: boolean
  readonly rest: T
}

export interface Planned<T> {
  readonly statement: Statement
  readonly rest: T
  readonly values: readonly unknown[]
}

/** A request (read/request-keys.ts): the key of its plan, and the values of its statement. */
export interface RequestKey {
  readonly key: string
  readonly values: readonly unknown[]
}

/**
 * The plans of all statements, by canonical keys: a number for the caller, a word for the kind of statement,
 * and all else that its text follows from. The number stands for registry, rights, user and context. These
 * are snapshots: a change gets another number, and older plans are never found again. Null stands for what
 * has no statement.
 * It must not keep values of a call, what rows say, or statements in whose making the clock was read.
 */
export const planCache = new Recent<string, Cached | null>(6000, {
  most: 48 * 1024 * 1024,
  of: (key, plan) => key.length + (plan?.bytes ?? 100),
})

/** Bytes of a plan: its text, its values, and a thousand for objects and functions. */
const bytesOf = (text: string, values: readonly unknown[]): number =>
  values.reduce<number>(
    (sum, value) => sum + 8 * (Array.isArray(value) ? value.length : 1),
    text.length + 1000,
  )

/** The entry of a key, of the type that its word stands for; null for shapes that have no plan. */
export const cached = <C extends Cached>(key: string): C | null | undefined =>
  planCache.get(key) as C | null | undefined

/** The statement by a cached plan; null without one. `T`: as `planned` was given. */
export function cachedPlan<T>(request: RequestKey | null): Planned<T> | null {
  const plan = request && (planCache.get(request.key) as Plan<T> | null | undefined)
  if (!plan) return null
  const { values } = request
  return { statement: statementOf(plan, values), rest: plan.rest, values }
}

/** The identity of an environment, for as long as it is among those that called last. */
interface Caller {
  readonly number: number
  /** Whether fields that no column holds have an expression (load/values.ts). */
  readonly expressions: WeakMap<FieldDef, boolean>
}

/** Rights, registries and users are snapshots: what follows from one of them stays true. */
interface LastCaller {
  readonly registry: object
  readonly rights: object
  readonly user: object
  /** Null for a long context. */
  readonly caller: Caller | null
}

/** The last caller of each context, as the user and as the superuser. */
const lastCallers = oncePer((_: Context): { own?: LastCaller; su?: LastCaller } => ({}))

/** Callers of a database that have a number; one that returns after a long time gets another. */
const MOST_CALLERS = 2000

const callersOf = oncePer((_: Rights) => new Recent<string, Caller>(MOST_CALLERS))
let last = 0

/**
 * The statement for a shape, with the call's values in it. `make` composes it, with marks in the place of the
 * values where it is to be kept. `shape` must say everything that text and other values of the statement
 * follow from, besides the caller; null: it cannot. The plan is cached for `request` too, unless the next
 * request with that key would have other values.
 */
export function planned<T>(
  env: Environment,
  shape: string | null,
  values: Values | null,
  make: (marked: boolean) => { readonly statement: Sql; readonly rest: T },
  request: RequestKey | null = null,
): Planned<T> {
  const key = shape === null || values === null ? null : callerKey(env, shape)
  const plan = key === null || values === null ? null : planWith(key, values, make)
  if (!plan || !values) {
    const { statement, rest } = make(false)
    return { statement: statement.compile(), rest, values: values?.real ?? [] }
  }
  const { real } = values
  if (request && plan.lasts && !values.areFound && isSameValue(request.values, real))
    planCache.set(request.key, plan)
  return { statement: statementOf(plan, real), rest: plan.rest, values: real }
}

/** Null where one of the values has no place of its own in the statement. */
function planWith<T>(
  key: string,
  values: Values,
  make: (marked: boolean) => { readonly statement: Sql; readonly rest: T },
): Plan<T> | null {
  try {
    const plan = planBy(key, values.marks, () => make(true))
    return plan?.isWhole ? plan : null
  } catch {
    // The refusal names the values of the call: the statement is composed with them next.
    return null
  }
}

/** The plan that a key has, or else the one of the statement that is made with marks. */
function planBy<T>(
  key: string | null,
  marks: () => readonly unknown[],
  make: () => { readonly statement: Sql | null; readonly rest: T },
): Plan<T> | null {
  const plan = key === null ? undefined : cached<Plan<T>>(key)
  if (plan !== undefined) return plan
  const { statement, rest } = make()
  const composed = statement && planOf(statement.compile(), marks(), rest)
  if (key !== null && (!composed || composed.lasts)) planCache.set(key, composed)
  return composed
}

/**
 * The statement that `make` composes, about `ids`; null where it gives null. `shape` must say everything that
 * the text follows from besides the caller and their context. `make` gets the ids as a fragment, which may
 * stand in the statement several times.
 */
export const aboutRecords = <M extends Sql | null>(
  env: Environment,
  shape: string,
  ids: Ids,
  make: (ids: Sql) => M,
): Composed<M> => aboutValues(env, shape, [ids], ([mark]) => make(idList(mark ?? [])))

type Composed<M> = M extends null ? null : Statement

/** As `aboutRecords`, about values of any kind, in their order. */
export function aboutValues<M extends Sql | null>(
  env: Environment,
  shape: string,
  values: readonly unknown[],
  make: (values: readonly Sql[]) => M,
): Composed<M> {
  // They stand for values of any kind: lists that no statement holds otherwise.
  const marks = () => values.map((_, n) => [-2_000_000_000 - n])
  const plan = planBy(callerKey(env, `template ${shape}`), marks, () => ({
    statement: make(marks().map((mark) => sql`${mark}`)),
    rest: null,
  }))
  return (plan && statementOf(plan, values)) as Composed<M>
}

/** The key of a statement for a caller; null for rules that depend on the time of day. */
export function callerKey(env: Environment, shape: string): string | null {
  if (env.unit.rights.timed || shape.length > LONGEST_KEY) return null
  const caller = callerOf(env)
  return caller && `${caller.number} ${shape}`
}

export const callerNumber = (env: Environment): number | null => callerOf(env)?.number ?? null

/**
 * Stands for all of an environment that statements follow from; null for long contexts. A context, which most
 * calls of a user share, is written out once.
 */
export function callerOf({ unit, user, context, su }: Environment): Caller | null {
  const { registry, rights } = unit
  const byKind = lastCallers(context)
  const before = su ? byKind.su : byKind.own
  if (before?.user === user && before.rights === rights && before.registry === registry) return before.caller
  const text = `${serial(registry)} ${serial(user)} ${su} ${JSON.stringify(context)}`
  const isLong = text.length > LONGEST_KEY
  const callers = callersOf(rights)
  const caller = isLong ? null : (callers.get(text) ?? { number: ++last, expressions: new WeakMap() })
  if (caller) callers.set(text, caller)
  byKind[su ? 'su' : 'own'] = { registry, rights, user, caller }
  return caller
}

/** The statement with the values of a call, in the order in which its shape names them. */
export function statementOf(
  { text, values, places, each }: Plan<unknown>,
  real: readonly unknown[],
): Statement {
  const all = [...values]
  for (const [place, value] of places) all[place] = real[value]
  return { text, values: all, each }
}

function planOf<T>(
  { text, values, each, momentary }: Statement,
  marks: readonly unknown[],
  rest: T,
): Plan<T> {
  const places = values.flatMap((value, place) => {
    const mark = marks.findIndex((one) => isSameValue(one, value))
    return mark < 0 ? [] : [[place, mark] as const]
  })
  const isWhole = new Set(places.map(([, mark]) => mark)).size === marks.length
  const lasts = !momentary && text.length <= LONGEST_TEXT
  return { text, values, each, places, isWhole, lasts, rest, bytes: bytesOf(text, values) }
}

export function isSameValue(value: unknown, other: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(other)) return value === other
  return value.length === other.length && value.every((item, i) => isSameValue(item, other[i]))
}

export function fieldsShape(fields: Iterable<FieldDef>): string {
  let shape = ''
  for (const { name } of fields) shape += `${name},`
  return shape
}
