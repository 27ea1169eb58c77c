// The accounts that hold what goods are worth, where documents book it.
import type { Records } from '#models'

/**
 * The accounts that bills put goods on and invoices take them off, by product: of the category, else of the
 * company (recorded). Only goods that are valued perpetually have one, in companies with Anglo-Saxon
 * accounting. In others a bill is an expense, and the closing of the valuation books what remains in stock.
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
  const company = await env
    .model('res.company')
    .browse([env.companyId])
    .one(['account_stock_valuation_id', 'anglo_saxon_accounting'])
  if (!company.anglo_saxon_accounting) return new Map()
  return new Map(
    perpetual.flatMap(({ id, product_tmpl_id: { categ_id: category } }) => {
      const account = category?.property_stock_valuation_account_id ?? company.account_stock_valuation_id
      return account ? [[id, account.id] as const] : []
    }),
  )
}
