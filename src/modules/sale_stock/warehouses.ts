// The warehouse that the orders of a company are delivered from unless they say another: its first.
import { cacheReadColumn, type Environment } from '#models'
import { isId } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'

/**
 * The first warehouses of companies, by company, read as superuser; companies without one are left out.
 * Archived ones count as the context says.
 */
export async function firstWarehouses(
  env: Environment,
  companies: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const distinct = [...new Set(companies)]
  const rows = await env.rows(
    sql`SELECT DISTINCT ON (company_id) company_id, id FROM stock_warehouse
      WHERE (active OR ${!env.activeTest}::boolean) AND company_id = ANY(${idList(distinct)}) ORDER BY company_id, sequence, id`,
    { reads: ['stock.warehouse'], row: ['int', 'int'], kept: [] },
  )
  // Orders are judged by the company of their warehouse.
  cacheReadColumn(
    env,
    'stock.warehouse',
    'company_id',
    rows.map(([company, id]) => [id, company] as const),
  )
  return new Map(rows)
}

/** Asks for the warehouses of new orders as their field does, whose answer is kept. */
export async function prefetchWarehouses(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const open = list.filter(({ warehouse_id }) => warehouse_id === undefined)
  const companies = open.map(({ company_id }) => company_id ?? env.companyId).filter(isId)
  if (companies.length) await firstWarehouses(env, companies)
}
