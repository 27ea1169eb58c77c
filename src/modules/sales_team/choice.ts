// Which team a document of a salesperson belongs to: the salesperson's own, else the first of the company.
import { cacheReadColumn, type Environment } from '#models'
import { sql } from '../../sql/index.ts'

export interface Sold {
  readonly user: number | null
  readonly company: number
}

/**
 * Teams, or null, in the order of what is asked: one statement for all. Teams of other companies are left
 * out.
 */
export async function teamsFor(env: Environment, sales: readonly Sold[]): Promise<(number | null)[]> {
  if (sales.length === 0) return []
  const rows = await env.rows(
    sql`SELECT x.n, t.id, t.company_id FROM jsonb_to_recordset(${JSON.stringify(sales.map((sale, n) => ({ n, ...sale })))}::jsonb) AS x(n int, "user" int, company int)
    JOIN LATERAL (SELECT t.id, t.company_id FROM crm_team t
      LEFT JOIN crm_team_member m ON m.crm_team_id = t.id AND m.user_id = x."user" AND m.active
      WHERE t.active AND (t.company_id IS NULL OR t.company_id = x.company)
      ORDER BY m.id NULLS LAST, t.sequence, t.id LIMIT 1) t ON TRUE`,
    { reads: ['crm.team', 'crm.team.member'], row: ['int', 'int', 'int?'], kept: [] },
  )
  // Documents are judged by the company of their team.
  cacheReadColumn(
    env,
    'crm.team',
    'company_id',
    rows.map(([, team, company]) => [team, company] as const),
  )
  const teams = new Map(rows.map((row) => [row[0], row[1]]))
  return sales.map((_, n) => teams.get(n) ?? null)
}
