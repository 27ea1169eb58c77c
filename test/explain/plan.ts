// Plans of searches: the statement that a search would run, explained by PostgreSQL, at first and as it is
// when the search was made often.
import { performance } from 'node:perf_hooks'
import { parseDomain } from '../../src/models/domain/index.ts'
import type { Environment } from '../../src/models/index.ts'
import { searchPlan, windowOf } from '../../src/models/read/search.ts'
import type { Query } from '../../src/postgres/index.ts'
import { encode } from '../../src/postgres/values.ts'
import { literal, raw, type Sql, sql } from '../../src/sql/index.ts'
import type { ExplainCase } from './cases.ts'

export interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Actual Loops': number
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly Node[]
}

export interface Plan {
  /** Indexes that the plan reads. */
  readonly indexes: readonly string[]
  /** Tables that are read from end to end. */
  readonly whole: readonly string[]
  /** Whether all that was found is put in order before the first of it is given. */
  readonly sorts: boolean
  /** Rows that were read for nothing, by the plan that PostgreSQL keeps when the search was made often. */
  readonly passed: number
  readonly found: number
  readonly milliseconds: number
}

/** Plans a search, runs it, and says how it reads. */
export async function planOf(
  env: Environment,
  { model = 'res.partner', domain, order, limit, context }: ExplainCase,
): Promise<Plan> {
  const inside = env.withContext({ active_test: true, ...context })
  const options = { order: order ?? null, limit: limit ?? null }
  const plan = await searchPlan(inside, inside.def(model), parseDomain(domain), options)
  const { scope, where } = plan.compile()
  const window = windowOf(scope, options)
  return planOfStatement(env, sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}${window}`)
}

/** Plans as servers do: those of tests keep one plan for all values (postgres/embedded/settings.ts). */
const AS_SERVED = sql`SET LOCAL plan_cache_mode = auto`

/** Plans a statement, runs it, and says how it reads. */
export async function planOfStatement(env: Environment, statement: Sql): Promise<Plan> {
  await env.query(AS_SERVED)
  const rows = await env.query(sql`EXPLAIN (FORMAT JSON) ${statement}`)
  const [{ Plan: root }] = JSON.parse(rows[0]?.[0] as string) as [{ Plan: Node }]
  const nodes = [...walk(root)]
  const start = performance.now()
  const statementRows = await env.query(statement)
  return {
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))],
    whole: nodes.flatMap((node) =>
      node['Node Type'].includes('Seq Scan') ? [node['Relation Name'] ?? '?'] : [],
    ),
    sorts: nodes.some((node) => node['Node Type'] === 'Sort'),
    passed: await passedBy(env, statement),
    found: statementRows.length,
    milliseconds: performance.now() - start,
  }
}

/** Calls after which PostgreSQL has chosen between one plan for all values and one for each. */
const OFTEN = 6

/**
 * Number of explained statements, for unique names: a connection caches the columns of a prepared
 * statement by its text.
 */
let explained = 0

async function passedBy(env: Environment, statement: Sql): Promise<number> {
  const root = await explainedOften(env, statement.compile())
  const removed = (node: Node) =>
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.max(...[...walk(root)].map((node) => removed(node) * node['Actual Loops']))
}

/**
 * Runs a statement as often as connections do that have it prepared, and explains the last run; one that is
 * planned each time runs once.
 */
export async function explainedOften(env: Environment, { text, values, each }: Query): Promise<Node> {
  await env.query(AS_SERVED)
  const literals = values.map((value) => {
    const encoded = encode(value)
    return encoded === null ? 'NULL' : literal(String(encoded)).compile().text
  })
  const name = `explained_${++explained}`
  const execute = raw(`EXECUTE ${name}${literals.length ? `(${literals.join()})` : ''}`)
  await env.query(raw(`PREPARE ${name} AS ${text}`))
  if (!each) for (let n = 0; n < OFTEN; n++) await env.query(execute)
  const rows = await env.query(sql`EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`)
  await env.query(raw(`DEALLOCATE ${name}`))
  return (JSON.parse(rows[0]?.[0] as string) as [{ Plan: Node }])[0].Plan
}

export function* walk(node: Node): Iterable<Node> {
  yield node
  for (const child of node.Plans ?? []) yield* walk(child)
}
