// Goods that somebody added to a transfer of an order: once they have moved they belong to a line of that
// order, so that what was delivered or received is seen there and can be invoiced.
import { present } from '../../../kit/present.ts'

/** A move without a line of an order, in a transfer of that order. */
export interface Addition {
  readonly move: number
  readonly order: number
  readonly product: number
  readonly unit: number
}

/** A line that additions of a product may join. */
interface ProductLine {
  readonly id: number
  readonly order_id: { readonly id: number }
  readonly product_id: { readonly id: number } | null
}

const keyOf = (order: number, product: number) => `${order}/${product}`

/**
 * Gives each addition the line of its product on its order: the first there is, else one that `addLines`
 * makes, one for all additions of a product. `addLines` answers ids in the order of what it is given. Answers
 * lines by move.
 */
export async function joinLines(
  additions: readonly Addition[],
  lines: readonly ProductLine[],
  addLines: (missing: readonly Addition[]) => Promise<readonly number[]>,
): Promise<Map<number, number>> {
  const known = new Map<string, number>()
  for (const { id, order_id, product_id } of lines) {
    const key = keyOf(order_id.id, product_id?.id ?? 0)
    if (!known.has(key)) known.set(key, id)
  }
  const missing = new Map<string, Addition>()
  for (const one of additions) {
    const key = keyOf(one.order, one.product)
    if (!known.has(key) && !missing.has(key)) missing.set(key, one)
  }
  const made = missing.size ? await addLines([...missing.values()]) : []
  for (const [i, key] of [...missing.keys()].entries()) known.set(key, present(made[i]))
  return new Map(additions.map((one) => [one.move, present(known.get(keyOf(one.order, one.product)))]))
}
