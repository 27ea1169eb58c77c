// Journal items (account.move.line): lines of invoices and all that is booked for them
// (spec/business-models.md section 8).
import {
  boolean,
  char,
  date,
  float,
  integer,
  json,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  required,
  returns,
  selection,
} from '#models'
import { accountTypes } from '../account-types.ts'
import { moveTypes } from './kinds.ts'
import type { DeliveredGoods, GoodsSold, SalesCost } from './sold-goods.ts'

const kept = { computed: true, stored: true, precompute: true, readonly: false } as const
const inCompanyCurrency = { currency: 'company_currency_id' } as const
const ofMove = { stored: true, precompute: true, copy: false } as const

export const line = model('account.move.line', {
  label: 'Journal Item',
  formsBySaving: true,
  order: 'date desc, move_name desc, id',
  recNamesSearch: ['name', 'move_id.name', 'ref'],
  rules: {
    balanced_sides: {
      // Storno items take back on their side: its amount is negative.
      check:
        'round(debit - credit - balance, 6) = 0 AND CASE WHEN is_storno THEN debit <= 0 AND credit <= 0 ELSE debit >= 0 AND credit >= 0 END',
      message: 'Debit less credit is the balance of an item.',
    },
    same_sign: {
      check: 'balance * amount_currency >= 0',
      message: 'The amounts of an item have one sign in both currencies.',
    },
    text_lines: {
      check:
        "display_type NOT IN ('line_section', 'line_subsection', 'line_note') OR (balance = 0 AND amount_currency = 0)",
      message: 'Sections and notes have no amounts.',
    },
    has_account: {
      check:
        "display_type IN ('line_section', 'line_subsection', 'line_note') OR account_id IS NOT NULL OR parent_state <> 'posted'",
      message: 'A posted item has an account.',
    },
    // Index of open items and due dates, which are read often.
    open_items: {
      index: ['account_id', 'partner_id', 'date_maturity'],
      where: "parent_state = 'posted' AND NOT reconciled",
    },
    // Sums of accounts over any period come from the index alone, and so do pages of the ledger.
    ledger: {
      index: ['company_id', 'account_id', 'date', 'id', 'debit', 'credit'],
      where: "parent_state = 'posted'",
    },
    tax_items: {
      index: ['company_id', 'tax_line_id', 'date', 'debit', 'credit'],
      where: "parent_state = 'posted' AND tax_line_id IS NOT NULL",
    },
    own_order: { index: ['date desc', 'move_name desc', 'id'] },
  },
  fields: {
    move_id: many2one('account.move', {
      label: 'Journal Entry',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    payment_id: many2one('account.payment', {
      label: 'Originator Payment',
      asStored: true,
      related: 'move_id.origin_payment_id',
    }),
    move_name: char({ label: 'Number', related: 'move_id.name', ...ofMove }),
    parent_state: selection(
      { draft: 'Draft', posted: 'Posted', cancel: 'Cancelled' },
      { label: 'Status', related: 'move_id.state', ...ofMove },
    ),
    date: date({ label: 'Date', related: 'move_id.date', ...ofMove }),
    invoice_date: date({ label: 'Invoice/Bill Date', related: 'move_id.invoice_date', ...ofMove }),
    journal_id: many2one('account.journal', {
      label: 'Journal',
      related: 'move_id.journal_id',
      ...ofMove,
      index: true,
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'move_id.company_id',
      ...ofMove,
      index: true,
    }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'move_id.company_currency_id',
      ...ofMove,
    }),
    move_type: selection(moveTypes, { label: 'Type', related: 'move_id.move_type' }),
    ref: char({ label: 'Reference', related: 'move_id.ref', ...ofMove }),
    sequence: integer({ label: 'Sequence', default: 100 }),
    display_type: selection(
      {
        product: 'Product',
        tax: 'Tax',
        rounding: 'Rounding',
        payment_term: 'Payment Term',
        line_section: 'Section',
        line_subsection: 'Subsection',
        line_note: 'Note',
        epd: 'Early Payment Discount',
        cogs: 'Cost of Goods Sold',
      },
      { label: 'Display Type', required: true, default: 'product' },
    ),
    name: char({ label: 'Label', ...kept, copy: true }),
    account_id: many2one('account.account', {
      label: 'Account',
      ondelete: 'restrict',
      index: true,
      ...kept,
      copy: true,
      checkCompany: true,
    }),
    partner_id: many2one('res.partner', {
      label: 'Partner',
      ondelete: 'restrict',
      index: true,
      ...kept,
      copy: true,
    }),
    currency_id: many2one('res.currency', { label: 'Currency', required: true, ...kept, copy: true }),
    debit: monetary({ label: 'Debit', ...inCompanyCurrency }),
    credit: monetary({ label: 'Credit', ...inCompanyCurrency }),
    balance: monetary({
      label: 'Balance',
      ...inCompanyCurrency,
      help: 'Debit less credit, in the currency of the company.',
    }),
    amount_currency: monetary({
      label: 'Amount in Currency',
      help: 'The balance in the currency of the item.',
    }),
    amount_residual: monetary({
      label: 'Residual Amount',
      computed: true,
      stored: true,
      ...inCompanyCurrency,
      help: 'Amount that is not reconciled yet.',
    }),
    amount_residual_currency: monetary({
      label: 'Residual Amount in Currency',
      computed: true,
      stored: true,
    }),
    reconciled: boolean({ label: 'Reconciled', computed: true, stored: true }),
    /** Matches in which the item is the credit, and those in which it is the debit. */
    matched_debit_ids: one2many('account.partial.reconcile', 'credit_move_id', { label: 'Matched Debits' }),
    matched_credit_ids: one2many('account.partial.reconcile', 'debit_move_id', { label: 'Matched Credits' }),
    full_reconcile_id: many2one('account.full.reconcile', {
      label: 'Matching',
      copy: false,
      index: true,
      ondelete: 'set null',
      readonly: true,
    }),
    matching_number: char({
      label: 'Matching #',
      copy: false,
      readonly: true,
      index: true,
      help: 'P and a number for partial reconciliations.',
    }),
    date_maturity: date({ label: 'Due Date', copy: false, index: true }),
    discount_date: date({
      label: 'Discount Date',
      copy: false,
      help: 'Last date of the early payment discount.',
    }),
    discount_amount_currency: monetary({ label: 'Discounted Amount in Currency', copy: false }),
    discount_balance: monetary({ label: 'Discounted Balance', copy: false, ...inCompanyCurrency }),
    product_id: many2one('product.product', {
      label: 'Product',
      ondelete: 'restrict',
      index: true,
      checkCompany: true,
    }),
    product_uom_id: many2one('uom.uom', { label: 'Unit', ondelete: 'restrict', ...kept, copy: true }),
    quantity: float({ label: 'Quantity', precision: 'Product Unit', default: 1 }),
    price_unit: float({ label: 'Unit Price', digits: false, ...kept, copy: true }),
    discount: float({ label: 'Discount (%)', precision: 'Discount', default: 0 }),
    tax_ids: many2many('account.tax', {
      label: 'Taxes',
      ...kept,
      copy: true,
      outlives: true,
      checkCompany: true,
      relation: {
        table: 'account_move_line_account_tax_rel',
        column: 'account_move_line_id',
        other: 'account_tax_id',
      },
      context: { active_test: false },
    }),
    price_subtotal: monetary({ label: 'Subtotal', readonly: true }),
    price_total: monetary({ label: 'Total', readonly: true }),
    tax_line_id: many2one('account.tax', {
      label: 'Originator Tax',
      ondelete: 'restrict',
      checkCompany: true,
      index: 'set',
      copy: false,
    }),
    group_tax_id: many2one('account.tax', {
      label: 'Originator Group of Taxes',
      ondelete: 'restrict',
      checkCompany: true,
      copy: false,
    }),
    tax_group_id: many2one('account.tax.group', {
      label: 'Originator tax group',
      asStored: true,
      related: 'tax_line_id.tax_group_id',
    }),
    tax_repartition_line_id: many2one('account.tax.repartition.line', {
      label: 'Originator Tax Distribution Line',
      ondelete: 'restrict',
      checkCompany: true,
      index: 'set',
      copy: false,
    }),
    tax_base_amount: monetary({ label: 'Base Amount', readonly: true, copy: false, ...inCompanyCurrency }),
    is_downpayment: boolean({ label: 'Is a down payment', copy: true }),
    extra_tax_data: json({
      label: 'Extra Tax Data',
      copy: true,
      help: 'Amounts of a deposit or a discount, which its price alone does not give to the cent.',
    }),
    is_stocked: boolean({
      label: 'Valued Perpetually',
      computed: true,
      help: 'The product of the line is in the books until it is sold, as its category says.',
    }),
    account_type: selection(accountTypes, { label: 'Internal Type', related: 'account_id.account_type' }),
  },
  methods: {
    reconcile: {
      doc: 'Reconciles debits with credits, in the order of their due dates.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
    delivered_goods: {
      doc: 'Returns the stock moves of lines of documents, by line. Modules that deliver orders wrap it.',
      private: true,
      params: {},
      returns: returns<ReadonlyMap<number, DeliveredGoods>>('object', 'dict'),
    },
    cost_of_sales: {
      doc: 'Returns the costs of goods that are sold without an invoice. Modules that value goods wrap it.',
      level: 'model',
      private: true,
      params: { sales: required<readonly GoodsSold[]>('array') },
      returns: returns<readonly (SalesCost | null)[]>('array', 'list'),
    },
    remove_move_reconcile: {
      doc: 'Undoes the reconciliation of items.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.move.line': AccountMoveLine
  }
  interface AccountMoveLine extends Of<typeof line> {}
}
