// How many records a question finds in all, told beside a page of them: counted, or as PostgreSQL estimates.
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import type { CountKind, Wishes } from '../language/wishes.ts'
import { together } from '../unit/together.ts'
import { countRecords, searchQuery } from './search.ts'

/** Records that an estimate counts before it takes PostgreSQL's word. */
const COUNTED = 10_000

/** Runs `work`, and with it, in the same trip, the count that the caller wishes. */
export async function counted<T>(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  { count, tell }: Wishes,
  work: () => Promise<T>,
): Promise<T> {
  if (count === null) return work()
  const [result, total] = await together(work(), totalOf(env, model, domain, count))
  tell('preference-applied', `count=${count}`)
  tell('total-count', String(total))
  return result
}

async function totalOf(env: Environment, model: ModelDef, domain: Tree, kind: CountKind): Promise<number> {
  if (kind === 'exact') return countRecords(env, model, domain, null)
  if (kind === 'planned') return estimate(env, model, domain)
  const found = await countRecords(env, model, domain, COUNTED + 1)
  // What was counted is known to be there, whatever is estimated.
  return found <= COUNTED ? found : Math.max(found, await estimate(env, model, domain))
}

/** PostgreSQL's estimate of the rows that the statement, with its rules, would give. */
async function estimate(env: Environment, model: ModelDef, domain: Tree): Promise<number> {
  const { scope, where } = await searchQuery(env, model, domain)
  const row = only(
    await env.query<[string]>(sql`EXPLAIN (FORMAT JSON) SELECT 1 FROM ${scope.from()} WHERE ${where}`),
  )
  const [{ Plan: top }] = JSON.parse(row[0]) as [{ Plan: { 'Plan Rows': number } }]
  return top['Plan Rows']
}
