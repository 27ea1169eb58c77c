// Contacts (res.partner): their fiscal position, payment terms and accounts, per company; a company shares
// them with its people.
import { extend, implement, integer, many2one, type Of } from '#models'

const partner = extend('res.partner', {
  fields: {
    property_account_receivable_id: many2one('account.account', {
      label: 'Account Receivable',
      companyDependent: true,
      commercial: true,
      domain: [['account_type', '=', 'asset_receivable']],
      help: 'Account for amounts that the contact owes.',
    }),
    property_account_payable_id: many2one('account.account', {
      label: 'Account Payable',
      companyDependent: true,
      commercial: true,
      domain: [['account_type', '=', 'liability_payable']],
      help: 'Account for amounts owed to the contact.',
    }),
    property_account_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      companyDependent: true,
      commercial: true,
      help: 'The taxes and accounts used for the contact.',
    }),
    property_payment_term_id: many2one('account.payment.term', {
      label: 'Customer Payment Terms',
      companyDependent: true,
      commercial: true,
      help: 'Payment terms of sales to the contact.',
    }),
    property_supplier_payment_term_id: many2one('account.payment.term', {
      label: 'Vendor Payment Terms',
      companyDependent: true,
      commercial: true,
      help: 'Payment terms of purchases from the contact.',
    }),
    customer_rank: integer({
      label: 'Customer Rank',
      default: 0,
      copy: false,
      help: 'Above 0 for customers; programs send it along with a contact.',
    }),
    supplier_rank: integer({ label: 'Supplier Rank', default: 0, copy: false, help: 'Above 0 for vendors.' }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

export default implement(partner)
