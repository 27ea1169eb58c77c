// Plans of searches: the statement that a search would run, explained by PostgreSQL.
import { performance } from 'node:perf_hooks'
import { parseDomain } from '../../src/models/domain/index.ts'
import type { Environment } from '../../src/models/index.ts'
import { searchQuery, windowOf } from '../../src/models/records/search.ts'
import { sql } from '../../src/sql/index.ts'
import type { ExplainCase } from './cases.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Plan Rows': number
  readonly Plans?: readonly Node[]
}

export interface Plan {
  /** Indexes that the plan reads. */
  readonly indexes: readonly string[]
  /** Tables that are read from end to end. */
  readonly whole: readonly string[]
  readonly found: number
  readonly milliseconds: number
}

/** Plans the search, runs it, and says how it reads. */
export async function planOf(env: Environment, { model = 'res.partner', domain, order, limit, context }: ExplainCase): Promise<Plan> {
  const inside = env.withContext({ active_test: true, ...context })
  const { scope, where } = await searchQuery(inside, inside.def(model), parseDomain(domain))
  const window = windowOf(scope, { order: order ?? null, limit: limit ?? null })
  const statement = sql`SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}${window}`
  const rows = await env.query(sql`EXPLAIN (FORMAT JSON) ${statement}`)
  const [{ Plan: root }] = JSON.parse(rows[0]?.[0] as string) as [{ Plan: Node }]
  const nodes = [...walk(root)]
  const start = performance.now()
  const found = await env.query(statement)
  return {
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))],
    whole: nodes.flatMap((node) => (node['Node Type'].includes('Seq Scan') ? [node['Relation Name'] ?? '?'] : [])),
    found: found.length,
    milliseconds: performance.now() - start,
  }
}

function* walk(node: Node): Iterable<Node> {
  yield node
  for (const child of node.Plans ?? []) yield* walk(child)
}
