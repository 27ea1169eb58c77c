// Plans: statements made once for a shape of call and a caller's rights, and used again for calls that differ in values only.
import type { Sql, Statement } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'

/** Plans that are kept; those not used for the longest time go. */
const CAPACITY = 1000

/** Shapes described at greater length are not worth being kept: nobody asks for them often. */
const LONGEST_KEY = 6000

interface Plan<T> {
  readonly text: string
  readonly values: readonly unknown[]
  /** Where the call's own values stand among them. */
  readonly places: readonly number[]
  /** What else follows from the shape. */
  readonly rest: T
}

const plans = new Map<string, Plan<unknown>>()

/** Numbers for what keys are made of: rights, registries and users are snapshots, so what follows from one of them stays true. */
const serials = new WeakMap<object, number>()
let last = 0

function serial(object: object): number {
  const known = serials.get(object)
  if (known) return known
  serials.set(object, ++last)
  return last
}

/**
 * The statement for a shape, with the call's `values` in it; `make` makes it where it is not known. `shape` must say everything that text and
 * other values of the statement follow from, besides the caller; null: it cannot. Every one of `values` stands in the statement at most once.
 */
export function planned<T>(
  env: Environment,
  shape: string | null,
  values: readonly unknown[],
  make: () => { readonly statement: Sql; readonly rest: T },
): { readonly statement: Statement; readonly rest: T } {
  const key = shape === null ? null : callerKey(env, shape)
  const known = key === null ? undefined : (plans.get(key) as Plan<T> | undefined)
  if (known && key !== null) {
    plans.delete(key)
    plans.set(key, known)
    return { statement: { text: known.text, values: filled(known, values) }, rest: known.rest }
  }
  const { statement, rest } = make()
  const compiled = statement.compile()
  const places = key === null ? null : placesOf(compiled.values, values)
  if (key !== null && places) keep(key, { text: compiled.text, values: compiled.values, places, rest })
  return { statement: compiled, rest }
}

/** What a statement for a caller is known by; null for rules that change with the time of day. */
export function callerKey({ unit, user, context, su }: Environment, shape: string): string | null {
  if (unit.rights.timed) return null
  const key = `${serial(unit.registry)} ${serial(unit.rights)} ${serial(user)} ${su} ${JSON.stringify(context)} ${shape}`
  return key.length > LONGEST_KEY ? null : key
}

function filled(plan: Plan<unknown>, values: readonly unknown[]): unknown[] {
  const all = [...plan.values]
  for (let i = 0; i < values.length; i++) all[plan.places[i] as number] = values[i]
  return all
}

/** Where each value stands; null unless every one is found in one place only, for then nobody can tell which is which. */
function placesOf(all: readonly unknown[], values: readonly unknown[]): number[] | null {
  const places: number[] = []
  for (const value of values) {
    const found = all.flatMap((one, place) => (isSame(one, value) ? [place] : []))
    if (found.length !== 1) return null
    places.push(found[0] as number)
  }
  return new Set(places).size === places.length ? places : null
}

function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, i) => item === other[i])
}

function keep(key: string, plan: Plan<unknown>): void {
  if (plans.size >= CAPACITY) {
    const oldest = plans.keys().next()
    if (!oldest.done) plans.delete(oldest.value)
  }
  plans.set(key, plan)
}

/** Names of fields in a shape. */
export const fieldsShape = (fields: readonly FieldDef[]): string => fields.map((field) => field.name).join()

const INT4 = 2_147_483_647
const texts: ReadonlySet<string> = new Set(['char', 'text'])

/**
 * The shape of a domain, its values put into `values` in the order in which they stand in it. Null unless it is of plain conditions on columns,
 * whose text is the same for every value of one kind.
 */
export function domainShape(model: ModelDef, tree: Tree, values: unknown[]): string | null {
  if (tree.type === 'always') return tree.value ? '' : null
  if (tree.type === 'leaf') return leafShape(model, tree.path, tree.operator, tree.value, values)
  const children = tree.type === 'not' ? [tree.child] : tree.children
  const parts: string[] = []
  for (const child of children) {
    const part = child.type === 'always' ? null : domainShape(model, child, values)
    if (part === null) return null
    parts.push(part)
  }
  return `${tree.type}(${parts.join()})`
}

function leafShape(model: ModelDef, path: readonly string[], operator: string, value: unknown, values: unknown[]): string | null {
  const [name = '', ...rest] = path
  const field = model.fields.get(name)
  if (!field || (name !== 'id' && !field.column) || field.options.companyDependent) return null
  if (rest.length) {
    const below = field.kind === 'many2one' && field.comodel ? leafShape(field.comodel, rest, operator, value, values) : null
    return below && `${name}.${below}`
  }
  const kind = valueShape(field, operator, value, values)
  return kind && `${name} ${operator} ${kind}`
}

/** What stands for the value; the value as the statement has it goes into `values`. */
function valueShape(field: FieldDef, operator: string, value: unknown, values: unknown[]): string | null {
  const isPlain = texts.has(field.kind)
    ? isText
    : field.name === 'id' || field.kind === 'many2one' || field.kind === 'integer'
      ? isNumber
      : null
  switch (operator) {
    case '=':
    case '!=':
      if (field.kind === 'boolean') return typeof value === 'boolean' ? String(value) : null
      if (!isPlain?.(value) && !(field.kind === 'selection' && isText(value))) return null
      values.push(value)
      return '?'
    case 'in':
    case 'not in':
      // One value alone is compared in another way.
      if (!isPlain || !Array.isArray(value) || value.length < 2 || !value.every(isPlain)) return null
      values.push(value)
      return '?s'
    case 'like':
    case 'ilike':
      if (isPlain !== isText || !isText(value) || value.includes('\\')) return null
      values.push(`%${value}%`)
      return '?'
    default:
      return null
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isNumber = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) <= INT4
