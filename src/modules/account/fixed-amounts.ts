// Amounts of helper lines (deposits, discounts) as order and invoice lines keep them: `extra_tax_data`.
// Only the server computes them. Values that clients send under that name are dropped, because they
// would let a line show other taxes than its price and its taxes give.
import { fixedFor, fixedOf, type StoredFixed } from './tax-engine/index.ts'

type Vals = Readonly<Record<string, unknown>>

const computedHere = new WeakSet<object>()

/** Marks amounts that the server computed or read from a record, so that lines are created with them. */
export function trusted<A extends StoredFixed | null>(amounts: A): A {
  if (amounts) computedHere.add(amounts)
  return amounts
}

/** Values to create or change lines with, without amounts that a client sent. */
export function withoutSentAmounts<V extends Vals>(vals: V): V {
  const { extra_tax_data: sent } = vals
  if (!sent || (typeof sent === 'object' && computedHere.has(sent))) return vals
  const kept = { ...vals }
  Reflect.deleteProperty(kept, 'extra_tax_data')
  return kept
}

/** The result of `copy_data`: copies of lines keep their amounts. */
export function withTrustedAmounts<V extends Vals>(copies: readonly V[]): readonly V[] {
  for (const { extra_tax_data: amounts } of copies) trusted(fixedOf(amounts))
  return copies
}

interface Line {
  readonly price_unit: number
  readonly discount: number
  readonly extra_tax_data?: unknown
}

/** The amounts that a line has whatever its price gives; null for ordinary lines, and those that changed. */
export const fixedAmountsOf = (line: Line, quantity: number) =>
  line.extra_tax_data
    ? fixedFor(fixedOf(line.extra_tax_data), {
        priceUnit: line.price_unit,
        quantity,
        discount: line.discount,
      })
    : null
