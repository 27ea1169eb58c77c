// The create rules, judged on what was made: by what is known of it, else by PostgreSQL.
import { oncePer } from '../../kit/once-per.ts'
import { sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import { lower, needsPreparation } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import { deciding } from '../load/decide.ts'
import { hidden } from '../rights/judge.ts'
import { aboutRecords } from '../row/plans.ts'
import { ruleOf } from '../row/rule.ts'
import { scopeOver } from '../row/scope.ts'
import { refusing } from '../unit/refusing.ts'

/**
 * Refuses (`Unit.check`) with an AccessError where a rule does not let the caller make one of them; null
 * where it is known at once that rules do.
 */
export function assertVisible(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
): Promise<void> | null {
  const rules = env.su ? null : env.unit.rights.rules(env, model, 'create')
  if (!rules) return null
  if (!mustPrepare(rules, model)) {
    const domain = lower(scopeOver(env, model).privileged().env, model, rules)
    // Columns that rules look at are mostly given, or computed before the insert.
    const isDecided = deciding(env, domain)
    if (ids.every((id) => isDecided(id) === true)) return null
  }
  return ask(env, model, ids)
}

async function ask(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  const statement = aboutRecords(env, `made ${model.name}`, ids, (newIds) => {
    const scope = scopeOver(env, model)
    const rule = ruleOf(scope, model, 'create')
    return (
      rule && refusing(sql`SELECT 1 FROM ${scope.from()} WHERE ${scope.id} = ANY(${newIds}) AND NOT ${rule}`)
    )
  })
  if (!statement) return
  // Rules may look at computed values.
  await flush(env, (field) => field.model === model)
  env.unit.post(statement, () => hidden(env, model, 'create'))
}

/** By the tree: rules are composed once for a caller. */
const mustPrepare = oncePer((rules: Tree, model: ModelDef) => needsPreparation(model, rules))
