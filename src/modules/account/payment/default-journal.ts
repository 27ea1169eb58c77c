// Default journal and method of payments: the first journal of money, and its first method.
import type { Environment } from '#models'

/**
 * The first journal of money of a company, in the order of its journals; of those in the currency that is to
 * be paid, where there are some.
 */
export async function firstJournal(
  env: Environment,
  company: number,
  currency?: number,
): Promise<number | null> {
  const journals = await env
    .sudo()
    .model('account.journal')
    .search(
      [
        ['type', 'in', ['bank', 'cash', 'credit']],
        ['company_id', '=', company],
      ],
      currency === undefined ? { limit: 1 } : {},
    )
  if (currency === undefined) return journals.ids[0] ?? null
  const rows = await journals.load(['currency_id', 'company_id.currency_id'])
  const same = rows.find((row) => (row.currency_id ?? row.company_id.currency_id)?.id === currency)
  return (same ?? rows[0])?.id ?? null
}

/** The first way to pay that a journal offers in a direction. */
export async function firstMethod(env: Environment, journal: number, type: string): Promise<number | false> {
  const lines = await env
    .sudo()
    .model('account.payment.method.line')
    .search(
      [
        ['journal_id', '=', journal],
        ['payment_type', '=', type],
      ],
      { limit: 1 },
    )
  return lines.ids[0] ?? false
}
