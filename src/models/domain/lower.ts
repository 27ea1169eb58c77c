// Domains made ready for memory: names and negations resolved into a few plain forms over a record's own
// values.
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Leaf, Tree } from '../language/tree.ts'
import { fieldNamed } from '../rights/judge.ts'
import {
  type Definite,
  definite,
  invalidCondition,
  isEquality,
  isHierarchy,
  isPattern,
  operandsOf,
  operators,
  senseOf,
} from './operators.ts'
import { displayNameDomain, matchesAll } from './search-rule.ts'
import { type Test, testFor, textTest } from './tests.ts'

export type Lowered =
  | { readonly type: 'always'; readonly value: boolean }
  | { readonly type: 'not'; readonly child: Lowered }
  | { readonly type: 'all'; readonly children: readonly Lowered[] }
  | { readonly type: 'anyOf'; readonly children: readonly Lowered[] }
  | Opaque
  | OwnValue
  | HasId

/** A condition that only the database decides: on properties, parts of dates, trees and related records. */
export interface Opaque {
  readonly type: 'opaque'
  readonly leaf: Leaf
}

/** The record's own value passes a test. `text`: of a printed number, where 0 and unset differ. */
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
/** A prepared domain in plain forms. Throws as compiling it, but asks for no rights on models. */
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
  if (leaf.path.length > 1 && field.comodel) return { type: 'opaque', leaf }
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
    if (!['date', 'datetime', 'properties'].includes(field.kind))
      throw invalidCondition(leaf, `${field.name} is not a relational field`)
    return { type: 'opaque', leaf }
  }
  if (matchesAll(field, operator, leaf.value)) return always(true)
  if (field.search) throw invalidCondition(leaf, 'the field is searched by its own rule')
  if (isHierarchy(operator)) return { type: 'opaque', leaf }
  if (field.name === 'id' && operator === 'any') return lower(env, model, leaf.value as Tree)
  if (field.comodel) return relation(field, operator, leaf)
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

/** A condition on a relation that its ids decide; archived lines of a one2many may have to be left out. */
function relation(field: FieldDef, operator: Definite, leaf: Leaf): Lowered {
  const set: HasId = { type: 'id', field, ids: new Set(), any: true }
  if (isPattern(operator) && (leaf.value === '' || leaf.value === false))
    return operators[operator].isWhole ? not(set) : set
  const values = isEquality(operator) ? operandsOf(operator, leaf.value) : [null]
  const ids = values.filter((value) => typeof value === 'number')
  if ((ids.length && field.kind === 'one2many' && field.comodel?.active) || !values.every(isIdOrUnset))
    return { type: 'opaque', leaf }
  const children: Lowered[] = [{ type: 'id', field, ids: new Set(ids), any: false }]
  if (values.includes(false)) children.push(not(set))
  return { type: 'anyOf', children }
}

const isIdOrUnset = (value: unknown): boolean => typeof value === 'number' || value === false

// Matching in memory: a domain in plain forms over facts about records, with the answers that SQL gives.

/** A record's value: null if unset, many2ones as ids, x2manys as ids with archived lines. */
export type Facts = (field: FieldDef, id: number) => unknown

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
  }
}

const valueIn = (facts: Facts, field: FieldDef, id: number): unknown =>
  field.name === 'id' ? id : facts(field, id)

/** For the field `id`, the record itself. */
export function targets(facts: Facts, field: FieldDef, id: number): Ids {
  const value = valueIn(facts, field, id)
  return Array.isArray(value) ? (value as number[]) : value ? [value as number] : []
}
