// Totals of invoices as clients print them (account.move): tax_totals, the total in words, legal notes
// of taxes.
import { binary, char, computedTogether, extend, html, implement, type Of } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { amountInWords } from '../../base/index.ts'
import { type GroupSum, type Summed, taxTotals } from '../tax-totals.ts'
import { loadTaxes } from '../taxes.ts'
import { isInvoice, signOf } from './kinds.ts'

const move = extend('account.move', {
  fields: {
    tax_totals: binary({
      label: 'Invoice Totals',
      computed: true,
      readonly: false,
      help: 'Untaxed amount, groups of taxes and total, in both currencies.',
    }),
    amount_total_words: char({ label: 'Amount total in words', computed: true }),
    taxes_legal_notes: html({
      label: 'Taxes Legal Notes',
      computed: true,
      help: "Legal notes of the document's taxes.",
    }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

interface Item {
  readonly display_type: string
  readonly amount_currency: number
  readonly balance: number
  readonly tax_ids: readonly { readonly id: number }[]
  readonly tax_line_id: { readonly id: number } | null
}

const isTax = (item: Item) => item.tax_line_id !== null

/** The sum of items in both currencies, with the sign of the document. */
function sumOf(items: readonly Item[], sign: number) {
  const total = (of: (item: Item) => number) =>
    sign * items.reduce((sum, item) => addDecimals(sum, of(item)), 0) + 0
  return { currency: total((item) => item.amount_currency), company: total((item) => item.balance) }
}

/**
 * Sums of the items that a document has, and not what its taxes would be today: a group has the items of its
 * taxes, and as base the items that its taxes were computed from.
 */
function groupsOf(
  items: readonly Item[],
  sign: number,
  groupsOn: (item: Item) => ReadonlyMap<number, readonly number[]>,
  groupOf: (tax: number) => number | undefined,
): GroupSum[] {
  const taxes = new Map<number, Set<number>>()
  const note = (group: number, tax: number) => taxes.set(group, (taxes.get(group) ?? new Set()).add(tax))
  for (const item of items)
    for (const [group, groupTaxes] of groupsOn(item)) for (const tax of groupTaxes) note(group, tax)
  for (const { tax_line_id: tax } of items) if (tax) note(groupOf(tax.id) ?? 0, tax.id)
  const isOf = (item: Item, group: number) =>
    item.tax_line_id !== null && groupOf(item.tax_line_id.id) === group
  return [...taxes].map(([group, groupTaxes]) => ({
    group,
    taxes: [...groupTaxes],
    base: sumOf(
      items.filter((item) => groupsOn(item).has(group) && !isOf(item, group)),
      sign,
    ),
    amount: sumOf(
      items.filter((item) => isOf(item, group)),
      sign,
    ),
  }))
}

const totals = computedTogether(
  move,
  [
    'move_type',
    'currency_id',
    'company_currency_id',
    'line_ids.display_type',
    'line_ids.amount_currency',
    'line_ids.balance',
    'line_ids.tax_ids',
    'line_ids.tax_line_id',
  ],
  async (moves, env) => {
    const documents = moves.filter((move) => isInvoice(move.move_type))
    const items = documents.flatMap((document) => document.line_ids)
    const taxesOf = await loadTaxes(env, [
      ...new Set(
        items.flatMap((item) => [...item.tax_ids, ...[item.tax_line_id ?? []].flat()].map(({ id }) => id)),
      ),
    ])
    const groupOf = (tax: number) => taxesOf([tax])[0]?.taxGroupId
    const groupsOn = (item: Item) =>
      new Map(
        [...Map.groupBy(taxesOf(item.tax_ids.map(({ id }) => id)), (tax) => tax.taxGroupId)].map(
          ([group, groupTaxes]) => [group, groupTaxes.map((tax) => tax.id)],
        ),
      )
    const summed = documents.map((document): Summed => {
      const amountItems = document.line_ids.filter((item) => item.display_type !== 'payment_term')
      const sign = signOf(document.move_type)
      return {
        id: document.id,
        currency: document.currency_id.id,
        companyCurrency: document.company_currency_id?.id ?? document.currency_id.id,
        untaxed: sumOf(
          amountItems.filter((item) => !isTax(item)),
          sign,
        ),
        groups: groupsOf(amountItems, sign, groupsOn, groupOf),
      }
    })
    const shown = await taxTotals(env, summed)
    return new Map(
      summed.map(({ id, currency, companyCurrency }) => [
        id,
        { ...shown.get(id), display_in_company_currency: currency !== companyCurrency },
      ]),
    )
  },
)

const words = computedTogether(move, ['amount_total', 'currency_id'], async (moves, env) => {
  const currencies = await env
    .sudo()
    .model('res.currency')
    .browse([...new Set(moves.map((move) => move.currency_id.id))])
    .load(['decimal_places', 'currency_unit_label', 'currency_subunit_label'])
  const byId = new Map(currencies.map((currency) => [currency.id, currency]))
  return new Map(
    moves.map((move) => {
      const currency = byId.get(move.currency_id.id)
      return [move.id, currency ? amountInWords(move.amount_total, currency) : null]
    }),
  )
})

const notes = computedTogether(move, ['line_ids.tax_ids'], async (moves, env) => {
  const taxesOn = (move: (typeof moves)[number]) => [
    ...new Set(move.line_ids.flatMap((item) => item.tax_ids.map(({ id }) => id))),
  ]
  const taxesOf = await loadTaxes(env, [...new Set(moves.flatMap(taxesOn))])
  const used = new Set(moves.flatMap((move) => taxesOf(taxesOn(move)).map((tax) => tax.id)))
  const rows = await env
    .sudo()
    .withContext({ active_test: false })
    .model('account.tax')
    .browse([...used])
    .load(['invoice_legal_notes'])
  const texts = new Map(rows.map((row) => [row.id, row.invoice_legal_notes]))
  return new Map(
    moves.map((move) => {
      const legalNotes = taxesOf(taxesOn(move)).flatMap((tax) => texts.get(tax.id) ?? [])
      return [move.id, [...new Set(legalNotes)].join('')]
    }),
  )
})

export default implement(move, {
  computed: { tax_totals: totals, amount_total_words: words, taxes_legal_notes: notes },
})
