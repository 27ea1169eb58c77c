// References by which customers pay (payment_reference), as the journal of the invoice words them.

interface Invoice {
  readonly journal_id: { readonly invoice_reference_type: string; readonly invoice_reference_model: string }
  readonly partner_id: { readonly id: number; readonly ref: string | null } | null
}

const NOT_IN_REFERENCE = /[^0-9A-Z]/g
const NOT_DIGIT = /\D/g
/** Characters of a creditor reference after its check digits. */
const LONGEST = 21

/**
 * The reference of an invoice with this number: of the number, or of the customer, in the form that the
 * journal says.
 */
export function paymentReference(invoice: Invoice, number: string | null): string | null {
  const { invoice_reference_type: by, invoice_reference_model: form } = invoice.journal_id
  const partner = invoice.partner_id
  const isByPartner = by === 'partner' && partner !== null
  const name = isByPartner ? partner.ref || String(partner.id) : number
  if (!name) return number
  if (form === 'euro') return creditorReference(name)
  if (form === 'number') return name.replace(NOT_DIGIT, '') || name
  return isByPartner ? `CUST/${name}` : name
}

/** The structured creditor reference of ISO 11649: RF, two check digits (ISO 7064, mod 97-10), the text. */
function creditorReference(text: string): string {
  const reference = text.toUpperCase().replace(NOT_IN_REFERENCE, '').slice(-LONGEST)
  const digits = [...`${reference}RF00`].map((sign) => Number.parseInt(sign, 36)).join('')
  return `RF${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${reference}`
}
