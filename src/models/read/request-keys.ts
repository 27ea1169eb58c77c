// Keys of requests: the key and the values of a cached plan, from the parameters as they came. A request with
// a cached plan is neither parsed nor authorized again: a key stands for the caller, context and models that
// the plan was composed for (row/plans.ts). Requests without a key take the general path.
import { limits } from '../../limits.ts'
import { isoDay, isoMoment, momentLimits } from '../domain/dates.ts'
import { areOptions, LONG, numberReader } from '../domain/index.ts'
import { CASELESS, NO_TRIGRAM, operatorNamed } from '../domain/operators.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment, Typed } from '../language/environment.ts'
import { leaf } from '../language/tree.ts'
import { callerKey, type RequestKey } from '../row/plans.ts'
import { INT4, MOST, type Operand, operandReader } from './operands.ts'
import { CLASSIC } from './selection.ts'
import { isShort, TOGETHER } from './short/form.ts'

/** Names of fields; characters of a name, path or order; nested levels and values of JSON. */
const [MOST_NAMES, LONGEST, MOST_LEVELS, MOST_VALUES] = [200, 200, 8, 200]
/** Conditions and operators of a domain. */
const MOST_ITEMS = 2 * MOST
const MOST_CONDITIONS = 500

const conditions = new WeakMap<ModelDef, Map<unknown, Map<unknown, Operand>>>()

/**
 * The key of a request about the records of a domain; null if the domain has no shape. `what` names the
 * operation and contains, as JSON, everything else that the statement follows from. An offset comes after the
 * values of the domain.
 */
export function domainKey(
  env: Environment,
  model: ModelDef,
  domain: unknown,
  what: string,
  offset = 0,
): RequestKey | null {
  if (env.unit.recomputation.pending.size) return null
  const values: unknown[] = []
  const shape = shapeOf(env, model, domain ?? [], values)
  if (shape === null) return null
  if (offset) values.push(offset)
  const key = callerKey(env, `${what} of request ${model.name} ${shape}`)
  return key === null ? null : { key, values }
}

/** The key of a request about records by their ids, which are its value. */
export function idsKey(env: Environment, model: ModelDef, ids: Ids, what: string): RequestKey | null {
  if (
    !isShort(ids.length) ||
    env.unit.recomputation.pending.size ||
    (ids.length > 1 && new Set(ids).size < ids.length)
  )
    return null
  const key = callerKey(env, `${what} of request ${ids.length >= TOGETHER} ${model.name}`)
  return key === null ? null : { key, values: [ids] }
}

export function pageKey(
  env: Environment,
  model: ModelDef,
  params: Record<string, unknown>,
  typed: Typed | null,
): RequestKey | null {
  const { domain, specification, order } = params
  const [limit, offset, most] = [params.limit, params.offset, params.count_limit].map(countIn)
  if (!isShort(limit) || offset == null || most == null || !isOrder(order)) return null
  const fields = canonicalJson(specification)
  if (fields === null) return null
  const rest = JSON.stringify([order || null, limit, offset ? lastRowOf(limit, offset) : 0, most, typed])
  return domainKey(env, model, domain, `web_search_read [${fields},${rest}]`, offset)
}

export function specifiedKey(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  specification: unknown,
  typed: Typed | null,
): RequestKey | null {
  const fields = canonicalJson(specification)
  return fields === null ? null : idsKey(env, model, ids, `web_read [${fields},${JSON.stringify(typed)}]`)
}

export function readKey(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  { fields, load }: Record<string, unknown>,
  typed: Typed | null,
): RequestKey | null {
  if (!areNames(fields)) return null
  return idsKey(env, model, ids, `read ${JSON.stringify([fields, load === CLASSIC, typed])}`)
}

export const isOrder = (order: unknown): boolean =>
  isNone(order) || (typeof order === 'string' && order.length <= LONGEST)

/** A count given by a client, 0 for none; null for anything else. */
export function countIn(value: unknown): number | null {
  if (value === null || value === undefined || value === false) return 0
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

/**
 * A round number of rows within which a window ends; null for one without a limit. For an unknown offset
 * PostgreSQL assumes a tenth of all rows, so it would plan each call anew; a tenth of few rows is few.
 */
export function lastRowOf(limit: unknown, offset: unknown): number | null {
  const rows = countIn(limit)
  return rows ? 2 ** Math.min(62, Math.max(8, Math.ceil(Math.log2(rows + (countIn(offset) ?? 0))))) : null
}

export const isNone = (value: unknown): boolean =>
  value === null || value === undefined || value === false || value === ''

/** Whether a parameter is a list of names of fields that may be part of a key. */
export function areNames(names: unknown): boolean {
  if (!Array.isArray(names) || names.length > Math.min(MOST_NAMES, limits.fields)) return false
  for (const name of names) if (typeof name !== 'string' || name.length > LONGEST) return false
  return true
}

/**
 * The shape of a domain: the domain without its values, which are appended to `values` and checked as
 * domain/parse.ts does; null for domains whose statement follows from the values too.
 */
function shapeOf(env: Environment, model: ModelDef, domain: unknown, values: unknown[]): string | null {
  if (!Array.isArray(domain) || domain.length > MOST_ITEMS) return null
  let [shape, terms, letters, listed] = ['', 0, 0, 0]
  for (const item of domain) {
    if (item === '&' || item === '|' || item === '!') {
      shape += item
      continue
    }
    if (!Array.isArray(item) || item.length !== 3) return null
    const [path, operator, value] = item as [unknown, unknown, unknown]
    const operand = conditions.get(model)?.get(path)?.get(operator) ?? conditionOf(model, path, operator)
    const word = operand && wordFor(env, operand, value, values)
    if (!word) return null
    shape += `${path} ${operator} ${word};`
    terms++
    if (typeof value === 'string') letters += value.length
    else if (Array.isArray(value)) {
      listed += value.length
      for (const element of value) if (typeof element === 'string') letters += element.length
    }
  }
  return terms > limits.terms || letters > limits.compared || listed > limits.list ? null : shape
}

/**
 * The word that stands for a value in the shape of its condition; the parameters of the statement are
 * appended to `values`. Null for values that the text of the statement may follow from.
 */
export function wordFor(
  env: Environment,
  { kind, field, operator, positive, around, folds, options }: Operand,
  value: unknown,
  values: unknown[],
): string | null {
  // The condition follows from such a value alone, so the value is its own word.
  if (value === true || value === false || value === 0 || value === '') return JSON.stringify(value)
  if (options) {
    const all = Array.isArray(value) ? value : [value]
    if (all.length > MOST) return null
    if (areOptions(all, options)) return JSON.stringify(value)
  }
  let [parameter, word]: [unknown, string] = [value, '?']
  switch (kind) {
    case 'text':
      if (!isText(value)) return null
      break
    case 'pattern':
      if (!isText(value) || value.length > limits.pattern || value.includes('\\')) return null
      parameter = around.join(value)
      // As `keywordOf` (domain/text.ts) compares them.
      if (folds && !CASELESS.test(value)) word = 'a'
      else if (NO_TRIGRAM.test(String(parameter))) word = 's'
      break
    case 'texts':
      return wordForList(value, isText, values)
    case 'ids':
      return wordForList(value, isId, values)
    case 'tree':
      if (Array.isArray(value)) return wordForList(value, isId, values)
      if (!isId(value)) return null
      break
    case 'id':
      if (!isId(value)) return null
      break
    case 'integer':
      if (!isWhole(value) || (field.name === 'id' && value < 0)) return null
      word = value > 0 ? '+' : '-'
      break
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return null
      parameter = numberReader(field)(value, leaf([field.name], operator, value))
      if (parameter === 0) return null
      word = value > 0 ? '+' : '-'
      break
    case 'day':
      parameter = isoDay(value)
      if (parameter === null) return null
      break
    case 'moment':
      if (isoMoment(env, value) === null) return null
      values.push(...momentLimits(env, positive, leaf([field.name], operator, value)))
      return '?'
    case 'literal':
      return null
  }
  values.push(parameter)
  return word
}

/** A single value is compared in another way than several. */
function wordForList(
  value: unknown,
  isPlain: (element: unknown) => boolean,
  values: unknown[],
): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONG || !value.every(isPlain)) return null
  values.push(value.length === 1 ? value[0] : value)
  return value.length === 1 ? '?1' : '?s'
}

/** A text that PostgreSQL can compare: it has no NUL in texts, and nothing equals unset. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0')

const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= INT4

const isId = (value: unknown): value is number => isWhole(value) && value > 0

/** The operand of a condition; null if parsing the domain would refuse it. */
function conditionOf(model: ModelDef, path: unknown, operator: unknown): Operand | null {
  if (typeof path !== 'string' || typeof operator !== 'string' || path.length > LONGEST) return null
  let [target, field]: [ModelDef | undefined, FieldDef | undefined] = [model, undefined]
  for (const name of path.split('.')) {
    field = target?.fields.get(name)
    target = field?.comodel
  }
  if (!field || operatorNamed(operator) !== operator) return null
  const operand = operandReader(field, operator)
  let cached = conditions.get(model)
  if (!cached || cached.size >= MOST_CONDITIONS) {
    cached = new Map()
    conditions.set(model, cached)
  }
  cached.set(path, (cached.get(path) ?? new Map()).set(operator, operand))
  return operand
}

/** A parameter as JSON; null if it is too large for a key. */
export function canonicalJson(value: unknown): string | null {
  return roomAfter(value, MOST_VALUES, MOST_LEVELS) < 0 ? null : JSON.stringify(value)
}

/** The number of values that remain of `room` after those in `value`; negative if it has too many. */
function roomAfter(value: unknown, room: number, levels: number): number {
  if (typeof value === 'string' && value.length > LONGEST) return -1
  if (typeof value !== 'object' || value === null) return room - 1
  if (levels === 0) return -1
  let left = room - 1
  for (const name in value) {
    if (left < 0 || name.length > LONGEST) return -1
    left = roomAfter((value as Record<string, unknown>)[name], left, levels - 1)
  }
  return left
}
