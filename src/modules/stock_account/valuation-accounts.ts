// The accounts that hold what goods are worth.
import type { Records } from '#models'

/**
 * Goods that are valued perpetually are bought on the account that holds what they are worth, and leave it
 * when they are sold: their category's, else the company's (recorded).
 */
export async function valuationAccounts(products: Records<'product.product'>): Promise<Map<number, number>> {
  const rows = await products.load([
    'product_tmpl_id.is_storable',
    'product_tmpl_id.categ_id.property_valuation',
    'product_tmpl_id.categ_id.property_stock_valuation_account_id',
  ])
  const perpetual = rows.filter(
    ({ product_tmpl_id: template }) =>
      template.is_storable && template.categ_id?.property_valuation === 'real_time',
  )
  if (perpetual.length === 0) return new Map()
  const { env } = products.sudo()
  const company = await env.model('res.company').browse([env.companyId]).one(['account_stock_valuation_id'])
  return new Map(
    perpetual.flatMap(({ id, product_tmpl_id: { categ_id: category } }) => {
      const account = category?.property_stock_valuation_account_id ?? company.account_stock_valuation_id
      return account ? [[id, account.id] as const] : []
    }),
  )
}
