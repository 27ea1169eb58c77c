// Usual prices and taxes of order lines: by the pricelists that their point of sale has, with the extras of
// chosen values; parts of a combo share the price of the whole.
import type { Environment } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { loadTaxes, mapTaxes, priceUnderTaxes, type Tax, taxesOf } from '../../account/index.ts'
import { priceEpochs, pricesOf } from '../../product/index.ts'
import { sum } from '../order/amounts.ts'
import type { LimitedRow, LimitedRowLine } from './rows.ts'

/** Usual prices and taxes of the orders of a group. */
export interface UsualTerms {
  /** Unit prices by line that need no approval, the usual one first; none for tips: any price is right. */
  readonly prices: ReadonlyMap<number, readonly number[]>
  /** Sales taxes by product. */
  readonly productTaxes: ReadonlyMap<number, readonly number[]>
  /** Replaces taxes as the fiscal position of the orders does. */
  readonly mapped: (taxes: readonly number[]) => readonly number[]
  /** Taxes as the tax engine takes them. */
  readonly engineTaxes: (taxes: readonly number[]) => readonly Tax[]
}

/** The pricelist that an order may be sold by: the chosen one if the point of sale has it, else the usual one. */
function listOf({ pricelist_id: chosen, session_id: { config_id: config } }: LimitedRow): number | null {
  if (!config.use_pricelist) return null
  const isAvailable = config.available_pricelist_ids.some(({ id }) => id === chosen?.id)
  return (isAvailable ? chosen?.id : config.pricelist_id?.id) ?? null
}

/** A moment at which the order may have been made: while its session was open. */
function momentOf(row: LimitedRow, now: string): string {
  const begun = row.session_id.start_at ?? now
  return row.date_order < begun ? begun : row.date_order > now ? now : row.date_order
}

/** Orders in groups that share their prices: company, currency, lists, and times between changes of prices. */
export async function groupsByTerms(
  env: Environment,
  rows: readonly LimitedRow[],
): Promise<readonly (readonly LimitedRow[])[]> {
  const now = nowUtc(env.now())
  const epochOf = await priceEpochs(
    env,
    rows.map((row) => momentOf(row, now)),
  )
  const groups = Map.groupBy(rows, (row) =>
    [
      row.company_id?.id,
      row.currency_id?.id,
      row.fiscal_position_id?.id,
      listOf(row),
      epochOf(momentOf(row, now)),
    ].join(),
  )
  return [...groups.values()]
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

/** Usual prices and taxes of a group of `groupsByTerms`. */
export async function loadUsualTerms(env: Environment, rows: readonly LimitedRow[]): Promise<UsualTerms> {
  const first = present(rows[0])
  const lines = rows.flatMap((row) => row.lines)
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
      date: momentOf(first, nowUtc(env.now())),
      ...(first.currency_id ? { currency: first.currency_id.id } : {}),
    },
  )
  const productTaxes = await taxesOf(
    inCompany,
    lines.map((line) => line.product_id.id),
    false,
  )
  const mapped = await mapTaxes(inCompany, first.fiscal_position_id?.id ?? null)
  const taxes = [...productTaxes.values(), ...lines.map((line) => line.tax_ids.map(({ id }) => id))].flat()
  const engineTaxes = await loadTaxes(inCompany, [...taxes, ...mapped(taxes)])
  const prices = new Map(lines.map((line, i) => [line.id, [listed[i]?.price ?? 0]]))
  const terms = { prices, productTaxes, mapped, engineTaxes }
  for (const row of rows) {
    settleCombos(row, prices)
    if (hasPositionOfTill(row)) addMapped(row, prices, terms)
    const tip = row.session_id.config_id.tip_product_id
    for (const line of row.lines)
      if (line.product_id.id === tip?.id && line.price_unit >= 0) prices.set(line.id, [])
  }
  return terms
}

/**
 * Parts of a combo share its price: if the sum is right, the price that the till sent for each part is usual.
 * Lines that are not part of the combo by the product's choices keep their prices as single products.
 */
function settleCombos({ lines, currency_id: currency }: LimitedRow, prices: Map<number, number[]>): void {
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
    const near = (currency?.rounding ?? 0.01) * group.length
    // A part of less than nothing would let another cost more than the whole, and be taken back for that. The
    // last part has the rest of the rounding.
    if (expected >= 0 && group.some((line) => line.price_unit < -near)) continue
    if (Math.abs(sold - expected) > near * Math.max(1, whole.qty)) continue
    for (const line of group) prices.set(line.id, [line.price_unit])
  }
}

const isPart = (part: LimitedRowLine, whole: LimitedRowLine): boolean =>
  part.combo_item_id?.product_id.id === part.product_id.id &&
  whole.product_id.product_tmpl_id.combo_ids.some(({ id }) => id === part.combo_item_id?.combo_id.id)

/** Whether the fiscal position of an order is one of its point of sale. */
const hasPositionOfTill = ({ fiscal_position_id: position, session_id: { config_id: config } }: LimitedRow) =>
  position !== null &&
  [...config.fiscal_position_ids, config.default_fiscal_position_id].some(
    (allowed) => allowed?.id === position.id,
  )

/** Adds prices under the taxes of the fiscal position: prices that hold taxes change with them. */
function addMapped(
  { lines }: LimitedRow,
  prices: Map<number, number[]>,
  { productTaxes, mapped, engineTaxes }: UsualTerms,
): void {
  for (const line of lines) {
    const [usual = 0] = prices.get(line.id) ?? []
    const taxes = productTaxes.get(line.product_id.id) ?? []
    prices.set(line.id, [usual, priceUnderTaxes(usual, engineTaxes(taxes), engineTaxes(mapped(taxes)))])
  }
}
