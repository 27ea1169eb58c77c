// Amounts of lines of orders and of whole orders, sold or bought: what the tax engine makes of prices,
// quantities, discounts and taxes.

import { atOnce, type Environment } from '#models'
import { present } from '../../kit/present.ts'
import { fixedAmountsOf } from './fixed-amounts.ts'
import {
  documentTotals,
  type HelperLine,
  type HelperRequest,
  helperLines,
  isPerPiece,
  type Rounding,
  shownAmounts,
  type Tax,
  type TaxedLine,
} from './tax-engine/index.ts'
import { type GroupSum, type Summed, taxTotals } from './tax-totals.ts'
import { loadTaxes, type TaxesOf, taxPaths } from './taxes.ts'

type Link = { readonly id: number }

/** A line as far as amounts go, but for its quantity: orders name it differently. */
export interface PricedLine {
  readonly id: number
  readonly display_type: string | null
  readonly price_unit: number
  readonly discount: number
  readonly tax_ids: readonly Link[]
  /** Amounts of a deposit or a discount, where the model has them. */
  readonly extra_tax_data?: unknown
}

/** Rounding of a document's amounts: by its currency and the method of its company. */
export interface Rounded {
  readonly company: number
  readonly currency: number | null
}

/** Computes the totals of lines, rounded as their document. */
export type TotalsOf<L> = (lines: readonly L[], by: Rounded) => ReturnType<typeof documentTotals>

const CENT = 0.01

/** Fields that `totalsFor` reads itself, of documents whose lines are in the field `lines` (`asks`). */
export const totalsAsks = (lines: string): readonly string[] => [
  'company_id.tax_calculation_rounding_method',
  'currency_id.rounding',
  ...taxPaths.map((path) => `${lines}.tax_ids.${path}`),
]

/**
 * Loads what totals of these lines and documents need, a few queries whatever their number, and gives the
 * function that makes them.
 * Of a changed tax or company, documents take notice only when their own lines change: nothing here is a
 * dependency.
 */
export async function totalsFor<L extends PricedLine>(
  env: Environment,
  lines: readonly L[],
  documents: readonly Rounded[],
  quantityOf: (line: L) => number,
): Promise<TotalsOf<L>> {
  const { taxed, rulesOf } = await taxedBy(env, lines, documents, quantityOf)
  return (documentLines, document) => documentTotals(taxed(documentLines), rulesOf(document))
}

/** Input of the tax engine. */
interface Taxed<L> {
  /** Of those of the lines that have amounts. */
  readonly taxed: (lines: readonly L[]) => TaxedLine[]
  readonly rulesOf: (document: Rounded) => Rounding
  readonly taxesOf: TaxesOf<Tax>
}

async function taxedBy<L extends PricedLine>(
  env: Environment,
  lines: readonly L[],
  documents: readonly Rounded[],
  quantityOf: (line: L) => number,
): Promise<Taxed<L>> {
  const su = env.sudo()
  const companiesOf = su
    .model('res.company')
    .browse([...new Set(documents.map((document) => document.company))])
  const used = su
    .model('res.currency')
    .browse([...new Set(documents.flatMap((document) => document.currency ?? []))])
  const [taxes, companies, currencies] = await atOnce(
    env,
    () => loadTaxes(env, [...new Set(lines.flatMap((line) => line.tax_ids.map((tax) => tax.id)))]),
    () => companiesOf.load(['tax_calculation_rounding_method']),
    () => used.load(['rounding']),
  )
  const methods = new Map(companies.map((company) => [company.id, company.tax_calculation_rounding_method]))
  const steps = new Map(currencies.map((currency) => [currency.id, currency.rounding]))
  const asTaxed = (line: L): TaxedLine => {
    const quantity = quantityOf(line)
    return {
      priceUnit: line.price_unit,
      quantity,
      discount: line.discount,
      taxes: taxes(line.tax_ids.map((tax) => tax.id)),
      fixed: fixedAmountsOf(line, quantity),
    }
  }
  return {
    taxesOf: taxes,
    taxed: (documentLines) => documentLines.filter((line) => !line.display_type).map(asTaxed),
    rulesOf: ({ company, currency }) => ({
      rounding: (currency !== null && steps.get(currency)) || CENT,
      method: methods.get(company) ?? 'round_globally',
    }),
  }
}

interface OrderHelperLine extends HelperLine {
  /** As the lines of the order have them: groups of taxes stay groups, unless one tax of theirs is per piece. */
  readonly taxIds: readonly number[]
}

/**
 * Helper lines (deposits, discounts) for a share of these lines of a document; lines with another `group` get
 * lines of their own.
 */
export async function helperLinesOf<L extends PricedLine & { readonly group?: number | null }>(
  env: Environment,
  lines: readonly L[],
  document: Rounded,
  quantityOf: (line: L) => number,
  request: HelperRequest,
): Promise<OrderHelperLine[]> {
  const priced = lines.filter((line) => !line.display_type)
  const { taxed, rulesOf, taxesOf } = await taxedBy(env, priced, [document], quantityOf)
  const shared = taxed(priced).map((line, i) => ({ ...line, group: priced[i]?.group ?? null }))
  const taxIdsOf = ({ tax_ids }: L) =>
    tax_ids.flatMap(({ id }) => {
      const members = taxesOf([id])
      return members.some(isPerPiece) ? members.filter((tax) => !isPerPiece(tax)).map((tax) => tax.id) : [id]
    })
  return helperLines(shared, request, rulesOf(document)).map((helper) => ({
    ...helper,
    taxIds: taxIdsOf(present(priced[helper.first])),
  }))
}

/** Subtotal, tax and total of lines, by line: each by itself, rounded to its order's currency. */
export async function lineAmountsOf<
  L extends PricedLine & { readonly company_id: Link | null; readonly currency_id: Link | null },
>(env: Environment, lines: readonly L[], quantityOf: (line: L) => number) {
  const documentOf = (line: L) => ({
    company: line.company_id?.id ?? 0,
    currency: line.currency_id?.id ?? null,
  })
  const { taxed, rulesOf } = await taxedBy(env, lines, lines.map(documentOf), quantityOf)
  const amounts = new Map<number, { price_subtotal: number; price_tax: number; price_total: number }>()
  // A line does not depend on the others: those of one company and currency go together.
  for (const group of Map.groupBy(
    lines,
    (line) => `${line.company_id?.id}/${line.currency_id?.id}`,
  ).values()) {
    const shown = shownAmounts(taxed(group), rulesOf(documentOf(present(group[0]))))
    let at = 0
    for (const member of group) {
      const of = member.display_type ? null : shown[at++]
      const [untaxed, total] = [of?.untaxed ?? 0, of?.total ?? 0]
      amounts.set(member.id, { price_subtotal: untaxed, price_tax: total - untaxed, price_total: total })
    }
  }
  return amounts
}

/**
 * An order whose totals are shown: `rate` is what one of the company's currency is worth in that of the
 * order.
 */
interface Shown<L> extends Rounded {
  readonly id: number
  readonly companyCurrency: number
  readonly rate: number
  readonly lines: readonly L[]
}

/** Totals of orders as clients print them (tax_totals), by order. */
export async function orderTaxTotals<L extends PricedLine>(
  env: Environment,
  orders: readonly Shown<L>[],
  quantityOf: (line: L) => number,
): Promise<Map<number, Record<string, unknown>>> {
  const rounded = orders.flatMap((order) => [
    order,
    { company: order.company, currency: order.companyCurrency },
  ])
  const { taxed, rulesOf } = await taxedBy(
    env,
    orders.flatMap((order) => order.lines),
    rounded,
    quantityOf,
  )
  const summed = orders.map((order): Summed => {
    const orderRules = rulesOf(order)
    const company = rulesOf({ company: order.company, currency: order.companyCurrency })
    const lines = taxed(order.lines)
    const currency = order.currency ?? order.companyCurrency
    const conversion =
      currency === order.companyCurrency
        ? {}
        : { conversion: { rate: order.rate || 1, rounding: orderRules.rounding } }
    const inOrder = documentTotals(lines, orderRules)
    const inCompany = documentTotals(lines, { ...company, ...conversion })
    const taxesOf = Map.groupBy(inOrder.taxes, (tax) => tax.taxGroupId)
    return {
      id: order.id,
      currency,
      companyCurrency: order.companyCurrency,
      untaxed: { currency: inOrder.untaxed, company: inCompany.untaxed },
      groups: inOrder.groups.map(({ taxGroupId: group, base, amount }, i): GroupSum => {
        const converted = inCompany.groups[i]
        return {
          group,
          taxes: [...new Set((taxesOf.get(group) ?? []).map((tax) => tax.taxId))],
          base: { currency: base, company: converted?.base ?? base },
          amount: { currency: amount, company: converted?.amount ?? amount },
        }
      }),
    }
  })
  return taxTotals(env, summed)
}
