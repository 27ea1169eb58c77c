// Record rules as conditions over a row: the one place where they join a query (spec/wire.md section 9).
import { type Sql, settled } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Operation } from '../language/rights.ts'
import type { Scope } from '../language/scope.ts'
import { scopeOver } from './scope.ts'

/**
 * The rules of `operation` on a model as a condition over `scope`, or null when none hold. They are judged as
 * the superuser: rules hide nothing from each other.
 */
export function ruleOf(scope: Scope, model: ModelDef, operation: Operation): Sql | null {
  const { env } = scope
  const rules = env.su ? null : env.unit.rights.rules(env, model, operation)
  const condition = rules && env.unit.registry.engine.condition(scope.privileged(), rules)
  return condition && settled(condition)
}

/** Whether the rules of `operation` compare with the clock, and so hold for this moment alone. */
export const isMomentary = (env: Environment, model: ModelDef, operation: Operation): boolean =>
  ruleOf(scopeOver(env, model), model, operation)?.compile().momentary === true
