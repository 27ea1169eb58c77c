// Which pricelist a customer has: its company's own, else one for its country, else the first for all
// countries (spec/business-models.md section 3).
import type { Environment } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { featureIsOn } from '../base/index.ts'

/** The feature: pricelists are in use. */
export const PRICELISTS = 'product.group_product_pricelist'

export interface Customer {
  readonly id: number
  /** The list given to the customer itself, in the current company. */
  readonly own: number | null
  readonly country: number | null
}

interface ListRow {
  readonly id: number
  /** Null: for all countries. */
  readonly countries: readonly number[] | null
}

/**
 * The first list, in their order, that suits a customer; pure, so that it can be tried without a database.
 */
export function chooseList(customer: Customer, lists: readonly ListRow[]): number | null {
  if (customer.own !== null && lists.some((list) => list.id === customer.own)) return customer.own
  const { country } = customer
  const local = country === null ? undefined : lists.find((list) => list.countries?.includes(country))
  return (local ?? lists.find((list) => list.countries === null))?.id ?? null
}

/** Lists by customer: none while the feature is off. Two statements for any number of customers. */
export async function listsOf(
  env: Environment,
  customers: readonly Customer[],
): Promise<Map<number, number | null>> {
  if (!(await featureIsOn(env, PRICELISTS))) return new Map(customers.map(({ id }) => [id, null]))
  const rows = await env.rows(
    sql`SELECT l.id, (SELECT array_agg(DISTINCT c.res_country_id) FROM res_country_group_pricelist_rel g
      LEFT JOIN res_country_res_country_group_rel c ON c.res_country_group_id = g.res_country_group_id WHERE g.pricelist_id = l.id)
    FROM product_pricelist l WHERE l.active AND (l.company_id IS NULL OR l.company_id = ${env.companyId}::int) ORDER BY l.sequence, l.id`,
    { reads: ['product.pricelist'], row: ['int', 'ints?'] },
  )
  const lists = rows.map((row) => ({ id: row[0], countries: row[1] }))
  return new Map(customers.map((customer) => [customer.id, chooseList(customer, lists)]))
}

/**
 * Every company has a pricelist without rules, in its own currency: customers get it that no other list
 * suits, and pay sales prices. Archived ones come back, missing ones are made; of all companies, or of those
 * given.
 */
export async function provideLists(env: Environment, companies?: readonly number[]): Promise<void> {
  const wanted = companies ? sql`WHERE c.id = ANY(${idList(companies)})` : sql``
  const plain = sql`NOT EXISTS (SELECT FROM product_pricelist_item i WHERE i.pricelist_id = l.id)`
  const rows = await env.rows(
    sql`SELECT c.id, c.currency_id, (SELECT array_agg(l.id) FROM product_pricelist l WHERE l.company_id = c.id AND l.currency_id = c.currency_id AND ${plain})
    FROM res_company c ${wanted}`,
    { reads: ['product.pricelist', 'product.pricelist.item', 'res.company'], row: ['int', 'int', 'ints?'] },
  )
  const lists = env.sudo().model('product.pricelist')
  const countryIds = rows.flatMap((row) => row[2] ?? [])
  if (countryIds.length) await lists.browse(countryIds).write({ active: true })
  const lacking = rows.filter((row) => row[2] === null)
  if (lacking.length)
    await lists.create(
      lacking.map((row) => ({
        name: 'Default',
        // Before lists that people make, which have 16: sales prices hold until a list is chosen.
        sequence: 10,
        company_id: row[0],
        currency_id: row[1],
      })),
    )
}
