// Shapes of domains: what the text of a condition follows from, without the values that only stand in it.

import { isInteger, present } from '../../kit/present.ts'
import { isoDay, isoMoment, momentLimits } from '../domain/dates.ts'
import { displayNameDomain } from '../domain/display-name.ts'
import { areOptions, isTree, LONG, numberReader, optionsOf, searchOf, senseOf } from '../domain/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { eachLeaf, type Leaf, leaf, type Tree } from '../language/tree.ts'
// Not by the entry: its declarations are public, and these name luxon's types.
import type { Values } from '../row/plans.ts'

/** How values of a kind stand in a statement. */
interface Kind {
  /** The n-th stand-in for a value: one that no other place of the statement holds. */
  mark(n: number): unknown
  /** What the statement holds for a value. */
  values(env: Environment, condition: Leaf, field: FieldDef): readonly unknown[]
}

interface Slot {
  readonly condition: Leaf
  readonly field: FieldDef
  readonly kind: Kind
}

/** What a plan is known by, and what is filled into it. */
export interface DomainShape {
  readonly shape: string
  readonly values: Values
  /** The domain with `marks` in the place of its values. */
  marked(): Tree
}

/**
 * Conditions of a domain that a plan is kept for: nobody asks the same of more, and many of a kind are
 * compiled as one.
 */
export const MOST = 50

/** The largest id, and the largest whole number of a column. */
export const INT4 = 2_147_483_647
const MARK = 2_000_000_000
const DAY = 86_400_000

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isWhole = (value: unknown): value is number => isInteger(value) && value <= INT4 && value >= -INT4
const isId = (value: unknown): value is number => isWhole(value) && value > 0
const isNumber = (value: unknown): value is number => Number.isFinite(value)
const textMark = (n: number): string => `\u2063${n}\u2063`
const dayMark = (n: number): string => new Date(n * DAY - 1e13).toISOString().slice(0, 10)

const asGiven = (mark: Kind['mark']): Kind => ({ mark, values: (_env, { value }) => [value] })
const text = asGiven(textMark)
const texts = asGiven((n) => [textMark(n), textMark(n + 0.5)])
const oneText: Kind = { mark: (n) => [textMark(n)], values: (_env, { value }) => [(value as unknown[])[0]] }
const whole = asGiven((n) => MARK + n)
const below = asGiven((n) => -MARK - n)
const wholes = asGiven((n) => [MARK + n, -MARK - n])
const oneWhole: Kind = { mark: (n) => [MARK + n], values: (_env, { value }) => [(value as unknown[])[0]] }
const pattern: Kind = { mark: textMark, values: (_env, { value }) => [`%${value}%`] }
const read: Kind['values'] = (_env, condition, field) => [numberReader(field)(condition.value, condition)]
const number: Kind = { mark: (n) => MARK + n, values: read }
const negative: Kind = { mark: (n) => -MARK - n, values: read }
const day: Kind = { mark: dayMark, values: (_env, { value }) => [isoDay(value)] }
const moment: Kind = {
  mark: dayMark,
  values: (env, condition) => momentLimits(env, senseOf(condition.operator).positive, condition),
}

/** Further values of a call behind others, with marks of their own. */
export function withValues(
  values: Values,
  ...more: readonly (readonly [value: unknown, mark: unknown])[]
): Values {
  if (more.length === 0) return values
  return {
    ...values,
    real: [...values.real, ...more.map(([value]) => value)],
    marks: () => [...values.marks(), ...more.map(([, mark]) => mark)],
  }
}

/** No values of a call at all. */
const NO_VALUES: Values = { real: [], marks: () => [] }

/** Stands for ids of records where a plan is made. */
export const IDS_MARK = [1_999_999_998, 1_999_999_997]

/** The ids of a call that gives no other values. */
export const idsValues = (ids: readonly number[]): Values => withValues(NO_VALUES, [ids, IDS_MARK])

/**
 * The shape of a domain, already prepared; null where its text may differ for other values, or follows from
 * the clock.
 */
export function domainShape(env: Environment, model: ModelDef, tree: Tree): DomainShape | null {
  const slots: Slot[] = []
  const shape = treeShape(env, model, tree, slots)
  if (shape === null || slots.length > MOST) return null
  const real = slots.flatMap(({ kind, condition, field }) => kind.values(env, condition, field))
  const marks = () =>
    slots.flatMap(({ kind, condition, field }, n) =>
      kind.values(env, leaf(condition.path, condition.operator, kind.mark(n)), field),
    )
  return {
    shape,
    values: { real, marks },
    marked: () => marked(tree, new Map(slots.map((slot, n) => [slot.condition, slot.kind.mark(n)]))),
  }
}

const marked = (tree: Tree, marks: ReadonlyMap<Leaf, unknown>): Tree =>
  eachLeaf(tree, (one) => {
    if (isTree(one.value)) return leaf(one.path, one.operator, marked(one.value, marks))
    return marks.has(one) ? leaf(one.path, one.operator, marks.get(one)) : one
  })

function treeShape(env: Environment, model: ModelDef, tree: Tree, slots: Slot[]): string | null {
  switch (tree.type) {
    case 'always':
      return String(tree.value)
    case 'leaf':
      return leafShape(env, model, tree.path, tree, slots)
    default: {
      const children = tree.type === 'not' ? [tree.child] : tree.children
      let parts = `${tree.type}(`
      for (const child of children) {
        const part = treeShape(env, model, child, slots)
        if (part === null) return null
        parts += `${part},`
      }
      return `${parts})`
    }
  }
}

function leafShape(
  env: Environment,
  model: ModelDef,
  path: readonly string[],
  condition: Leaf,
  slots: Slot[],
): string | null {
  const name = present(path[0])
  const field = model.fields.get(name)
  if (field?.name === 'display_name' && path.length === 1)
    return nameShape(env, model, field, condition, slots)
  if (!field || searchOf(field) || field.options.companyDependent) return null
  const lines = field.comodel !== undefined && !leadsToOne(field)
  if (
    lines ? !field.stored || field.compute !== null || field.related !== null : name !== 'id' && !field.column
  )
    return null
  if (path.length > 1) {
    const rest = field.comodel ? leafShape(env, field.comodel, path.slice(1), condition, slots) : null
    return rest && `${name}.${rest}`
  }
  const { operator, value } = condition
  if (isTree(value)) {
    const inside = field.comodel ?? (name === 'id' ? model : undefined)
    const part = inside && operator.endsWith('any') ? treeShape(env, inside, value, slots) : null
    return part && `${name} ${operator}(${part})`
  }
  // Nothing but the value itself says what such a condition comes to; and nothing else does.
  if (value === false || value === true || ((value === 0 || value === '') && !isTime(field)))
    return `${name} ${operator} ${JSON.stringify(value)}`
  if (namesOptions(field, operator, value)) return `${name} ${operator} ${JSON.stringify(value)}`
  const kind = kindOf(env, field, operator, value)
  if (!kind) return null
  slots.push({ condition, field, kind: kind[1] })
  return `${name} ${operator} ${kind[0]}`
}

/** Kinds of which all fields that name a record have the same value. */
const named: ReadonlySet<Kind> = new Set([text, texts, oneText, pattern])

/** A condition on the name: the same one on each of the fields that name a record. */
function nameShape(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  condition: Leaf,
  slots: Slot[],
): string | null {
  const { operator, value } = condition
  const isPlain = isText(value) || (Array.isArray(value) && value.every(isText))
  const { positive } = senseOf(operator)
  const tree = isPlain && !searchOf(field) ? displayNameDomain(env, model, positive, value) : null
  if (!tree) return null
  const own: Slot[] = []
  const shape = treeShape(env, model, tree, own)
  const [first] = own
  const leaves = tree.type === 'anyOf' ? tree.children.length : 1
  if (!shape || !first || own.length < leaves) return null
  if (!own.every(({ kind }) => kind === first.kind && named.has(kind))) return null
  slots.push({ condition, field, kind: first.kind })
  return `${field.name} ${operator}(${shape})`
}

/** Whether a condition has its value in its text: options of a selection. */
function namesOptions(field: FieldDef, operator: string, value: unknown): boolean {
  const options = optionsOf(field)
  if (!options) return false
  const { positive } = senseOf(operator)
  if (positive === 'in') return Array.isArray(value) && areOptions(value, options)
  return (positive === '=' || positive === '=?') && areOptions([value], options)
}

const isTime = (field: FieldDef): boolean => field.kind === 'date' || field.kind === 'datetime'

/** How a condition on a column holds its value, and a word for it; null for values that change the text. */
function kindOf(
  env: Environment,
  field: FieldDef,
  operator: string,
  value: unknown,
): readonly [string, Kind] | null {
  const { positive } = senseOf(operator)
  if (positive === 'in') return listKind(field, value)
  const sense = positive === '=?' ? '=' : positive
  if (sense.endsWith('_of')) {
    if (field.name !== 'id' && !field.comodel) return null
    return Array.isArray(value) ? listKind(field, value) : isId(value) ? ['?', whole] : null
  }
  switch (field.kind) {
    case 'char':
    case 'text':
    case 'html':
    case 'selection':
      if (!isText(value)) return null
      if (!sense.endsWith('like')) return ['?', text]
      if (value.includes('\\')) return null
      return ['?', sense[0] === '=' ? text : pattern]
    case 'many2one':
    case 'one2many':
    case 'many2many':
      if (!isId(value) || sense.endsWith('like')) return null
      return sense === '=' || leadsToOne(field) ? ['?', whole] : null
    case 'integer':
      if (!isWhole(value) || sense.endsWith('like')) return null
      if (field.name !== 'id' || value > 0) return value > 0 ? ['+', whole] : ['-', below]
      return null
    case 'float':
    case 'monetary':
      if (
        !isNumber(value) ||
        sense.endsWith('like') ||
        numberReader(field)(value, leaf([field.name], operator, value)) === 0
      )
        return null
      return value > 0 ? ['+', number] : ['-', negative]
    case 'date':
      return isoDay(value) !== null && !sense.endsWith('like') ? ['?', day] : null
    case 'datetime':
      return isoMoment(env, value) !== null && !sense.endsWith('like') ? ['?', moment] : null
    default:
      return null
  }
}

/** Lists: one value is compared in another way than several, and these than many. */
function listKind(field: FieldDef, value: unknown): readonly [string, Kind] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONG) return null
  const isTexts = field.kind === 'char' || field.kind === 'text' || field.kind === 'selection'
  if (isTexts) return value.every(isText) ? (value.length > 1 ? ['?s', texts] : ['?1', oneText]) : null
  if (field.kind !== 'integer' && !field.comodel) return null
  return value.every(isId) ? (value.length > 1 ? ['?s', wholes] : ['?1', oneWhole]) : null
}
