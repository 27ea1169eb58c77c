// Taxes that products are sold with in one company: its own, and those of the companies above it.
import { atOnce, type Environment } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { loadTaxes, readTaxesOf } from '../account/index.ts'

export interface ProductTaxes {
  readonly ids: readonly number[]
  /** True if prices include the taxes; groups of taxes are not searched. */
  readonly held: boolean
}

/** Sales taxes by product, in one statement, read as superuser. */
export async function productTaxes(
  env: Environment,
  products: readonly number[],
  company: number,
): Promise<Map<number, ProductTaxes>> {
  const rows = await env.rows(
    sql`SELECT p.id, array_agg(t.id ORDER BY t.sequence, t.id), bool_and(t.amount_type = 'group' OR
        COALESCE(t.price_include_override, (SELECT own.account_price_include FROM res_company own WHERE own.id = t.company_id)) = 'tax_included')
    FROM product_product p JOIN product_taxes_rel r ON r.prod_id = p.product_tmpl_id JOIN account_tax t ON t.id = r.tax_id AND t.active
    WHERE p.id = ANY(${idList([...products])})
      AND t.company_id = ANY((SELECT string_to_array(rtrim(c.parent_path, '/'), '/')::int[] FROM res_company c WHERE c.id = ${company}::int)::int[])
    GROUP BY p.id`,
    {
      reads: ['product.product', 'account.tax', 'res.company'],
      row: ['int', 'ints', 'bool'],
      kept: ['product.template'],
    },
  )
  return new Map(rows.map((row) => [row[0], { ids: row[1], held: row[2] }]))
}

/** Asks for sales taxes of products and for all that is read of a tax, in one flush: both are kept. */
export async function prefetchTaxes(
  env: Environment,
  products: readonly number[],
  company: number,
): Promise<void> {
  const [taxes] = await atOnce(
    env,
    () => productTaxes(env, products, company),
    () => readTaxesOf(env, products),
  )
  // Groups of taxes have members.
  await loadTaxes(
    env,
    [...taxes.values()].flatMap(({ ids }) => ids),
  )
}
