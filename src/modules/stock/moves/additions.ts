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
  const lineByKey = new Map<string, number>()
  for (const { id, order_id, product_id } of lines) {
    const key = keyOf(order_id.id, product_id?.id ?? 0)
    if (!lineByKey.has(key)) lineByKey.set(key, id)
  }
  const missing = new Map<string, Addition>()
  for (const addition of additions) {
    const key = keyOf(addition.order, addition.product)
    if (!lineByKey.has(key) && !missing.has(key)) missing.set(key, addition)
  }
  const madeLines = missing.size ? await addLines([...missing.values()]) : []
  for (const [i, key] of [...missing.keys()].entries()) lineByKey.set(key, present(madeLines[i]))
  return new Map(
    additions.map((addition) => [
      addition.move,
      present(lineByKey.get(keyOf(addition.order, addition.product))),
    ]),
  )
}
