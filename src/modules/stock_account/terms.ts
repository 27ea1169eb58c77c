// Valuation settings of products in companies: method, cost, rounding of amounts; in sets, in each
// company's own environment.
import { atOnce, type Environment } from '#models'
import { type Held, heldKey } from './balance.ts'
import type { Method } from './costing.ts'

export interface Terms {
  readonly method: Method
  readonly cost: number
  readonly rounding: number
}

/** Terms by key: a few statements for each company. */
export async function termsOf(env: Environment, list: readonly Held[]): Promise<Map<string, Terms>> {
  const terms = new Map<string, Terms>()
  for (const [company, group] of Map.groupBy(list, (item) => item.company)) {
    const companyEnv = env.sudo().withCompany(company)
    const ids = [...new Set(group.map((member) => member.product))]
    const [products, home] = await atOnce(
      companyEnv,
      () =>
        companyEnv
          .model('product.product')
          .browse(ids)
          .load(['standard_price', 'product_tmpl_id.categ_id.property_cost_method']),
      () => companyEnv.model('res.company').browse([company]).one(['currency_id.rounding']),
    )
    for (const product of products)
      terms.set(heldKey({ product: product.id, company }), {
        method: product.product_tmpl_id.categ_id?.property_cost_method ?? 'standard',
        cost: product.standard_price,
        rounding: home.currency_id.rounding,
      })
  }
  return terms
}
