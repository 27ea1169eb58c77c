// How companies value products: method, cost, whether moves are booked and where; in sets, in each company's
// own environment.
import type { Environment } from '#models'
import { accountsOf } from '../account/index.ts'
import { type Held, heldKey } from './balance.ts'
import type { Method } from './costing.ts'

export interface Terms {
  readonly method: Method
  readonly cost: number
  readonly rounding: number
  /** Where moves of the goods are booked; null where they are not. */
  readonly booked: Booked | null
}

export interface Booked {
  readonly journal: number | null
  /** Holds the value of the goods. */
  readonly valuation: number | null
  /** Where it comes from and goes to. */
  readonly expense: number | null
}

/** Terms by key: a few statements for each company. */
export async function termsOf(env: Environment, list: readonly Held[]): Promise<Map<string, Terms>> {
  const terms = new Map<string, Terms>()
  for (const [company, group] of Map.groupBy(list, (one) => one.company)) {
    const own = env.sudo().withCompany(company)
    const ids = [...new Set(group.map((one) => one.product))]
    const products = await own
      .model('product.product')
      .browse(ids)
      .load([
        'standard_price',
        'product_tmpl_id.categ_id.property_cost_method',
        'product_tmpl_id.categ_id.property_valuation',
        'product_tmpl_id.categ_id.property_stock_valuation_account_id',
        'product_tmpl_id.categ_id.property_stock_journal',
      ])
    const home = await own
      .model('res.company')
      .browse([company])
      .one([
        'currency_id.rounding',
        'account_stock_valuation_id',
        'account_stock_journal_id',
        'expense_account_id',
      ])
    const booked = products
      .filter((one) => one.product_tmpl_id.categ_id?.property_valuation === 'real_time')
      .map(({ id }) => id)
    const expenses = await accountsOf(own, booked, 'expense')
    for (const one of products) {
      const category = one.product_tmpl_id.categ_id
      terms.set(heldKey({ product: one.id, company }), {
        method: category?.property_cost_method ?? 'standard',
        cost: one.standard_price,
        rounding: home.currency_id.rounding,
        booked: booked.includes(one.id)
          ? {
              journal: category?.property_stock_journal?.id ?? home.account_stock_journal_id?.id ?? null,
              valuation:
                category?.property_stock_valuation_account_id?.id ??
                home.account_stock_valuation_id?.id ??
                null,
              expense: expenses.get(one.id) ?? home.expense_account_id?.id ?? null,
            }
          : null,
      })
    }
  }
  return terms
}
