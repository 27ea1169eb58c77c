// Searching: a domain, the rules of the user, archived records, order and window, made into one statement.
import { InvalidValue } from '../../errors.ts'
import type { Sql } from '../../sql/index.ts'
import { and, join, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { ModelDef } from '../defs.ts'
import { activeDomain, compileDomain, needsPreparation, prepareDomain } from '../domain/index.ts'
import type { Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { assertModel } from '../rights/judge.ts'
import type { SearchOptions } from '../types.ts'
import { compileOrder } from './order.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'

/** A query over a model, ready but for what it selects. */
export interface Query {
  readonly scope: Scope
  readonly where: Sql
}

/** What the user may see of `domain`. Throws AccessError without read access, InvalidValue for a bad domain. */
export async function searchQuery(env: Environment, model: ModelDef, domain: Tree): Promise<Query> {
  assertModel(env, model, 'read')
  let tree = env.activeTest ? activeDomain(env, model, domain) : domain
  if (needsPreparation(model, tree)) tree = await prepareDomain(env, model, tree)
  if (env.unit.pending.size) await flush(env)
  if (!model.hasTable) throw new InvalidValue(`Records of ${model.label} (${model.name}) cannot be searched.`)
  const scope = Scope.over(env, model)
  const rule = ruleOf(scope, model, 'read')
  const own = compileDomain(scope, tree)
  return { scope, where: rule ? and([own, rule]) : own }
}

/** ` ORDER BY … LIMIT … OFFSET …`; the order always ends in id. */
export function windowOf(scope: Scope, { order = null, limit = null, offset = 0 }: SearchOptions): Sql {
  const by = sql` ORDER BY ${join(compileOrder(scope, order || null))}`
  const max = positive('limit', limit)
  const skip = positive('offset', offset)
  if (!max && !skip) return by
  return sql`${by}${max ? sql` LIMIT ${max}` : sql``}${skip ? sql` OFFSET ${skip}` : sql``}`
}

/** A count from outside: null, false and 0 mean none. */
function positive(name: string, value: unknown): number {
  if (value === null || value === undefined || value === false) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new InvalidValue(`Invalid ${name}: ${JSON.stringify(value)}`)
  return value
}

export async function searchIds(env: Environment, model: ModelDef, domain: Tree, options: SearchOptions): Promise<number[]> {
  const { scope, where } = await searchQuery(env, model, domain)
  const window = windowOf(scope, options)
  const rows = await env.query(sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}${window}`, true)
  return rows.map((row) => row[0] as number)
}

export async function countRecords(env: Environment, model: ModelDef, domain: Tree, limit: unknown): Promise<number> {
  const { scope, where } = await searchQuery(env, model, domain)
  const max = positive('limit', limit)
  const found = sql`FROM ${scope.from()} WHERE ${where}`
  const rows = await env.query(
    max ? sql`SELECT count(*)::int FROM (SELECT 1 ${found} LIMIT ${max}) AS found` : sql`SELECT count(*)::int ${found}`,
    true,
  )
  return rows[0]?.[0] as number
}
