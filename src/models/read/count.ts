// How many records a question finds in all, told beside a page of them: counted, or as PostgreSQL estimates.
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Tree } from '../language/tree.ts'
import type { CountKind, Wishes } from '../language/wishes.ts'
import { type Asked, planFor, statementOf } from '../row/plans.ts'
import { together } from '../unit/together.ts'
import { askedAbout, countIn } from './known.ts'
import { countRecords, searchQuery } from './search.ts'

/** The parameters of `search_count` as a key and values; null where they are not in their common form. */
export function askedCount(
  env: Environment,
  model: ModelDef,
  { domain, limit }: Record<string, unknown>,
): Asked | null {
  const most = countIn(limit)
  return most === null ? null : askedAbout(env, model, domain, `search_count [${most}]`)
}

/** The number, where it is known how it is asked for. */
export async function knownCount(env: Environment, asked: Asked): Promise<number | null> {
  const plan = planFor<null>(asked)
  return plan ? only(await env.unit.run<[number]>(statementOf(plan, asked.values), true))[0] : null
}

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
