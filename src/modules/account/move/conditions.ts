// Terms of documents in addition to their lines (account.move): delivery, payment method, bank account,
// how they were sent. Nothing is booked for them.
import {
  boolean,
  char,
  computed,
  date,
  extend,
  implement,
  json,
  many2many,
  many2one,
  monetary,
  type Of,
  one2many,
  selection,
  writable,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { isPaidToCompany, paymentMethod, recipientBank } from './payment-conditions.ts'

/** Computed before the entry is stored, and kept when a client writes it. */
const kept = { computed: true, stored: true, precompute: true, readonly: false, copy: true } as const

const move = extend('account.move', {
  fields: {
    delivery_date: date({
      label: 'Delivery Date',
      copy: false,
      help: 'When goods arrived or work was done.',
    }),
    taxable_supply_date: date({
      label: 'Taxable Supply Date',
      copy: false,
      help: 'Date relevant for the tax, if it differs from the invoice date.',
    }),
    invoice_incoterm_id: many2one('account.incoterms', {
      label: 'Incoterm',
      ondelete: 'restrict',
      help: 'Trade terms: which party pays freight and bears risks up to which place.',
    }),
    incoterm_location: char({ label: 'Incoterm Location' }),
    partner_bank_id: many2one('res.partner.bank', {
      label: 'Recipient Bank',
      ondelete: 'restrict',
      ...kept,
      help: 'The account that payments are to be sent to.',
    }),
    bank_partner_id: many2one('res.partner', {
      label: 'Bank Partner',
      computed: true,
      help: 'Owner of the bank accounts that payments are sent to: the company or the contact.',
    }),
    preferred_payment_method_line_id: many2one('account.payment.method.line', {
      label: 'Preferred Payment Method',
      checkCompany: true,
      ondelete: 'set null',
      ...kept,
    }),
    qr_code_method: selection(
      { sct_qr: 'SEPA Credit Transfer QR' },
      { label: 'Payment QR-code', copy: false, help: 'The code for payments that prints show.' },
    ),
    quick_edit_total_amount: monetary({
      label: 'Total (Tax inc.)',
      copy: false,
      help: 'Total printed on the bill, for quick entry.',
    }),
    invoice_source_email: char({
      label: 'Source Email',
      copy: false,
      help: 'Email address that the bill was received from.',
    }),
    is_manually_modified: boolean({ label: 'Is Manually Modified', copy: false }),
    is_move_sent: boolean({
      label: 'Is Move Sent',
      readonly: true,
      copy: false,
      help: 'The document was sent to its contact.',
    }),
    sending_data: json({
      label: 'Sending Data',
      copy: false,
      help: 'Settings for sending the document, until it is sent.',
    }),
    is_being_sent: boolean({ label: 'Is Being Sent', computed: true }),
    adjusting_entries_move_ids: many2many('account.move', {
      label: 'Created Adjusting Entries',
      copy: false,
      relation: adjusting('origin_move_id', 'adjusting_move_id'),
    }),
    adjusting_entry_origin_move_ids: many2many('account.move', {
      label: 'Adjusting Entry Origin Moves',
      copy: false,
      relation: adjusting('adjusting_move_id', 'origin_move_id'),
    }),
    tax_cash_basis_rec_id: many2one('account.partial.reconcile', {
      label: 'Tax Cash Basis Entry of',
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    tax_cash_basis_origin_move_id: many2one('account.move', {
      label: 'Cash Basis Origin',
      readonly: true,
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    tax_cash_basis_created_move_ids: one2many('account.move', 'tax_cash_basis_origin_move_id', {
      label: 'Cash Basis Entries',
    }),
  },
})

function adjusting(column: string, other: string) {
  return { table: 'account_move_adjusting_rel', column, other }
}

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

/** Sending method, payment method and delivery address may change after posting (recorded). */
const conditionsWritable = writable<'account.move'>({
  always: ['sending_data', 'invoice_source_email', 'preferred_payment_method_line_id', 'qr_code_method'],
  later: { posted: ['incoterm_location'] },
  server: [
    'is_manually_modified',
    'adjusting_entries_move_ids',
    'adjusting_entry_origin_move_ids',
    'tax_cash_basis_rec_id',
    'tax_cash_basis_created_move_ids',
  ],
})

export default implement(move, {
  writable: conditionsWritable,
  computed: {
    ...recipientBank,
    ...paymentMethod,
    is_being_sent: computed(move, ['sending_data'], (move) => move.sending_data !== null, {
      sql: (scope) => sql`(${scope.column('sending_data')} IS NOT NULL)`,
    }),
    // The recipient's bank account: the company's for sales, the contact's for purchases.
    bank_partner_id: computed(
      move,
      ['move_type', 'commercial_partner_id', 'company_id.partner_id'],
      (move) => (isPaidToCompany(move.move_type) ? move.company_id?.partner_id : move.commercial_partner_id),
    ),
  },
})
