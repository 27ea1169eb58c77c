// The one place where rules meet records, for every path to data that names records by id.

import { idList, raw, type Sql, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Operation } from '../language/rights.ts'
import { assertModel, gone, hidden } from '../rights/judge.ts'
import { refused, refusing } from '../unit/refusing.ts'
import { ruleOf } from './rule.ts'
import { scopeOver } from './scope.ts'
import { aboutRecords } from './templates.ts'

/**
 * Throws AccessError when one of the records is hidden from the user, and MissingError when one is gone and
 * `missing` is 'refuse'. `last`: see `Unit.query`.
 * Without rules in force nothing is asked and nothing is missing (spec/wire.md section 9, "ids that do not
 * exist").
 */
export async function assertRecords(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  operation: Operation,
  options: { readonly missing?: 'refuse' | 'skip'; readonly last?: boolean } = {},
): Promise<void> {
  assertModel(env, model, operation)
  if (env.su || ids.length === 0) return
  const seen = env.unit.judged(env, model, operation)
  const unseen = [...new Set(ids)].filter((id) => !seen.has(id))
  if (unseen.length === 0) return
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule) return
  const rows = await env.query<[number, unknown]>(
    sql`SELECT ${scope.id}, ${rule} FROM ${scope.from()} WHERE ${scope.id} = ANY(${idList(unseen)})`,
    options.last,
  )
  if (rows.some((row) => row[1] !== true)) throw hidden(env, model, operation)
  if (rows.length < unseen.length && options.missing === 'refuse') throw gone(model)
  for (const row of rows) seen.add(row[0])
}

/** What can be wrong with records that are named, by the number that a check gives. */
const HIDDEN = 1
const GONE = 2

/**
 * As `assertRecords`, sent ahead of what it guards and not waited for (`Unit.check`): nothing that the call
 * does lasts if it fails. `missing`: as there, or the error for records that are gone, whether or not rules
 * are in force.
 */
export async function guardRecords(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  operation: Operation,
  missing?: 'refuse' | (() => Error),
): Promise<void> {
  assertModel(env, model, operation)
  if (ids.length === 0 || (env.su && typeof missing !== 'function')) return
  const seen = env.unit.judged(env.su ? SUPERUSER : env, model, operation)
  const unseen = [...new Set(ids)].filter((one) => !seen.has(one))
  if (unseen.length === 0) return
  const strict = typeof missing === 'function' ? 'always' : missing
  const statement = aboutRecords(env, `guard ${model.name} ${operation} ${strict}`, unseen, (some) =>
    wrongRecords(env, model, operation, some, strict),
  )
  if (!statement) return
  env.unit.post(statement, (wrong) => {
    if (wrong === HIDDEN) return hidden(env, model, operation)
    return typeof missing === 'function' ? missing() : gone(model)
  })
  for (const one of unseen) seen.add(one)
}

/** Whoever judges beside all rules has seen that records exist, and no more. */
const SUPERUSER = { uid: 0, companyIds: [] }

/** A statement that fails for records that are hidden or gone; null where nothing can be wrong with them. */
function wrongRecords(
  env: Environment,
  model: ModelDef,
  operation: Operation,
  ids: Sql,
  missing?: 'refuse' | 'always',
): Sql | null {
  const scope = scopeOver(env, model)
  const rule = ruleOf(scope, model, operation)
  if (!rule && missing !== 'always') return null
  const where = sql`WHERE ${scope.id} = ANY(${ids})`
  if (!missing)
    return refusing(
      sql`SELECT ${raw(String(HIDDEN))} FROM ${scope.from()} ${where} AND (${rule}) IS NOT TRUE`,
    )
  const hidden = rule ? sql`count(*) FILTER (WHERE (${rule}) IS NOT TRUE)` : raw('0')
  const wrong = sql`CASE WHEN v.hidden > 0 THEN ${raw(String(HIDDEN))} ELSE ${raw(String(GONE))} END`
  return sql`SELECT ${refused(wrong)}
    FROM (SELECT ${hidden} AS hidden, count(*) AS there FROM ${scope.from()} ${where}) AS v
    WHERE v.hidden > 0 OR v.there < cardinality(${ids})`
}
