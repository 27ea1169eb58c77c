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
  const parts = lines.filter((one) => one.combo_item_id && one.linked_line_id)
  if (parts.length === 0) return new Map()
  const su = env.sudo()
  const combos = await su
    .model('sale.order.line')
    .browse([...new Set(parts.map((one) => present(one.linked_line_id).id))])
    .load([
      'product_id.product_tmpl_id.combo_ids.base_price',
      'product_uom_qty',
      'product_uom_id',
      'currency_id.rounding',
    ])
  const sold = combos.filter((one) => one.product_id)
  const asks = sold.map((one) => ({
    product: present(one.product_id).id,
    quantity: one.product_uom_qty,
    unit: one.product_uom_id?.id ?? null,
  }))
  const prices = await pricesOf(env, asks, options)
  const shares = new Map(
    sold.map((one, i) => {
      const choices = (one.product_id?.product_tmpl_id.combo_ids ?? []).map((choice) => ({
        id: choice.id,
        base: choice.base_price,
      }))
      return [one.id, shareOut(present(prices[i]).price, choices, one.currency_id?.rounding ?? 0.01)] as const
    }),
  )
  const items = await su
    .model('product.combo.item')
    .browse([...new Set(parts.map((one) => present(one.combo_item_id).id))])
    .load(['combo_id', 'extra_price'])
  const chosen = new Map(items.map((item) => [item.id, item]))
  return new Map(
    parts.map((one) => {
      const item = chosen.get(present(one.combo_item_id).id)
      const share = shares.get(present(one.linked_line_id).id)?.get(item?.combo_id.id ?? 0) ?? 0
      return [one.id, addDecimals(share, asDecimal((item?.extra_price ?? 0) * (rate || 1)))]
    }),
  )
}
