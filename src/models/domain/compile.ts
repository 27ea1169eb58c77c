// Compiling of domains: a tree over a model's row becomes a boolean SQL expression that is never NULL.

import { and, cheapFirst, FALSE, not, ofNow, or, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Scope } from '../language/scope.ts'
import { leaf as condition, type Leaf, type Tree } from '../language/tree.ts'
import { fieldNamed } from '../rights/judge.ts'
import { compareDate, compareDatePart, compareMoment, compareOrdered, dateWordsIn } from './dates.ts'
import { comparePresence, compareProperty, expressionOf, ofCompany } from './field-sql.ts'
import { compareHierarchy } from './hierarchy.ts'
import { mergedAll, mergedAny } from './merge.ts'
import { compareBoolean, compareId, compareNumber } from './number.ts'
import {
  type Compared,
  type Definite,
  definite,
  invalidCondition,
  isHierarchy,
  isPattern,
  type Positive,
  senseOf,
} from './operators.ts'
import { compareRelation, related } from './relation.ts'
import { displayNameDomain, matchesAll, namingFields, searched } from './search-rule.ts'
import { compareKey, compareText } from './text.ts'

/**
 * The domain as SQL over the scope's row, for the scope's environment. Render `scope.from()` after it:
 * conditions may join. Throws InvalidValue for what does not fit the model, AccessError for fields and models
 * that are not the user's to see, PayloadTooLarge for too many steps and costly conditions.
 */
export function compileDomain(scope: Scope, tree: Tree): Sql {
  switch (tree.type) {
    case 'always':
      return tree.value ? TRUE : FALSE
    case 'not':
      return not(compileDomain(scope, tree.child))
    case 'all':
      return and(cheapFirst(mergedAll(scope, tree.children).map((child) => compileDomain(scope, child))))
    case 'anyOf':
      return or(cheapFirst(mergedAny(scope, tree.children).map((child) => compileDomain(scope, child))))
    case 'leaf':
      return compileLeaf(scope, tree)
  }
}

function compileLeaf(scope: Scope, leaf: Leaf): Sql {
  const field = fieldNamed(scope.env, scope.model, leaf.path[0])
  if (leaf.path.length > 1 && field.comodel) {
    // A negative operator at the end of a path is about the related record: one must exist.
    return related(scope, field, condition(leaf.path.slice(1), leaf.operator, leaf.value), leaf)
  }
  const { positive, negated } = senseOf(leaf.operator)
  const costly = costOf(field, positive, leaf)
  if (costly) scope.cost.costly(costly)
  if (Array.isArray(leaf.value)) scope.cost.list(leaf.value.length)
  if (leaf.path.length > 1 && field.kind === 'properties') return compareProperty(scope, field, leaf)
  const isOpen = positive === '=?' && !leaf.value
  const compared = isOpen ? TRUE : compare(scope, field, definite(positive, leaf.value), leaf)
  return negated ? not(compared) : compared
}

/** Patterns of a list that cost as much as a condition: the text is read once for all of them. */
const PATTERNS = 8

/**
 * The number of costly conditions (row/scope.ts) that a condition counts as: those that need more than
 * a column, in PostgreSQL row by row or here.
 */
function costOf(field: FieldDef, operator: Positive, { path, value }: Leaf): number {
  // Relations, rules of search and names are made of other conditions, which count themselves.
  if (
    field.comodel ||
    (path.length === 1 &&
      (field.search || (field.name === 'display_name' && namingFields(field.model).length)))
  )
    return 0
  if (isPattern(operator)) return Array.isArray(value) ? Math.ceil(value.length / PATTERNS) : 1
  if (field.kind === 'properties') return Array.isArray(value) ? value.length : 1
  const { comparison } = field.type
  const plain =
    path.length === 1 &&
    (field.name === 'id' || field.column) &&
    !field.translate &&
    !field.options.companyDependent
  const isDate = path.length === 1 && (comparison === 'date' || comparison === 'datetime')
  return (plain ? 0 : 1) + (isDate ? dateWordsIn(value, comparison === 'datetime') : 0)
}

function compare(scope: Scope, field: FieldDef, operator: Definite, leaf: Leaf): Sql {
  if (leaf.path.length > 1) {
    if (field.kind === 'date' || field.kind === 'datetime') {
      return compareDatePart(scope.env, field, expressionOf(scope, field, leaf), operator, leaf)
    }
    throw invalidCondition(leaf, `${field.name} is not a relational field`)
  }
  if (matchesAll(field, operator, leaf.value)) return TRUE
  if (field.search) return bySearchRule(scope, field, operator, leaf)
  if (isHierarchy(operator)) return compareHierarchy(scope, field, operator, leaf)
  if (field.name === 'id')
    return operator === 'any' ? compileDomain(scope, leaf.value as Tree) : compareId(scope.id, operator, leaf)
  if (field.comodel) return compareRelation(scope, field, operator, leaf)
  if (operator === 'any') throw invalidCondition(leaf, 'the field is not a relational field')
  if (field.name === 'display_name') return compareName(scope, field, operator, leaf)
  return compareValue(scope, field, operator, leaf)
}

/** Search rules that need queries are replaced beforehand (`prepareDomain`); the others are asked here. */
function bySearchRule(scope: Scope, field: FieldDef, operator: Definite, leaf: Leaf): Sql {
  const tree = searched(scope.env, field, operator, leaf)
  if (!(tree instanceof Promise)) return compileDomain(scope, tree)
  tree.catch(() => undefined)
  throw invalidCondition(leaf, 'a condition on this field needs a separate query, which is not possible here')
}

function compareName(scope: Scope, field: FieldDef, operator: Compared, leaf: Leaf): Sql {
  const tree = displayNameDomain(scope.env, scope.model, operator, leaf.value)
  return tree
    ? compileDomain(scope, tree)
    : compareText(field, expressionOf(scope, field, leaf), operator, leaf)
}

function compareValue(scope: Scope, field: FieldDef, operator: Compared, leaf: Leaf): Sql {
  const { comparison } = field.type
  if (comparison === 'presence') return comparePresence(scope, field, operator, leaf)
  const value = expressionOf(scope, field, leaf)
  switch (comparison) {
    case 'text':
      return and([ofCompany(scope, field, operator, leaf), compareText(field, value, operator, leaf)])
    case 'selection':
    case 'reference':
      return compareKey(field, value, operator, leaf)
    case 'number':
    case 'integerReference':
      return compareNumber(field, value, operator, leaf)
    case 'boolean':
      return compareBoolean(value, operator, leaf)
    case 'date':
    case 'datetime': {
      const compared = (comparison === 'date' ? compareDate : compareMoment)(scope.env, value, operator, leaf)
      return !isPattern(operator) && dateWordsIn(leaf.value, false) ? ofNow(compared) : compared
    }
    case 'ordered':
      return compareOrdered(field, value, operator, leaf)
    default:
      if (operator === '=' && leaf.value === false) return sql`${value} IS NULL`
      throw invalidCondition(leaf, `${field.kind} fields can only be compared with false`)
  }
}
