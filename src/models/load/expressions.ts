// A field as a column of a statement that loads it.
import { Recent } from '../../kit/recent.ts'
import { type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToMany } from '../language/relations.ts'
import type { Scope } from '../language/scope.ts'
import { callerNumber } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { linkedIdsSql } from './links.ts'

/** Null for values that need code. */
export function expressionOrNull(scope: Scope, field: FieldDef): Sql | null {
  if (leadsToMany(field)) {
    const links = linkedIdsSql(scope, field)
    return links && sql`ARRAY(${links})`
  }
  return scope.value(field)
}

/** Callers whose answers are kept. */
const MOST_CALLERS = 500

/** By caller: whether fields that no column holds have an expression. */
const answers = new Recent<number, WeakMap<FieldDef, boolean>>(MOST_CALLERS)

/** Whether a field has an expression, for who asks. */
export function hasExpression(env: Environment, field: FieldDef): boolean {
  if (field.column) return true
  const caller = callerNumber(env)
  const answersOfCaller =
    caller === null ? undefined : (answers.get(caller) ?? new WeakMap<FieldDef, boolean>())
  const cachedAnswer = answersOfCaller?.get(field)
  if (cachedAnswer !== undefined) return cachedAnswer
  const has = expressionOrNull(scopeOver(env, field.model), field) !== null
  if (caller !== null && answersOfCaller) {
    answersOfCaller.set(field, has)
    answers.set(caller, answersOfCaller)
  }
  return has
}
