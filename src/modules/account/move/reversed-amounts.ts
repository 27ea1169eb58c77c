// Amounts of credit notes in the money of the company, which are those of the document that they take back.
import type { Records } from '#models'

/**
 * A document whose rate changed while it was a draft was converted item by item. Its credit note at the same
 * rate is converted so too: else it differs by cents from what it takes back.
 */
export async function convertAsReversed(notes: Records<'account.move'>): Promise<void> {
  const rows = await notes.load([
    'invoice_currency_rate',
    'line_ids.amount_currency',
    'line_ids.balance',
    'line_ids.display_type',
    'reversed_entry_id.invoice_currency_rate',
    'reversed_entry_id.line_ids.amount_currency',
    'reversed_entry_id.line_ids.balance',
    'reversed_entry_id.line_ids.display_type',
  ])
  const differing = rows.filter(
    ({ line_ids: items, reversed_entry_id: reversed, ...note }) =>
      reversed?.invoice_currency_rate === note.invoice_currency_rate &&
      amountsOf(items) !== amountsOf(reversed.line_ids),
  )
  await notes.writeEach(
    new Map(differing.map(({ id, invoice_currency_rate }) => [id, { invoice_currency_rate }])),
  )
}

interface Amounts {
  readonly display_type: string
  readonly amount_currency: number
  readonly balance: number
}

/** Amounts of lines and taxes in both currencies, whatever their sign and order. */
const amountsOf = (items: readonly Amounts[]): string =>
  items
    .filter(({ display_type }) => display_type !== 'payment_term')
    .map(({ amount_currency, balance }) => `${Math.abs(amount_currency)}/${Math.abs(balance)}`)
    .sort()
    .join()
