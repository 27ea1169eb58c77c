// A cost that somebody sets: goods that are there are worth it from then on, and the change is written down;
// not of goods that leave in the order they came.
import type { Environment, Vals } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { heldKey, lockBalances, storeBalances } from './balance.ts'
import { termsOf } from './terms.ts'

/** Unit costs in the current company, by product. */
export async function currentCosts(
  env: Environment,
  products: readonly number[],
): Promise<Map<number, number>> {
  const rows = await env
    .sudo()
    .withCompany(env.companyId)
    .model('product.product')
    .browse(products)
    .load(['standard_price'])
  return new Map(rows.map((row) => [row.id, row.standard_price]))
}

/** Follows costs that were written: what they were `before`, by product. */
export async function revalue(env: Environment, before: ReadonlyMap<number, number>): Promise<void> {
  const su = env.sudo()
  const company = env.companyId
  const after = await currentCosts(env, [...before.keys()])
  const held = [...before]
    .filter(([id, cost]) => after.get(id) !== cost)
    .map(([product]) => ({ product, company }))
  if (held.length === 0) return
  const terms = await termsOf(su, held)
  const standings = await lockBalances(su, held)
  const changed = held.flatMap((row) => {
    const productTerms = terms.get(heldKey(row))
    if (!productTerms || productTerms.method === 'fifo') return []
    const standing = standings.get(heldKey(row))
    const value = roundHalfUp((standing?.quantity ?? 0) * productTerms.cost, productTerms.rounding)
    return [
      {
        ...row,
        terms: productTerms,
        value,
        delta: roundHalfUp(value - (standing?.value ?? 0), productTerms.rounding),
      },
    ]
  })
  if (changed.length === 0) return
  storeBalances(
    su,
    changed.map(({ product, value }) => ({ product, company, value })),
  )
  await su.model('product.value').create(
    changed.map(
      ({ product, terms: productTerms, delta }): Vals<'product.value'> => ({
        product_id: product,
        company_id: company,
        value: productTerms.cost,
        delta,
        user_id: env.uid,
        description: `Cost changed from ${before.get(product)} to ${productTerms.cost}`,
      }),
    ),
  )
}
