// Domains made ready for memory: names, dotted paths and negations resolved into a few plain forms over facts
// about records.
import { isInteger, present } from '../../kit/present.ts'
import type { FieldDef, ModelDef, RelationDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToOne } from '../language/field-options.ts'
import { leaf as condition, type Leaf, type Tree } from '../language/tree.ts'
import { fieldNamed } from '../rights/judge.ts'
import { isTree, parentField, seedTree, textsIn } from './hierarchy.ts'
import { readInteger } from './number.ts'
import {
  type Definite,
  definite,
  type Hierarchy,
  invalidCondition,
  isHierarchy,
  isLimit,
  isPattern,
  operandsOf,
  operators,
  senseOf,
} from './operators.ts'
import { activeLines, displayNameDomain, matchesAll, searchOf } from './search-rule.ts'
import { partTest, type Test, testFor, textTest } from './tests.ts'

/** A domain in plain forms. `model` is that of the records it is asked about. */
export type Lowered =
  | { readonly type: 'always'; readonly value: boolean }
  | { readonly type: 'not'; readonly child: Lowered }
  | { readonly type: 'all'; readonly children: readonly Lowered[] }
  | { readonly type: 'anyOf'; readonly children: readonly Lowered[] }
  | Opaque
  | OwnValue
  | HasId
  | HasLine
  | Within

/** A condition that only the database decides. */
interface Opaque {
  readonly type: 'opaque'
  readonly leaf: Leaf
}

/**
 * The record's own value passes a test. `text`: the test is about how a number is printed, for which 0 and
 * unset differ.
 */
interface OwnValue {
  readonly type: 'value'
  readonly field: FieldDef
  readonly test: Test
  readonly text: boolean
}
/** The relation holds one of the ids; `any`: any id at all. */
interface HasId {
  readonly type: 'id'
  readonly field: FieldDef
  readonly ids: ReadonlySet<number>
  readonly any: boolean
}
/** A record of the relation satisfies a domain. */
interface HasLine {
  readonly type: 'line'
  readonly field: FieldDef
  readonly child: Lowered
}
/**
 * The record (`field` is the id) or one of the relation lies in the trees of the given ids and of those that
 * satisfy `named`.
 */
export interface Within {
  readonly type: 'within'
  readonly field: FieldDef
  readonly model: ModelDef
  readonly parent: FieldDef | null
  readonly direction: Hierarchy
  readonly ids: ReadonlySet<number>
  readonly named: Lowered | null
}

/**
 * The domain, prepared before if it needs that, in plain forms. Throws what compiling it throws, but does not
 * ask for rights on models.
 */
export function lower(env: Environment, model: ModelDef, tree: Tree): Lowered {
  switch (tree.type) {
    case 'always':
      return tree
    case 'not':
      return not(lower(env, model, tree.child))
    case 'leaf':
      return lowerLeaf(env, model, tree)
    default:
      return { type: tree.type, children: tree.children.map((child) => lower(env, model, child)) }
  }
}

const always = (value: boolean): Lowered => ({ type: 'always', value })
const not = (child: Lowered): Lowered => ({ type: 'not', child })

function lowerLeaf(env: Environment, model: ModelDef, leaf: Leaf): Lowered {
  const field = fieldNamed(env, model, leaf.path[0])
  if (leaf.path.length > 1 && field.comodel)
    return line(env, field, condition(leaf.path.slice(1), leaf.operator, leaf.value))
  const { positive: operator, negated } = senseOf(leaf.operator)
  if (operator === '=?' && !leaf.value) return always(!negated)
  const lowered = lowerPositive(env, model, field, definite(operator, leaf.value), leaf)
  return negated ? not(lowered) : lowered
}

function lowerPositive(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  operator: Definite,
  leaf: Leaf,
): Lowered {
  if (leaf.path.length > 1) {
    if (field.kind === 'date' || field.kind === 'datetime')
      return own(field, operator, partTest(env, field, operator, leaf))
    if (field.kind === 'properties') return { type: 'opaque', leaf }
    throw invalidCondition(leaf, `${field.name} is not a relational field`)
  }
  if (matchesAll(field, operator, leaf.value)) return always(true)
  if (searchOf(field)) throw invalidCondition(leaf, 'the field is searched by its own rule')
  if (isHierarchy(operator)) return within(env, model, field, operator, leaf)
  if (field.name === 'id' && operator === 'any') return lower(env, model, leaf.value as Tree)
  if (field.comodel) return relation(env, field, operator, leaf)
  if (operator === 'any') throw invalidCondition(leaf, 'the field is not a relational field')
  if (field.name !== 'display_name') return own(field, operator, testFor(env, field, operator, leaf))
  const tree = displayNameDomain(env, model, operator, leaf.value)
  return tree ? lower(env, model, tree) : own(field, operator, textTest(operator, leaf))
}

function own(field: FieldDef, operator: Definite, test: Test): OwnValue {
  return {
    type: 'value',
    field,
    test,
    text:
      isPattern(operator) &&
      field.name !== 'id' &&
      ['number', 'integerReference'].includes(field.type.comparison),
  }
}

function relation(env: Environment, field: RelationDef, operator: Definite, leaf: Leaf): Lowered {
  const named = (by: string, value: unknown) => line(env, field, condition(['display_name'], by, value))
  const set: HasId = { type: 'id', field, ids: new Set(), any: true }
  if (operator === 'any') return line(env, field, leaf.value as Tree)
  if (isPattern(operator)) {
    if (leaf.value !== '' && leaf.value !== false) return named(operator, leaf.value)
    return operators[operator].isWhole ? not(set) : set
  }
  if (isLimit(operator)) {
    if (!leadsToOne(field) || typeof leaf.value === 'string')
      throw invalidCondition(leaf, 'relational fields cannot be compared by order')
    if (leaf.value === false) return always(false)
    const number = readInteger(leaf.value, leaf)
    const { test } = operators[operator]
    return {
      type: 'value',
      field,
      text: false,
      test: (value) => typeof value === 'number' && test(value, number),
    }
  }
  const values = operandsOf(operator, leaf.value)
  if (values.includes(true)) throw invalidCondition(leaf, 'ids, names or false are expected on the right')
  const names = values.filter((value) => typeof value === 'string')
  const children: Lowered[] = [
    withId(env, field, new Set(values.filter((value) => typeof value === 'number'))),
  ]
  if (names.length) children.push(names.length > 1 ? named('in', names) : named('=', names[0]))
  if (values.includes(false)) children.push(not(set))
  return { type: 'anyOf', children }
}

/** Archived lines of a one2many are not compared with, where archived records are left out. */
function withId(env: Environment, field: FieldDef, ids: ReadonlySet<number>): Lowered {
  if (field.kind !== 'one2many' || !field.comodel?.active) return { type: 'id', field, ids, any: false }
  return line(env, field, condition(['id'], 'in', [...ids]))
}

function line(env: Environment, field: RelationDef, tree: Tree): HasLine {
  const model = field.comodel
  if (leadsToOne(field)) return { type: 'line', field, child: lower(env, model, tree) }
  const inside = env.withContext(field.options.context ?? {})
  return { type: 'line', field, child: lower(inside, model, activeLines(inside, model, tree)) }
}

function within(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  direction: Hierarchy,
  leaf: Leaf,
): Lowered {
  const { comodel } = field
  if (field.name !== 'id' && !comodel) throw invalidCondition(leaf, 'the field is not a relational field')
  const itself = field.name === 'id' || (leadsToOne(field) && comodel === model)
  const tree = itself ? model : present(comodel)
  const parent =
    itself && field.name !== 'id'
      ? field
      : field.kind === 'one2many' && comodel === model
        ? null
        : parentField(tree)
  const values = isTree(leaf.value) ? [] : [leaf.value].flat()
  if (values.includes(true)) throw invalidCondition(leaf, 'ids or names are expected on the right')
  const names = textsIn(values)
  const seeds = isTree(leaf.value) ? leaf.value : names.length ? seedTree([], names) : null
  return {
    type: 'within',
    field: itself ? fieldOf(model, 'id') : field,
    model: tree,
    parent,
    direction,
    // Loading asks for them: what no id can be must not get there.
    ids: new Set(
      values.filter((value): value is number => isInteger(value) && Math.abs(value) <= 2147483647),
    ),
    named: seeds && lower(env, tree, seeds),
  }
}

// Matching in memory: a domain in plain forms over facts about records, with the answers that SQL gives.

/** Values of records. Read only for what `gather` (read/filter.ts) loaded. */
export interface Facts {
  /**
   * A record's value: null where unset, many2ones as ids, x2manys as lists of ids, archived lines among them.
   */
  value(field: FieldDef, id: number): unknown
  /** All records of a model: for trees above records that are given by name. */
  all(model: ModelDef): Iterable<number>
}

/** Whether the record satisfies the domain. */
export function matches(domain: Lowered, facts: Facts, id: number): boolean {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not':
      return !matches(domain.child, facts, id)
    case 'all':
      return domain.children.every((child) => matches(child, facts, id))
    case 'anyOf':
      return domain.children.some((child) => matches(child, facts, id))
    case 'opaque':
      throw invalidCondition(domain.leaf, 'only the database can evaluate it')
    case 'value':
      return domain.test(valueIn(facts, domain.field, id))
    case 'id':
      return targets(facts, domain.field, id).some((target) => domain.any || domain.ids.has(target))
    case 'line':
      return targets(facts, domain.field, id).some((target) => matches(domain.child, facts, target))
    case 'within':
      return inTrees(domain, facts, id)
  }
}

const valueIn = (facts: Facts, field: FieldDef, id: number): unknown =>
  field.name === 'id' ? id : facts.value(field, id)

/** Ids of the targets of a relation; for the field `id`, the record itself. */
export function targets(facts: Facts, field: FieldDef, id: number): readonly number[] {
  const value = valueIn(facts, field, id)
  return Array.isArray(value) ? (value as number[]) : value ? [value as number] : []
}

function inTrees(domain: Within, facts: Facts, id: number): boolean {
  const { direction, ids, named, model } = domain
  const isSeed = (record: number) => ids.has(record) || (named !== null && matches(named, facts, record))
  if (direction === 'child_of')
    return targets(facts, domain.field, id).some((target) => chain(domain, facts, target).some(isSeed))
  const above = new Set([...ids].flatMap((seed) => chain(domain, facts, seed)))
  if (named)
    for (const record of facts.all(model))
      if (matches(named, facts, record))
        for (const ancestor of chain(domain, facts, record)) above.add(ancestor)
  return targets(facts, domain.field, id).some((target) => above.has(target))
}

/** The record and all above it. */
function chain({ parent }: Within, facts: Facts, from: number): number[] {
  const seen = new Set<number>()
  let current: unknown = from
  while (typeof current === 'number' && !seen.has(current)) {
    seen.add(current)
    current = parent ? facts.value(parent, current) : null
  }
  return [...seen]
}
