// Kinds of journal entries: which are invoices, of which side, in which direction their money goes.
export const moveTypes = {
  entry: 'Journal Entry',
  out_invoice: 'Customer Invoice',
  out_refund: 'Customer Credit Note',
  in_invoice: 'Vendor Bill',
  in_refund: 'Vendor Credit Note',
  out_receipt: 'Sales Receipt',
  in_receipt: 'Purchase Receipt',
} as const
export type MoveType = keyof typeof moveTypes

/** Names of documents where the side is clear (recording coverage-defects/d12). */
export const documentNames: Readonly<Record<MoveType, string>> = {
  ...moveTypes,
  out_invoice: 'Invoice',
  out_refund: 'Credit Note',
}

export const isInvoice = (type: string): boolean => type !== 'entry'
export const isSale = (type: string): boolean => type.startsWith('out_')
export const isPurchase = (type: string): boolean => type.startsWith('in_')
export const isRefund = (type: string): boolean => type.endsWith('_refund')

/** Sign of the items of income (or costs) of a document, in debits: income is credit. */
export const signOf = (type: string): 1 | -1 =>
  ['out_invoice', 'in_refund', 'out_receipt'].includes(type) ? -1 : 1

/** Types of journals that a kind of entry is kept in; null for any. */
export const journalTypesOf = (type: string): readonly string[] | null =>
  isSale(type) ? ['sale'] : isPurchase(type) ? ['purchase'] : null

/** Display types of invoice lines that users create. */
export const lineTypes = ['product', 'line_section', 'line_subsection', 'line_note'] as const
/** Items that follow from the lines of an invoice. */
export const generatedTypes: readonly string[] = ['tax', 'payment_term', 'rounding', 'epd']

/**
 * The name of an amount owed by a document: the reference that payments are to name, after the document's
 * own one where it has another (recording coverage-defects/d12). Null without the former.
 */
export const dueItemName = (ref: string | null, paymentReference: string | null): string | null =>
  ref && paymentReference && ref !== paymentReference ? `${ref} - ${paymentReference}` : paymentReference
