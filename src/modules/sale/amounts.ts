// Amounts of sales order lines and of whole orders, by what was ordered.
import type { Environment } from '#models'
import {
  type PricedLine as Priced,
  type Rounded,
  type TotalsOf as Totals,
  totalsFor as totalsOf,
} from '../account/index.ts'

/** A line as far as amounts go; loaded by `pricedPaths`. */
export interface PricedLine extends Priced {
  readonly product_uom_qty: number
}

export type TotalsOf = Totals<PricedLine>
export const pricedPaths = [
  'display_type',
  'price_unit',
  'product_uom_qty',
  'discount',
  'tax_ids',
  'extra_tax_data',
] as const

export const quantityOf = (line: PricedLine): number => line.product_uom_qty

/** The function that makes totals of these lines and documents. */
export const totalsFor = (
  env: Environment,
  lines: readonly PricedLine[],
  documents: readonly Rounded[],
): Promise<TotalsOf> => totalsOf(env, lines, documents, quantityOf)
