// Ways of payment that documents take from their contact (account.move): the bank account to pay to, and the
// payment method that was agreed.
import { computedFields } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { byCompany } from './from-partner.ts'
import { isInvoice, isSale, signOf } from './kinds.ts'
import { move } from './move.contract.ts'

const editable = { editable: true } as const

/** Whether the money of a document goes to the company, not to the contact. */
export const isPaidToCompany = (type: string): boolean => signOf(type) === -1

/** The first bank account of the party that gets the money which the company may use. */
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
          sql`SELECT (SELECT b.id FROM res_partner_bank b WHERE b.active AND b.partner_id = COALESCE(NULLIF(o.payee, 0), c.partner_id)
              AND (b.company_id IS NULL OR b.company_id = c.id) ORDER BY b.sequence, b.id LIMIT 1)
            FROM unnest(${idList(payees)}, ${idList(companies)}) WITH ORDINALITY AS o (payee, company, nr)
            JOIN res_company c ON c.id = o.company ORDER BY o.nr`,
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

/** The payment method that was agreed with the contact: of customers for sales, of vendors for purchases. */
export const paymentMethod = computedFields(
  move,
  ['preferred_payment_method_line_id'],
  ['move_type', 'partner_id', 'company_id'],
  async (moves, env) => {
    const methods = new Map<number, { readonly id: number } | null>()
    const documents = moves.filter((move) => move.partner_id && isInvoice(move.move_type))
    for (const [companyEnv, group] of byCompany(documents, env)) {
      const partners = await companyEnv
        .model('res.partner')
        .browse([...new Set(group.flatMap((member) => member.partner_id?.id ?? []))])
        .load(methodFields)
      const partnerById = new Map(partners.map((partner) => [partner.id, partner]))
      for (const { id, move_type: type, partner_id } of group) {
        const [inbound, outbound] = methodFields
        const field = isSale(type) ? inbound : outbound
        methods.set(id, partnerById.get(partner_id?.id ?? 0)?.[field] ?? null)
      }
    }
    return new Map(moves.map(({ id }) => [id, { preferred_payment_method_line_id: methods.get(id) ?? null }]))
  },
  { ...editable, asks: methodFields.map((path) => `partner_id.${path}`) },
)
