// Unit costs of products in the current company: the base of prices of bills and purchases, and of
// margins.
import type { Environment } from '#models'
import { convertPrice, factorsOf } from '../uom/index.ts'

export interface CostAsk {
  readonly product: number
  /** Null: the product's own unit. */
  readonly unit: number | null
}

/**
 * Costs in the currency of the current company, in the order of `asks`: two statements at most, read as
 * superuser.
 */
export async function costsOf(company: Environment, asks: readonly CostAsk[]): Promise<number[]> {
  const su = company.sudo()
  const products = await su
    .model('product.product')
    .browse([...new Set(asks.map((ask) => ask.product))])
    .load(['standard_price', 'product_tmpl_id.uom_id.factor'])
  const units = await factorsOf(su, [...new Set(asks.flatMap((ask) => ask.unit ?? []))])
  const productById = new Map(products.map((product) => [product.id, product]))
  return asks.map(({ product, unit }) => {
    const productRow = productById.get(product)
    if (!productRow) return 0
    const productUnit = productRow.product_tmpl_id.uom_id
    return convertPrice(
      productRow.standard_price,
      productUnit,
      (unit !== null && units.get(unit)) || productUnit,
    )
  })
}
