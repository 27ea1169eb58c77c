// Combos on orders: what the parts cost. They share the price of the combo by what each choice is worth;
// extras of the chosen come on top.

import type { Environment } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { type PriceOptions, pricesOf } from '../product/index.ts'

type Link = { readonly id: number }

export interface Part {
  readonly id: number
  readonly combo_item_id: Link | null
  readonly linked_line_id: Link | null
}

/** A choice of a combo and what it is worth. */
export interface Choice {
  readonly id: number
  readonly base: number
}

/** Share of each choice in the price of a combo; the last one takes the rounding difference. */
export function shareOut(price: number, choices: readonly Choice[], rounding: number): Map<number, number> {
  const sum = choices.reduce((total, choice) => addDecimals(total, choice.base), 0)
  const shares = new Map<number, number>()
  let left = price
  for (const [i, choice] of choices.entries()) {
    const even = sum === 0 ? asDecimal(price / choices.length) : asDecimal((choice.base / sum) * price)
    const share = i === choices.length - 1 ? left : roundHalfUp(even, rounding)
    shares.set(choice.id, share)
    left = addDecimals(left, -share)
  }
  return shares
}

/**
 * Prices of lines that are parts of combos, by line, in the currency of the order; `rate` takes extras there
 * from the company's.
 */
export async function comboShares(
  env: Environment,
  lines: readonly Part[],
  rate: number,
  options: PriceOptions,
): Promise<Map<number, number>> {
  const parts = lines.filter((line) => line.combo_item_id && line.linked_line_id)
  if (parts.length === 0) return new Map()
  const su = env.sudo()
  const combos = await su
    .model('sale.order.line')
    .browse([...new Set(parts.map((part) => present(part.linked_line_id).id))])
    .load([
      'product_id.product_tmpl_id.combo_ids.base_price',
      'product_uom_qty',
      'product_uom_id',
      'currency_id.rounding',
    ])
  const sold = combos.filter((combo) => combo.product_id)
  const asks = sold.map((line) => ({
    product: present(line.product_id).id,
    quantity: line.product_uom_qty,
    unit: line.product_uom_id?.id ?? null,
  }))
  const prices = await pricesOf(env, asks, options)
  const shares = new Map(
    sold.map((line, i) => {
      const choices = (line.product_id?.product_tmpl_id.combo_ids ?? []).map((choice) => ({
        id: choice.id,
        base: choice.base_price,
      }))
      return [
        line.id,
        shareOut(present(prices[i]).price, choices, line.currency_id?.rounding ?? 0.01),
      ] as const
    }),
  )
  const items = await su
    .model('product.combo.item')
    .browse([...new Set(parts.map((part) => present(part.combo_item_id).id))])
    .load(['combo_id', 'extra_price'])
  const chosen = new Map(items.map((item) => [item.id, item]))
  return new Map(
    parts.map((part) => {
      const item = chosen.get(present(part.combo_item_id).id)
      const share = shares.get(present(part.linked_line_id).id)?.get(item?.combo_id.id ?? 0) ?? 0
      return [part.id, addDecimals(share, asDecimal((item?.extra_price ?? 0) * (rate || 1)))]
    }),
  )
}
