// Searches that were made before, found by the form of what is asked: where only plain values differ, nothing
// is parsed and nobody's rights are judged anew. What is known holds for the caller, context and models that
// it was found for (row/plans.ts); all that is not plain takes the whole way.
import { Recent } from '../../kit/recent.ts'
import { limits } from '../../limits.ts'
import { LONG } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Typed } from '../language/wishes.ts'
import { callerKey, isSame, type Plan, statementOf, type Values } from '../row/plans.ts'
import { WHOLE_ROWS } from './long-answer.ts'
import { type Plain, plainValues } from './plain.ts'
import type { Asked } from './question.ts'
import { Listed, Rendered } from './rendered.ts'
import type { Rest } from './rows.ts'
import { reachOf } from './search.ts'
import { CLASSIC } from './selection.ts'
import { INT4, MOST } from './shapes.ts'
import { written } from './short/statements.ts'

/** A search that is known. */
export interface KnownSearch {
  readonly plan: Plan<Rest>
  /** Rows up to which its answer is whole; null where there cannot be more. */
  readonly whole: number | null
  /** Of which values there were more rows lately, and how often that is still believed. */
  many?: Many | null
}

/** Values of which there were more rows than are read at once, and how often that is still believed. */
export interface Many {
  readonly values: readonly unknown[]
  left: number
}

/** How often more rows than are read at once are believed to be there before they are counted again. */
const BELIEVED = 20

/** Searches that are kept; those not made for the longest time go. */
const CAPACITY = 1000
/** Names of fields, and letters of one and of an order: who asks for more is not known again. */
const [MOST_NAMES, LONGEST] = [200, 200]
/** Conditions and operators of a domain. */
const MOST_ITEMS = 2 * MOST
/** Conditions that are remembered of a model. */
const MOST_CONDITIONS = 500

const searches = new Recent<string, KnownSearch>(CAPACITY)

/** By model, path and operator: how values of plain conditions are read. */
const conditions = new WeakMap<ModelDef, Map<unknown, Map<unknown, Plain>>>()

/**
 * The parameters of `search_read`, and how its values are `typed`, as a key and values; null where they are
 * not in their common form.
 */
export function askedAs(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): Asked | null {
  const { domain, fields, order, offset, load } = params
  const limit = countIn(params.limit)
  const skipped = countIn(offset)
  if (limit === null || skipped === null || !isOrder(order)) return null
  if (!isNothing(fields) && !areNames(fields)) return null
  // How far such a window reaches follows from what is read.
  if (skipped && !(limit && limit <= WHOLE_ROWS)) return null
  const reach = skipped ? reachOf({ limit, offset: skipped }) : 0
  const rest = JSON.stringify([fields || null, order || null, limit, reach, load === CLASSIC, typed])
  return askedAbout(env, model, domain, `search_read ${rest}`, skipped)
}

/**
 * A question about what a domain finds as a key and values, an offset behind those of the domain; null where
 * it is not in its common form. `what`: a word, and all else that the statement follows from, as JSON.
 */
export function askedAbout(
  env: Environment,
  model: ModelDef,
  domain: unknown,
  what: string,
  skipped = 0,
): Asked | null {
  if (env.unit.pending.size) return null
  const values: unknown[] = []
  const form = formOf(model, domain ?? [], values)
  if (form === null) return null
  if (skipped) values.push(skipped)
  const key = callerKey(env, `${what} as asked ${model.name} ${form}`)
  return key === null ? null : { key, values }
}

/** Whether an order is one that is known again. */
export const isOrder = (order: unknown): boolean =>
  isNothing(order) || (typeof order === 'string' && order.length <= LONGEST)

/** A count from outside, 0 for none; null for what is no count. */
export function countIn(value: unknown): number | null {
  if (value === null || value === undefined || value === false) return 0
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === false || value === ''

/** Whether names of fields are so many that they are known again. */
export function areNames(names: unknown): boolean {
  if (!Array.isArray(names) || names.length > Math.min(MOST_NAMES, limits.fields)) return false
  for (const name of names) if (typeof name !== 'string' || name.length > LONGEST) return false
  return true
}

/**
 * A domain without its values, which are put behind `values`, each judged as where domains are parsed
 * (domain/parse.ts); null for what is not plain.
 */
function formOf(model: ModelDef, domain: unknown, values: unknown[]): string | null {
  if (!Array.isArray(domain) || domain.length > MOST_ITEMS) return null
  let [form, terms, letters, listed] = ['', 0, 0, 0]
  for (const item of domain) {
    if (item === '&' || item === '|' || item === '!') {
      form += item
      continue
    }
    if (!Array.isArray(item) || item.length !== 3) return null
    const [path, operator, value] = item as [unknown, unknown, unknown]
    const plain = conditions.get(model)?.get(path)?.get(operator) ?? conditionOf(model, path, operator)
    const word = plain && wordFor(plain, value, values)
    if (!word) return null
    form += `${path} ${operator} ${word};`
    terms++
    if (typeof value === 'string') letters += value.length
    else if (Array.isArray(value)) {
      listed += value.length
      for (const one of value) if (typeof one === 'string') letters += one.length
    }
  }
  return terms > limits.terms || letters > limits.compared || listed > limits.list ? null : form
}

/** What a value is to the form of its condition; null where it is none of the plain ones. */
function wordFor({ kind, options }: Plain, value: unknown, values: unknown[]): string | null {
  if (value === true || value === false) return String(value)
  switch (kind) {
    case 'text':
      if (!isText(value)) return null
      values.push(value)
      return '?'
    case 'pattern':
      if (!isText(value) || value.length > limits.pattern || value.includes('\\')) return null
      values.push(`%${value}%`)
      return '?'
    case 'id':
      if (!isId(value)) return null
      values.push(value)
      return '?'
    case 'texts':
      return wordForList(value, isText, values)
    case 'ids':
      return wordForList(value, isId, values)
    case 'option': {
      const named = Array.isArray(value) ? value : [value]
      if (!options || named.length === 0 || named.length > MOST) return null
      for (const one of named) if (typeof one !== 'string' || !Object.hasOwn(options, one)) return null
      return JSON.stringify(value)
    }
    case 'boolean':
      return null
  }
}

/** One value is compared in another way than several. */
function wordForList(value: unknown, isPlain: (one: unknown) => boolean, values: unknown[]): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONG || !value.every(isPlain)) return null
  values.push(value.length === 1 ? value[0] : value)
  return value.length === 1 ? '?1' : '?s'
}

/** A text that can be compared with: PostgreSQL has no NUL in texts, and nothing equals unset. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0')

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= INT4

function conditionOf(model: ModelDef, path: unknown, operator: unknown): Plain | null {
  if (typeof path !== 'string' || typeof operator !== 'string' || path.length > LONGEST) return null
  const plain = plainValues(model, path, operator)
  if (!plain) return null
  let known = conditions.get(model)
  if (!known || known.size >= MOST_CONDITIONS) {
    known = new Map()
    conditions.set(model, known)
  }
  known.set(path, (known.get(path) ?? new Map()).set(operator, plain))
  return plain
}

/** What is known of a search. */
export const knownSearch = ({ key }: Asked): KnownSearch | undefined => searches.get(key)

/**
 * Remembers the plan of a search whose answer takes no code, `values` being what the whole way found: where
 * that is not what was asked, nothing is remembered.
 */
export function learn({ key, values: asked }: Asked, search: KnownSearch, values: Values | null): void {
  if (values && search.plan.rest.slow.length === 0 && isSame(asked, values.real)) searches.set(key, search)
}

/** Levels and values of what is told as JSON: who asks for more is not known again. */
const [MOST_LEVELS, MOST_VALUES] = [8, 200]

/** What a parameter holds as JSON; null for what is too much of it. */
export function jsonOf(value: unknown): string | null {
  return roomIn(value, MOST_VALUES, MOST_LEVELS) < 0 ? null : JSON.stringify(value)
}

/** How many more values there may be behind those in a value; below zero where it holds too many. */
function roomIn(value: unknown, room: number, levels: number): number {
  if (typeof value === 'string' && value.length > LONGEST) return -1
  if (typeof value !== 'object' || value === null) return room - 1
  if (levels === 0) return -1
  let left = room - 1
  for (const name in value) {
    if (left < 0 || name.length > LONGEST) return -1
    left = roomIn((value as Record<string, unknown>)[name], left, levels - 1)
  }
  return left
}

/** What is remembered of values with more rows than are read at once. */
export const manyOf = (values: readonly unknown[]): Many => ({ values, left: BELIEVED })

/** Whether there are believed to be more rows again. */
export const areMany = (many: Many | null | undefined, values: readonly unknown[]): boolean =>
  !!many && many.left-- > 0 && isSame(many.values, values)

/**
 * The answer to a search that is known; `many` where there are more rows than are read at once, `anew` where
 * its plan holds no more.
 */
export async function readKnown(
  env: Environment,
  search: KnownSearch,
  { values }: Asked,
): Promise<Rendered | 'many' | 'anew'> {
  const { plan, whole, many } = search
  // Rows that are read only to find that they are too many cost as much as those that are told.
  if (areMany(many, values)) return 'many'
  const statement = statementOf(plan, values)
  const { short } = plan.rest
  if (short) return (await written(env, statement, short, null, true))?.answer ?? 'anew'
  const [row] = await env.unit.run<[string, number]>(statement, true)
  if (!row) throw new Error('A list without a row.')
  const isMany = whole !== null && row[1] > whole
  search.many = isMany ? manyOf(values) : null
  if (isMany) return 'many'
  return whole === null ? new Rendered(row[0]) : new Listed(row[0], row[1])
}
