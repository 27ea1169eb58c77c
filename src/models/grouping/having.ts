// Conditions on groups: a domain whose fields are aggregates, `[["__count", ">", 1]]`.
import { InvalidValue } from '../../errors.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { isNothing } from '../../kit/nothing.ts'
import type { Sql } from '../../sql/index.ts'
import { and, FALSE, not, or, raw, sql, TRUE } from '../../sql/index.ts'
import { isEquality, isLimit, operandsOf, operators, type Positive, senseOf } from '../domain/operators.ts'
import { invalidCondition } from '../domain/refusal.ts'
import { anyValue } from '../domain/text.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf, Tree } from '../language/tree.ts'
import { aggregateSql, isList } from './aggregates.ts'
import { type AggregateSpec, parseAggregate } from './specs.ts'

/**
 * The condition, never NULL. Throws InvalidValue for fields without function, lists, unknown operators and
 * values of the wrong kind.
 */
export function compileHaving(scope: Scope, tree: Tree): Sql {
  switch (tree.type) {
    case 'always':
      return tree.value ? TRUE : FALSE
    case 'not':
      return not(compileHaving(scope, tree.child))
    case 'all':
      return and(tree.children.map((child) => compileHaving(scope, child)))
    case 'anyOf':
      return or(tree.children.map((child) => compileHaving(scope, child)))
    default:
      return condition(scope, tree)
  }
}

function condition(scope: Scope, leaf: Leaf): Sql {
  const aggregate = parseAggregate(scope.env, scope.model, leaf.path.join('.'))
  const type = typeOf(aggregate)
  if (!type) throw invalidCondition(leaf, 'lists are not compared')
  const { positive, negated } = senseOf(leaf.operator)
  // Reckoned for each group anew.
  scope.cost.costly()
  const value = aggregateSql(scope, aggregate)
  const matching = compare(value, type, positive, leaf)
  return negated ? not(matching) : matching
}

function compare(value: Sql, type: string, operator: Positive, leaf: Leaf): Sql {
  if (isEquality(operator)) {
    const operands = operandsOf(operator, leaf.value)
    const isUnset = (one: unknown) => one === false && type !== 'boolean'
    const wanted = operands.filter((one) => !isUnset(one)).map((one) => fit(one, type, leaf))
    return or([
      wanted.length ? sql`COALESCE(${anyValue(value, wanted, type)}, FALSE)` : FALSE,
      operands.some(isUnset) ? sql`${value} IS NULL` : FALSE,
    ])
  }
  if (!isLimit(operator) || type === 'boolean')
    throw invalidCondition(leaf, 'aggregates are compared by = != < <= > >= in and not in')
  return sql`COALESCE(${value} ${raw(operators[operator].sql)} ${fit(leaf.value, type, leaf)}::${raw(type)}, FALSE)`
}

/** The PostgreSQL type that an aggregate is compared as; null for lists. */
function typeOf({ field, func }: AggregateSpec): string | null {
  if (isList({ func })) return null
  if (func === 'bool_and' || func === 'bool_or') return 'boolean'
  if (!field || (func !== 'min' && func !== 'max')) return 'numeric'
  const types: Readonly<Record<string, string>> = {
    text: 'text',
    selection: 'text',
    reference: 'text',
    date: 'date',
    datetime: 'timestamp',
  }
  return types[field.type.comparison] ?? (field.type.operand ? field.type.columnType(field) : 'numeric')
}

function fit(value: unknown, type: string, leaf: Leaf): unknown {
  const fits: Readonly<Record<string, boolean>> = {
    numeric: typeof value === 'number',
    boolean: typeof value === 'boolean',
    text: typeof value === 'string',
    date: typeof value === 'string' && isDate(value),
    timestamp: typeof value === 'string' && isMoment(value),
  }
  if (!fits[type]) throw invalidCondition(leaf, `a value of type ${type} is expected on the right`)
  return value
}

/** The condition on groups from outside, or nothing. Throws InvalidValue. */
export function isHaving(value: unknown): value is unknown[] {
  if (isNothing(value)) return false
  if (!Array.isArray(value)) throw new InvalidValue('having must be a list of conditions')
  return value.length > 0
}
