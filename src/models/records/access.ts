// The one place where rules meet records, for every path to data that names records by id.
import { sql } from '../../sql/index.ts'
import type { ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { assertModel, gone, hidden } from '../rights/judge.ts'
import type { Operation } from '../rights/rights.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'

/**
 * Throws AccessError when one of the records is hidden from the user, and MissingError when one is gone and `missing` is 'refuse'.
 * Without rules in force nothing is asked and nothing is missing (spec/wire.md section 9, "ids that do not exist").
 */
export async function assertRecords(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  operation: Operation,
  options: { readonly missing?: 'refuse' | 'skip' } = {},
): Promise<void> {
  assertModel(env, model, operation)
  if (env.su || ids.length === 0) return
  const scope = Scope.over(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule) return
  const wanted = [...new Set(ids)]
  const seen = env.unit.judged(env, model, operation)
  const unseen = wanted.filter((id) => !seen.has(id))
  if (unseen.length === 0) return
  const rows = await env.query(sql`SELECT ${scope.id}, ${rule} FROM ${scope.from()} WHERE ${scope.id} = ANY(${unseen}::int[])`)
  if (rows.some((row) => row[1] !== true)) throw hidden(env, model, operation)
  if (rows.length < unseen.length && options.missing === 'refuse') throw gone(model)
  for (const row of rows) seen.add(row[0] as number)
}
