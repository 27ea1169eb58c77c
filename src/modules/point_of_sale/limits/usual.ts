// What lines of orders usually cost: by the pricelists that their point of sale has, with the extras of
// values that were chosen; parts of a combo by the price of the whole.
import type { Environment } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { documentTotals, loadTaxes } from '../../account/index.ts'
import { pricesOf } from '../../product/index.ts'
import { roundingOf } from '../order/amounts.ts'
import type { LimitedRow, LimitedRowLine } from './rows.ts'

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => addDecimals(total, amount), 0)

/** The list that an order may be sold by: its own where the point of sale has it, else the usual one. */
function listOf({ pricelist_id: chosen, session_id: { config_id: config } }: LimitedRow): number | null {
  if (!config.use_pricelist) return null
  const isThere = config.available_pricelist_ids.some(({ id }) => id === chosen?.id)
  return (isThere ? chosen?.id : config.pricelist_id?.id) ?? null
}

/** A moment at which the order may have been made: while its session was open. */
function momentOf(row: LimitedRow, now: string): string {
  const begun = row.session_id.start_at ?? now
  return row.date_order < begun ? begun : row.date_order > now ? now : row.date_order
}

/** Extras of chosen values that the variant does not have in its price. */
function extraOf(line: LimitedRowLine): number {
  const { product_tmpl_id: template, product_template_attribute_value_ids: ofVariant } = line.product_id
  return sum(
    line.attribute_value_ids
      .filter(
        (value) => value.product_tmpl_id?.id === template.id && !ofVariant.some(({ id }) => id === value.id),
      )
      .map((value) => value.price_extra),
  )
}

/** Unit prices by line that need nobody; none of a line where any price is right. */
export async function usualPrices(
  env: Environment,
  rows: readonly LimitedRow[],
): Promise<Map<number, number[]>> {
  const now = nowUtc(env.now())
  const prices = new Map<number, number[]>()
  const groups = Map.groupBy(rows, (row) =>
    JSON.stringify([row.company_id?.id, row.currency_id?.id, listOf(row), momentOf(row, now).slice(0, 16)]),
  )
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const lines = group.flatMap((row) => row.lines)
    const inCompany = env.sudo().withCompany(first.company_id?.id ?? env.companyId)
    const listed = await pricesOf(
      inCompany,
      lines.map((line) => ({
        product: line.product_id.id,
        quantity: Math.abs(line.qty),
        extra: extraOf(line),
      })),
      {
        pricelist: listOf(first),
        date: momentOf(first, now),
        ...(first.currency_id ? { currency: first.currency_id.id } : {}),
      },
    )
    for (const [i, line] of lines.entries()) prices.set(line.id, [listed[i]?.price ?? 0])
    for (const row of group) {
      settleCombos(row, prices)
      await addUntaxed(env, row, prices)
      const tip = row.session_id.config_id.tip_product_id
      for (const line of row.lines)
        if (line.product_id.id === tip?.id && line.price_unit >= 0) prices.set(line.id, [])
    }
  }
  return prices
}

/**
 * Parts of a combo share its price: where the whole comes to it, each part costs what the till says. Lines
 * that are no part of the combo by the product's choices cost what they cost alone.
 */
function settleCombos({ lines, ...row }: LimitedRow, prices: Map<number, number[]>): void {
  const parts = Map.groupBy(
    lines.filter((line) => line.combo_parent_id),
    (line) => line.combo_parent_id?.id ?? 0,
  )
  for (const [id, chosen] of parts) {
    const whole = lines.find((line) => line.id === id)
    if (!whole || !chosen.every((part) => isPart(part, whole))) continue
    const choices = Map.groupBy(chosen, (part) => part.combo_item_id?.combo_id.id)
    const isTooMany = [...choices.values()].some(
      (same) => sum(same.map(({ qty }) => qty)) > whole.qty + 1e-9 || same.some(({ qty }) => qty < 0),
    )
    if (isTooMany) continue
    const extras = sum(
      chosen.map((part) => ((part.combo_item_id?.extra_price ?? 0) + extraOf(part)) * part.qty),
    )
    const expected = (prices.get(whole.id)?.[0] ?? 0) * whole.qty + extras
    const group = [whole, ...chosen]
    const sold = sum(group.map((line) => line.price_unit * line.qty))
    const near = (row.currency_id?.rounding ?? 0.01) * group.length
    if (Math.abs(sold - expected) > near * Math.max(1, whole.qty)) continue
    for (const line of group) prices.set(line.id, [line.price_unit])
  }
}

const isPart = (part: LimitedRowLine, whole: LimitedRowLine): boolean =>
  part.combo_item_id?.product_id.id === part.product_id.id &&
  whole.product_id.product_tmpl_id.combo_ids.some(({ id }) => id === part.combo_item_id?.combo_id.id)

/** Where a fiscal position of the till takes included taxes off, the price without them is right too. */
async function addUntaxed(env: Environment, row: LimitedRow, prices: Map<number, number[]>): Promise<void> {
  const { config_id: config } = row.session_id
  const position = row.fiscal_position_id?.id
  const isOfTill =
    position !== undefined &&
    [...config.fiscal_position_ids, config.default_fiscal_position_id].some(
      (allowed) => allowed?.id === position,
    )
  if (!isOfTill) return
  const taxesOf = await loadTaxes(
    env,
    row.lines.flatMap((line) => line.product_id.product_tmpl_id.taxes_id.map(({ id }) => id)),
  )
  for (const line of row.lines) {
    const [priceUnit = 0] = prices.get(line.id) ?? []
    const ofProduct = line.product_id.product_tmpl_id.taxes_id.filter(
      (tax) => tax.company_id.id === row.company_id?.id,
    )
    const taxes = taxesOf(ofProduct.map(({ id }) => id))
    const { untaxed } = documentTotals([{ priceUnit, quantity: 1, discount: 0, taxes }], roundingOf(row))
    if (untaxed !== priceUnit) prices.set(line.id, [priceUnit, untaxed])
  }
}
