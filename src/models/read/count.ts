// Counts of the records of a domain: `search_count`, and the total that a caller wishes with a page, counted
// or estimated by PostgreSQL.
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { parseDomain } from '../domain/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { CountKind, Preferences } from '../language/preferences.ts'
import type { Tree } from '../language/tree.ts'
import { cachedPlan } from '../row/plans.ts'
import { together } from '../unit/independent-reads.ts'
import { countIn, domainKey } from './request-keys.ts'
import { countPlan, countRecords, searchQuery } from './search.ts'

/** `search_count`. */
export async function searchCount(
  env: Environment,
  model: ModelDef,
  { domain, limit }: Record<string, unknown>,
): Promise<number> {
  const most = countIn(limit)
  const request = most === null ? null : domainKey(env, model, domain, `search_count [${most}]`)
  const { statement } =
    cachedPlan<null>(request) ?? (await countPlan(env, model, parseDomain(domain), limit, request))
  return only(await env.unit.run<[number]>(statement, true))[0]
}

/** Records that are counted before PostgreSQL's estimate is used. */
const COUNTED = 10_000

/** Runs `work`, and in the same trip counts the records of the domain if the caller wishes. */
export async function counted<T>(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  { count, tell }: Preferences,
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
  const records = await countRecords(env, model, domain, COUNTED + 1)
  // An estimate may be less than the number of records that were counted.
  return records <= COUNTED ? records : Math.max(records, await estimate(env, model, domain))
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
