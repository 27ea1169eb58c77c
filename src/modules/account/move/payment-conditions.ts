// Ways of payment that documents take from their contact (account.move): the bank account to pay to, and the
// payment method that was agreed.
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { isInvoice, isSale, signOf } from './kinds.ts'
import { move } from './move.contract.ts'

const editable = { editable: true } as const

/** Whether the money of a document goes to the company, not to the contact. */
export const isPaidToCompany = (type: string): boolean => signOf(type) === -1

/** The first bank account of a payee that a company may use: of the row `o` with these two, as SQL. */
export const firstBank = sql`(SELECT b.id FROM res_partner_bank b WHERE b.active AND b.partner_id = o.payee
  AND (b.company_id IS NULL OR b.company_id = o.company) ORDER BY b.sequence, b.id LIMIT 1)`

/** The first bank account of the party that gets the money. */
export const recipientBank = computedFields(
  move,
  ['partner_bank_id'],
  ['move_type', 'commercial_partner_id', 'company_id'],
  async (moves, env) => {
    const documents = moves.filter((move) => isInvoice(move.move_type))
    const payees = documents.map((document) =>
      isPaidToCompany(document.move_type) ? 0 : (document.commercial_partner_id?.id ?? -1),
    )
    const companies = documents.map((document) => document.company_id?.id ?? env.companyId)
    const rows = documents.length
      ? await env.rows(
          sql`SELECT ${firstBank} FROM (SELECT n.nr, COALESCE(NULLIF(n.payee, 0), c.partner_id) AS payee, c.id AS company
            FROM unnest(${idList(payees)}, ${idList(companies)}) WITH ORDINALITY AS n (payee, company, nr)
            JOIN res_company c ON c.id = n.company) AS o ORDER BY o.nr`,
          { reads: ['res.partner.bank', 'res.company'], row: ['int?'] },
        )
      : []
    const accounts = new Map(documents.map(({ id }, i) => [id, rows[i]?.[0] ?? null]))
    return new Map(moves.map(({ id }) => [id, { partner_bank_id: accounts.get(id) ?? null }]))
  },
  editable,
)

const methodFields = [
  'property_inbound_payment_method_line_id',
  'property_outbound_payment_method_line_id',
] as const

interface Agreeing {
  readonly id: number
  readonly company: number
  readonly partner: number | null
  readonly isIncoming: boolean
}

/** The payment methods that were agreed with contacts in a company, by what asks for them. */
export async function agreedMethods(
  env: Environment,
  asks: readonly Agreeing[],
): Promise<Map<number, number>> {
  const methods = new Map<number, number>()
  for (const [company, group] of Map.groupBy(asks, (ask) => ask.company)) {
    const partners = await env
      .sudo()
      .withCompany(company)
      .model('res.partner')
      .browse([...new Set(group.flatMap(({ partner }) => partner ?? []))])
      .load(methodFields)
    const partnerById = new Map(partners.map((partner) => [partner.id, partner]))
    for (const { id, partner, isIncoming } of group) {
      const method = partnerById.get(partner ?? 0)?.[methodFields[isIncoming ? 0 : 1]]
      if (method) methods.set(id, method.id)
    }
  }
  return methods
}

/** The payment method that was agreed with the contact: of customers for sales, of vendors for purchases. */
export const paymentMethod = computedFields(
  move,
  ['preferred_payment_method_line_id'],
  ['move_type', 'partner_id', 'company_id'],
  async (moves, env) => {
    const documents = moves.filter((move) => move.partner_id && isInvoice(move.move_type))
    const methods = await agreedMethods(
      env,
      documents.map(({ id, move_type: type, partner_id: partner, company_id: company }) => ({
        id,
        company: company?.id ?? env.companyId,
        partner: partner?.id ?? null,
        isIncoming: isSale(type),
      })),
    )
    return new Map(moves.map(({ id }) => [id, { preferred_payment_method_line_id: methods.get(id) ?? null }]))
  },
  { ...editable, asks: methodFields.map((path) => `partner_id.${path}`) },
)
