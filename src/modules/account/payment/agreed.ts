// Payment methods and bank accounts that payments take from their contact.
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { agreedMethods, firstBank } from '../move/payment-conditions.ts'
import { payment } from './payment.contract.ts'

type Link = { readonly id: number }

interface Payment {
  readonly id: number
  readonly journal_id: Link
  readonly payment_type: string
  readonly partner_id: Link | null
}

/** The methods that were agreed with the contacts of payments, in the company of the journal, by payment. */
export async function methodsOf(
  env: Environment,
  payments: readonly Payment[],
): Promise<Map<number, number>> {
  const journals = await env
    .sudo()
    .model('account.journal')
    .browse([...new Set(payments.map((payment) => payment.journal_id.id))])
    .load(['company_id'])
  const companies = new Map(journals.map((journal) => [journal.id, journal.company_id.id]))
  return agreedMethods(
    env,
    payments.map(({ id, journal_id, payment_type, partner_id }) => ({
      id,
      company: companies.get(journal_id.id) ?? env.companyId,
      partner: partner_id?.id ?? null,
      isIncoming: payment_type !== 'outbound',
    })),
  )
}

/**
 * The account that the money goes to: the first one of the contact that the company may use, or the account
 * of the journal. Cash goes to no account.
 */
export const recipientBank = computedFields(
  payment,
  ['partner_bank_id'],
  ['journal_id', 'payment_type', 'partner_id'],
  async (payments, env) => {
    const payees = payments.map((payment) =>
      payment.payment_type === 'outbound' ? (payment.partner_id?.id ?? -1) : 0,
    )
    const journals = payments.map((payment) => payment.journal_id.id)
    const rows = await env.rows(
      sql`SELECT CASE WHEN o.type = 'cash' THEN NULL WHEN o.payee = 0 THEN o.own ELSE ${firstBank} END
        FROM (SELECT n.nr, n.payee, j.type, j.bank_account_id AS own, j.company_id AS company
          FROM unnest(${idList(payees)}, ${idList(journals)}) WITH ORDINALITY AS n (payee, journal, nr)
          JOIN account_journal j ON j.id = n.journal) AS o ORDER BY o.nr`,
      { reads: ['res.partner.bank', 'account.journal'], row: ['int?'] },
    )
    return new Map(payments.map(({ id }, i) => [id, { partner_bank_id: rows[i]?.[0] ?? null }]))
  },
  { editable: true },
)
