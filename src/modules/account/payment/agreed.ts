// Payment methods and bank accounts that payments take from their contact.
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { payment } from './payment.contract.ts'

type Link = { readonly id: number }

interface Agreeing {
  readonly id: number
  readonly journal_id: Link
  readonly payment_type: string
  readonly partner_id: Link | null
}

/** The methods that were agreed with the contacts of payments, in the company of the journal, by payment. */
export async function agreedMethods(
  env: Environment,
  payments: readonly Agreeing[],
): Promise<Map<number, number>> {
  const su = env.sudo()
  const journals = await su
    .model('account.journal')
    .browse([...new Set(payments.map((payment) => payment.journal_id.id))])
    .load(['company_id'])
  const companies = new Map(journals.map((journal) => [journal.id, journal.company_id.id]))
  const methods = new Map<number, number>()
  for (const [company, group] of Map.groupBy(
    payments,
    (payment) => companies.get(payment.journal_id.id) ?? env.companyId,
  )) {
    const partners = await su
      .withCompany(company)
      .model('res.partner')
      .browse([...new Set(group.flatMap((payment) => payment.partner_id?.id ?? []))])
      .load(['property_inbound_payment_method_line_id', 'property_outbound_payment_method_line_id'])
    const partnerById = new Map(partners.map((partner) => [partner.id, partner]))
    for (const { id, partner_id, payment_type } of group) {
      const partner = partnerById.get(partner_id?.id ?? 0)
      const method =
        payment_type === 'outbound'
          ? partner?.property_outbound_payment_method_line_id
          : partner?.property_inbound_payment_method_line_id
      if (method) methods.set(id, method.id)
    }
  }
  return methods
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
      sql`SELECT CASE WHEN j.type = 'cash' THEN NULL WHEN o.payee = 0 THEN j.bank_account_id ELSE
          (SELECT b.id FROM res_partner_bank b WHERE b.active AND b.partner_id = o.payee
            AND (b.company_id IS NULL OR b.company_id = j.company_id) ORDER BY b.sequence, b.id LIMIT 1) END
        FROM unnest(${idList(payees)}, ${idList(journals)}) WITH ORDINALITY AS o (payee, journal, nr)
        JOIN account_journal j ON j.id = o.journal ORDER BY o.nr`,
      { reads: ['res.partner.bank', 'account.journal'], row: ['int?'] },
    )
    return new Map(payments.map(({ id }, i) => [id, { partner_bank_id: rows[i]?.[0] ?? null }]))
  },
  { editable: true },
)
