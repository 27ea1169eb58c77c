// Plans: statements made once for a shape of call and a caller's rights, and used again for calls that differ
// in values only.
import { Recent } from '../../kit/recent.ts'
import { serial } from '../../kit/serial.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Context, Environment } from '../language/environment.ts'
import { clockReadings } from './clock-readings.ts'

/**
 * Shapes described at greater length are not worth being kept, nor are longer statements: nobody asks for
 * them often.
 */
const LONGEST_KEY = 6000
/** Nor are statements of greater length: PostgreSQL prepares none of them. */
export const LONGEST_TEXT = 16 * 1024

/** Values of a call, and others that show where each of them stands. */
export interface Values {
  readonly real: readonly unknown[]
  marks(): readonly unknown[]
  /** Whether some were found out for the call: by what it gave alone nobody knows them again. */
  readonly areFound?: boolean
}

/** A statement that is kept, without the values of a call. */
export interface Template {
  readonly text: string
  readonly values: readonly unknown[]
  readonly each: boolean | undefined
  /** Which of the call's own values stands where among them: a value may stand in several places. */
  readonly places: readonly (readonly [place: number, value: number])[]
}

export interface Plan<T> extends Template {
  /** What else follows from the shape. */
  readonly rest: T
}

/** The statement of a call, and what else follows from its shape. */
interface Planned<T> {
  readonly statement: Statement
  readonly rest: T
}

/** A question in its common form (read/known.ts): its key, and its values as a statement takes them. */
export interface Asked {
  readonly key: string
  readonly values: readonly unknown[]
}

/**
 * The plans of all readers and the templates of other statements, by canonical keys: a number for the caller,
 * a word for the kind of statement, and all else that its text follows from. The number stands for registry,
 * rights, user and context. These are snapshots: a change gets another number, and older plans are never
 * found again. Null stands for a shape that was met once, and for what has no statement.
 * It must not keep values of a call, what rows say, or statements in whose making the clock was read.
 */
export const planCache = new Recent<string, Template | null>(6000, { most: 48 * 1024 * 1024, of: weightOf })

/** Roughly the bytes of an entry: its texts, its lists, and a thousand for objects and functions. */
function weightOf(key: string, template: Template | null): number {
  if (!template) return key.length + 100
  const lists = template.values.reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 1), 0)
  return key.length + template.text.length + 8 * lists + 1000
}

/** The plan of a question that was asked before; `T`: what `planned` was given for questions of its kind. */
export const planFor = <T>({ key }: Asked): Plan<T> | undefined => planCache.get(key) as Plan<T> | undefined

/** Rights, registries and users are snapshots: what follows from one of them stays true. */
interface Caller {
  readonly registry: object
  readonly rights: object
  readonly user: object
  /** Null where the context takes too long to tell. */
  readonly number: number | null
}

/** Who came last with a context, as themselves and as the superuser. */
const callers = { own: new WeakMap<Context, Caller>(), su: new WeakMap<Context, Caller>() }

/** Callers that have a number; whoever comes back after a long time gets another one. */
const MOST_CALLERS = 2000

const numbers = new Recent<string, number>(MOST_CALLERS)
let last = 0

/**
 * The statement for a shape, with the call's values in it; `make` makes it where it is not known, with marks
 * in the place of the values when asked for them. `shape` must say everything that text and other values of
 * the statement follow from, besides the caller; null: it cannot. The plan is kept for `asked` too, unless
 * who asks the same would not have its values.
 */
export function planned<T>(
  env: Environment,
  shape: string | null,
  values: Values | null,
  make: (marked: boolean) => { readonly statement: Sql; readonly rest: T },
  asked: Asked | null = null,
): Planned<T> {
  const key = shape === null || values === null ? null : callerKey(env, shape)
  const cachedPlan = key === null ? undefined : (planCache.get(key) as Plan<T> | null | undefined)
  const learn = (plan: Plan<T> | null) => {
    if (asked && plan && values && !values.areFound && isSame(asked.values, values.real))
      planCache.set(asked.key, plan)
  }
  if (cachedPlan && values) {
    learn(cachedPlan)
    return { statement: statementOf(cachedPlan, values.real), rest: cachedPlan.rest }
  }
  const readings = clockReadings()
  const { statement, rest } = make(false)
  const compiled = statement.compile()
  // Rules, and domains of relations, may have dates such as `today`, which stand in the statement as they are
  // now.
  if (key === null || !values || clockReadings() !== readings || compiled.text.length > LONGEST_TEXT)
    return { statement: compiled, rest }
  const plan = cachedPlan === null ? planOf(compiled, values, make(true).statement.compile(), rest) : null
  planCache.set(key, plan)
  learn(plan)
  return { statement: compiled, rest }
}

/** What a statement for a caller is known by; null for rules that change with the time of day. */
export function callerKey(env: Environment, shape: string): string | null {
  if (env.unit.rights.timed || shape.length > LONGEST_KEY) return null
  const number = callerNumber(env)
  return number === null ? null : `${number} ${shape}`
}

/**
 * Stands for all of an environment that statements follow from. A context, which most calls of a user share,
 * is written out once.
 */
export function callerNumber({ unit, user, context, su }: Environment): number | null {
  const { registry, rights } = unit
  const same = su ? callers.su : callers.own
  const known = same.get(context)
  if (known?.user === user && known.rights === rights && known.registry === registry) return known.number
  const text = `${serial(registry)} ${serial(rights)} ${serial(user)} ${su} ${JSON.stringify(context)}`
  const number = text.length > LONGEST_KEY ? null : (numbers.get(text) ?? ++last)
  if (number !== null) numbers.set(text, number)
  same.set(context, { registry, rights, user, number })
  return number
}

/** The statement with the values of a call, in the order in which its shape names them. */
export function statementOf({ text, values, places, each }: Template, real: readonly unknown[]): Statement {
  const all = [...values]
  for (const [place, value] of places) all[place] = real[value]
  return { text, values: all, each }
}

/**
 * The plan that a statement and the same one with marks make; null unless they are alike in all but the
 * call's values, each of them found.
 */
function planOf<T>(compiled: Statement, values: Values, marked: Statement, rest: T): Plan<T> | null {
  if (marked.text !== compiled.text) return null
  const marks = values.marks()
  const places: [number, number][] = []
  for (const [place, one] of marked.values.entries()) {
    const value = marks.findIndex((mark) => isSame(mark, one))
    if (!isSame(compiled.values[place], value < 0 ? one : values.real[value])) return null
    if (value >= 0) places.push([place, value])
  }
  if (new Set(places.map(([, value]) => value)).size < marks.length) return null
  // The call's own values, which may be long, are not kept.
  const kept = [...compiled.values]
  for (const [place] of places) kept[place] = null
  return { text: compiled.text, values: kept, each: compiled.each, places, rest }
}

/** Whether two values, or lists of values, are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, i) => isSame(item, other[i]))
}

/** Names of fields in a shape. */
export function fieldsShape(fields: Iterable<FieldDef>): string {
  let shape = ''
  for (const { name } of fields) shape += `${name},`
  return shape
}
