// Questions by their form: where only parameters differ, nothing is parsed and no rights are judged anew. A
// form holds for the caller, context and models that it was learned for (row/plans.ts); questions without a
// form take the whole way.
import { limits } from '../../limits.ts'
import { isoDay, isoMoment, momentLimits } from '../domain/dates.ts'
import { areOptions, LONG, numberReader } from '../domain/index.ts'
import { CASELESS, operatorNamed } from '../domain/operators.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leaf } from '../language/tree.ts'
import { type Asked, callerKey } from '../row/plans.ts'
import { INT4, MOST, type Operand, operandOf } from './operands.ts'

/** Names of fields, and letters of one and of an order: who asks for more is not known again. */
const [MOST_NAMES, LONGEST] = [200, 200]
/** Conditions and operators of a domain. */
const MOST_ITEMS = 2 * MOST
/** Conditions that are remembered of a model. */
const MOST_CONDITIONS = 500

/** By model, path and operator: how values of conditions are read. */
const conditions = new WeakMap<ModelDef, Map<unknown, Map<unknown, Operand>>>()

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
  const form = formOf(env, model, domain ?? [], values)
  if (form === null) return null
  if (skipped) values.push(skipped)
  const key = callerKey(env, `${what} as asked ${model.name} ${form}`)
  return key === null ? null : { key, values }
}

/** Whether an order is one that is known again. */
export const isOrder = (order: unknown): boolean =>
  isNone(order) || (typeof order === 'string' && order.length <= LONGEST)

/** A count from outside, 0 for none; null for what is no count. */
export function countIn(value: unknown): number | null {
  if (value === null || value === undefined || value === false) return 0
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

/** Whether a value stands for nothing where an order or fields are expected. */
export const isNone = (value: unknown): boolean =>
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
function formOf(env: Environment, model: ModelDef, domain: unknown, values: unknown[]): string | null {
  if (!Array.isArray(domain) || domain.length > MOST_ITEMS) return null
  let [form, terms, letters, listed] = ['', 0, 0, 0]
  for (const item of domain) {
    if (item === '&' || item === '|' || item === '!') {
      form += item
      continue
    }
    if (!Array.isArray(item) || item.length !== 3) return null
    const [path, operator, value] = item as [unknown, unknown, unknown]
    const operand = conditions.get(model)?.get(path)?.get(operator) ?? conditionOf(model, path, operator)
    const word = operand && wordFor(env, operand, value, values)
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

/**
 * The word for a value in the form of its condition; what it is to the statement is put behind `values`. Null
 * for values by which the text may differ.
 */
export function wordFor(
  env: Environment,
  { kind, field, operator, positive, around, folds, options }: Operand,
  value: unknown,
  values: unknown[],
): string | null {
  // Nothing but the value itself says what such a condition comes to; and nothing else does.
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
      if (folds && !CASELESS.test(value)) word = 'a'
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

/** One value is compared in another way than several. */
function wordForList(value: unknown, isPlain: (one: unknown) => boolean, values: unknown[]): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONG || !value.every(isPlain)) return null
  values.push(value.length === 1 ? value[0] : value)
  return value.length === 1 ? '?1' : '?s'
}

/** A text that can be compared with: PostgreSQL has no NUL in texts, and nothing equals unset. */
export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !value.includes('\0')

const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= INT4

const isId = (value: unknown): value is number => isWhole(value) && value > 0

/** The operand of a condition as it was given; null where the whole way refuses it. */
function conditionOf(model: ModelDef, path: unknown, operator: unknown): Operand | null {
  if (typeof path !== 'string' || typeof operator !== 'string' || path.length > LONGEST) return null
  let [here, field]: [ModelDef | undefined, FieldDef | undefined] = [model, undefined]
  for (const name of path.split('.')) {
    field = here?.fields.get(name)
    here = field?.comodel
  }
  if (!field || operatorNamed(operator) !== operator) return null
  const operand = operandOf(field, operator)
  let known = conditions.get(model)
  if (!known || known.size >= MOST_CONDITIONS) {
    known = new Map()
    conditions.set(model, known)
  }
  known.set(path, (known.get(path) ?? new Map()).set(operator, operand))
  return operand
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
