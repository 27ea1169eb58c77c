// Entry of the tax engine: exact amounts of taxes on lines and documents. Pure functions; `../taxes.ts` gives
// them the taxes of a database.
export {
  type DocumentTotals,
  documentTotals,
  type GroupTotal,
  type LineTotals,
  type Rounding,
  type RoundingMethod,
  shownAmounts,
  type TaxTotal,
} from './document.ts'
export { type Decimal, exact, ONE_HUNDRED, roundTo, toNumber, total } from './exact.ts'
export {
  fixedFor,
  fixedOf,
  type HelperLine,
  type HelperRequest,
  helperLines,
  isPerPiece,
  type StoredFixed,
} from './helper-lines.ts'
export {
  computeLine,
  type FixedAmounts,
  type LineAmounts,
  type PriceMode,
  type TaxAmount,
  type TaxedLine,
} from './line.ts'
export { priceUnderTaxes } from './price.ts'
export { type Share, shareOut } from './share.ts'
export { inOrder, laterAffectedTaxes, type Ordered, type Tax } from './tax.ts'
