// Totals of documents as clients print them (tax_totals): the untaxed amount, each group of taxes, the
// total, in the currency of the document and in that of its company.
import type { Environment } from '#models'
import { addDecimals } from '../../kit/rounding.ts'

/** An amount in both currencies. */
interface Both {
  readonly currency: number
  readonly company: number
}

/** The sums that a document has of a group of taxes. */
export interface GroupSum {
  readonly group: number
  readonly taxes: readonly number[]
  readonly base: Both
  readonly amount: Both
}

/** A document whose totals are asked for. */
export interface Summed {
  readonly id: number
  readonly currency: number
  readonly companyCurrency: number
  readonly untaxed: Both
  readonly groups: readonly GroupSum[]
}

const plus = (a: Both, b: Both): Both => ({
  currency: addDecimals(a.currency, b.currency),
  company: addDecimals(a.company, b.company),
})

const inBoth = (name: string, { currency, company }: Both) => ({
  [`${name}_currency`]: currency,
  [name]: company,
})

type Facts = Awaited<ReturnType<typeof factsFor>>

/** Reads of currencies, groups and taxes what totals show of them: a bounded number of statements. */
async function factsFor(env: Environment, documents: readonly Summed[]) {
  const all = env.sudo().withContext({ active_test: false })
  const groups = documents.flatMap((document) => document.groups)
  const currencies = await all
    .model('res.currency')
    .browse([...new Set(documents.flatMap((document) => [document.currency, document.companyCurrency]))])
    .load(['rounding'])
  const groupRows = await all
    .model('account.tax.group')
    .browse([...new Set(groups.map(({ group }) => group))])
    .load(['name', 'sequence', 'preceding_subtotal', 'pos_receipt_label'])
  const taxes = await all
    .model('account.tax')
    .browse([...new Set(groups.flatMap((group) => group.taxes))])
    .load(['amount_type'])
  return {
    steps: new Map(currencies.map((currency) => [currency.id, currency.rounding])),
    groups: new Map(groupRows.map((row) => [row.id, row])),
    perPiece: new Set(taxes.flatMap((tax) => (tax.amount_type === 'fixed' ? [tax.id] : []))),
  }
}

/** A group of taxes: of taxes that are a fixed sum a piece, no base is shown. */
function groupRow({ group, taxes, base, amount }: GroupSum, { groups, perPiece }: Facts) {
  const hasBase = !taxes.every((tax) => perPiece.has(tax))
  const facts = groups.get(group)
  return {
    id: group,
    involved_tax_ids: taxes,
    ...inBoth('tax_amount', amount),
    ...inBoth('base_amount', base),
    display_base_amount_currency: hasBase && base.currency,
    display_base_amount: hasBase && base.company,
    group_name: facts?.name ?? '',
    group_label: facts?.pos_receipt_label ?? false,
  }
}

const NAME = 'Untaxed Amount'
const NOTHING: Both = { currency: 0, company: 0 }

/** Subtotals in the order of their groups: each holds the taxes of those above it. */
function subtotalsOf({ untaxed, groups }: Summed, facts: Facts) {
  const ordered = groups.toSorted((a, b) => {
    const [x, y] = [facts.groups.get(a.group), facts.groups.get(b.group)]
    return (x?.sequence ?? 0) - (y?.sequence ?? 0) || a.group - b.group
  })
  const parts = Map.groupBy(ordered, ({ group }) => facts.groups.get(group)?.preceding_subtotal ?? NAME)
  let base = untaxed
  return [...parts].map(([name, groupTaxes]) => {
    const amount = groupTaxes.reduce((sum, groupTax) => plus(sum, groupTax.amount), NOTHING)
    const row = {
      tax_groups: groupTaxes.map((groupTax) => groupRow(groupTax, facts)),
      ...inBoth('tax_amount', amount),
      ...inBoth('base_amount', base),
      name,
    }
    base = plus(base, amount)
    return row
  })
}

/** Totals by document. */
export async function taxTotals(
  env: Environment,
  documents: readonly Summed[],
): Promise<Map<number, Record<string, unknown>>> {
  const facts = await factsFor(env, documents)
  return new Map(
    documents.map((document) => {
      const tax = document.groups.reduce((sum, { amount }) => plus(sum, amount), NOTHING)
      return [
        document.id,
        {
          currency_id: document.currency,
          currency_pd: facts.steps.get(document.currency),
          company_currency_id: document.companyCurrency,
          company_currency_pd: facts.steps.get(document.companyCurrency),
          has_tax_groups: document.groups.length > 0,
          subtotals: subtotalsOf(document, facts),
          ...inBoth('base_amount', document.untaxed),
          ...inBoth('tax_amount', tax),
          // One base says it all where every group has that of the document.
          same_tax_base: document.groups.every(({ base }) => base.currency === document.untaxed.currency),
          ...inBoth('total_amount', plus(document.untaxed, tax)),
        },
      ]
    }),
  )
}
