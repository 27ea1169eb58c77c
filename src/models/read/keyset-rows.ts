// Rows of keyset pages, as `search_read` and reading by specification give them.
import { raw, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldsShape, planned } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { lastOf, type Paging, pageOf, tellNext } from './keyset.ts'
import type { CountedReading, Question, Reading } from './question.ts'
import { countOf, searchPlan } from './search.ts'
import { formShape, select } from './selection.ts'

interface PageRows {
  /** Rows as PostgreSQL rendered them. */
  readonly json: string
  readonly total: number | null
  /** Fields that code must fill in, and relations that PostgreSQL cannot expand. */
  readonly slow: readonly FieldDef[]
  readonly bare: readonly FieldDef[]
}

/**
 * The rows of a page: found in `env`, read in `lines`. One statement, as for any other page. Counted where
 * there may be others than these.
 */
export async function pageRows(
  env: Environment,
  lines: Environment,
  question: Question,
  { fields, form, counting }: Reading & Partial<CountedReading>,
  paging: Paging,
): Promise<PageRows> {
  const page = pageOf(env, question, paging.page)
  const plan = await searchPlan(env, question.model, question.tree, page)
  const shape =
    plan.shape &&
    `page ${plan.shape} ${page.shape} ${fieldsShape(fields)} ${formShape(form)} ${JSON.stringify(counting ?? null)}`
  const { statement, rest } = planned(env, shape, page.values(plan.values), (marked) => {
    const inside = scopeOver(lines, question.model)
    const { columns, ...left } = select(inside, fields, form)
    const from = sql`p AS u JOIN ${inside.from()} ON ${inside.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS j`
    const others = page.isFirst ? sql`(SELECT count(*) FROM p) > ${raw(String(page.limit))}` : raw('TRUE')
    const total = counting
      ? sql`CASE WHEN ${others} THEN (${countOf(plan.compile(marked), counting.limit)}) ELSE count(*)::int END`
      : sql`NULL::int`
    return {
      statement: sql`WITH p AS MATERIALIZED (${page.rows(plan.compile(marked), marked)})
        SELECT COALESCE(json_agg(j ORDER BY u.ord), '[]')::text, ${lastOf(page)}, ${total} FROM ${from} WHERE u.ord <= ${raw(String(page.limit))}`,
      rest: left,
    }
  })
  const { slow, bare } = rest
  const [row] = await env.unit.run(statement, slow.length === 0 && bare.length === 0)
  const [json, last, total] = row as [string, string | null, number | null]
  tellNext(env, question, paging, last)
  return { json, total, slow, bare }
}
