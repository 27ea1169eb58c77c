// The cost of goods that are sold without an invoice, as tills sell them: what they were worth when they
// left, and their current cost where they did not leave yet.
import type { Environment } from '#models'
import { present } from '../../kit/present.ts'
import { roundHalfUp } from '../../kit/rounding.ts'
import { accountsOf, type GoodsSold, mapAccounts, type SalesCost } from '../account/index.ts'
import { heldKey } from './balance.ts'
import { parcelsOf } from './goods-sold.ts'
import { worthOfRange } from './parcels.ts'
import { termsOf } from './terms.ts'
import { valuationAccounts } from './valuation-accounts.ts'

/** Costs of sales in their order; null for goods that are not valued perpetually, or cost nothing. */
export async function costOfSales(
  env: Environment,
  sales: readonly GoodsSold[],
): Promise<(SalesCost | null)[]> {
  const products = [...new Set(sales.map(({ product }) => product))]
  const valuations = await valuationAccounts(env.model('product.product').browse(products))
  if (valuations.size === 0) return sales.map(() => null)
  const company = env.companyId
  const valued = [...valuations.keys()]
  const terms = await termsOf(
    env,
    valued.map((product) => ({ product, company })),
  )
  const expenses = await accountsOf(env, valued, 'expense')
  const parcels = await parcelsOf(
    env,
    sales.flatMap(({ product, moves }) => (valuations.has(product) ? moves : [])),
  )
  const mapped = new Map<number | null, (account: number) => number>()
  for (const position of new Set(sales.map(({ fiscalPosition }) => fiscalPosition)))
    mapped.set(position, await mapAccounts(env, position))
  return sales.map(({ product, quantity, fiscalPosition, moves }) => {
    const [expense, valuation] = [expenses.get(product), valuations.get(product)]
    if (expense === undefined || valuation === undefined) return null
    const { cost: each, rounding } = present(terms.get(heldKey({ product, company })))
    const left = moves.flatMap((move) => parcels.get(move) ?? [])
    const worth = worthOfRange(left, 0, Math.abs(quantity), each)
    const cost = roundHalfUp(Math.sign(quantity) * worth, rounding)
    return cost === 0 ? null : { cost, expense: present(mapped.get(fiscalPosition))(expense), valuation }
  })
}
