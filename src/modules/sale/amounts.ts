// Amounts of order lines and of whole orders: what the tax engine makes of prices, quantities, discounts and taxes.
import type { Environment } from '#models'
import { documentTotals, loadTaxes, type TaxedLine } from '../account/index.ts'

/** A line as far as amounts go; loaded by `pricedPaths`. */
export interface PricedLine {
  readonly id: number
  readonly display_type: string | null
  readonly price_unit: number
  readonly product_uom_qty: number
  readonly discount: number
  readonly tax_ids: readonly { readonly id: number }[]
}

export const pricedPaths = ['display_type', 'price_unit', 'product_uom_qty', 'discount', 'tax_ids'] as const

/** How the amounts of a document are rounded: by its currency, in its company's way. */
export interface Rounded {
  readonly company: number
  readonly currency: number | null
}

export type TotalsOf = (lines: readonly PricedLine[], by: Rounded) => ReturnType<typeof documentTotals>

const CENT = 0.01

/**
 * Loads what totals of these lines and documents need, a few queries whatever their number, and gives the function that makes them.
 * Of a changed tax or company, documents take notice only when their own lines change: nothing here is a dependency.
 */
export async function totalsFor(env: Environment, lines: readonly PricedLine[], documents: readonly Rounded[]): Promise<TotalsOf> {
  const su = env.sudo()
  const taxes = await loadTaxes(env, [...new Set(lines.flatMap((line) => line.tax_ids.map((tax) => tax.id)))])
  const companies = await su
    .model('res.company')
    .browse([...new Set(documents.map((one) => one.company))])
    .load(['tax_calculation_rounding_method'])
  const currencies = await su
    .model('res.currency')
    .browse([...new Set(documents.flatMap((one) => one.currency ?? []))])
    .load(['rounding'])
  const methods = new Map(companies.map((one) => [one.id, one.tax_calculation_rounding_method]))
  const steps = new Map(currencies.map((one) => [one.id, one.rounding]))
  const taxed = (line: PricedLine): TaxedLine => ({
    priceUnit: line.price_unit,
    quantity: line.product_uom_qty,
    discount: line.discount,
    taxes: taxes(line.tax_ids.map((tax) => tax.id)),
  })
  return (own, { company, currency }) =>
    documentTotals(own.filter((line) => !line.display_type).map(taxed), {
      rounding: (currency !== null && steps.get(currency)) || CENT,
      method: methods.get(company) ?? 'round_globally',
    })
}
