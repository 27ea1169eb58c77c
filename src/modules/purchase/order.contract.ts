// Purchase orders (purchase.order): what they hold and what may be done with them.
import {
  boolean,
  char,
  datetime,
  html,
  integer,
  many2many,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  optional,
  returns,
  selection,
} from '#models'
import { orderFields, precomputed } from '../account/index.ts'
import { actionMethod } from '../base/index.ts'

const done = returns<true>('boolean', 'bool')
const action = returns<object>('object', 'dict')

export const orderStates = {
  draft: 'RFQ',
  sent: 'RFQ Sent',
  'to approve': 'To Approve',
  purchase: 'Purchase Order',
  cancel: 'Cancelled',
} as const

export const order = model('purchase.order', {
  label: 'Purchase Order',
  formsBySaving: true,
  order: 'priority desc, id desc',
  recNamesSearch: ['name', 'partner_ref'],
  rules: {
    own_order: { index: ['priority desc', 'id desc'] },
    number: { index: ['name'] },
    // For what changed since others asked last.
    changes: { index: ['write_date', 'id'] },
  },
  fields: {
    ...orderFields,
    priority: selection({ 0: 'Normal', 1: 'Urgent' }, { label: 'Priority', default: '0' }),
    partner_id: many2one('res.partner', { label: 'Vendor', required: true, index: true, checkCompany: true }),
    partner_ref: char({
      label: 'Vendor Reference',
      copy: false,
      help: "The vendor's own number of the order or the offer; bills are found by it.",
    }),
    state: selection(orderStates, {
      label: 'Status',
      default: 'draft',
      copy: false,
      readonly: true,
      index: true,
    }),
    locked: boolean({
      label: 'Locked',
      default: false,
      copy: false,
      help: 'A locked order cannot be cancelled.',
    }),
    date_order: datetime({
      label: 'Order Deadline',
      required: true,
      copy: false,
      index: true,
      help: 'Until when the order should be placed; prices are those of this day.',
    }),
    date_approve: datetime({ label: 'Confirmation Date', readonly: true, copy: false, index: true }),
    date_planned: datetime({
      label: 'Expected Arrival',
      computed: true,
      stored: true,
      copy: false,
      index: true,
      help: 'The earliest day of the lines. Writing it moves all of them.',
    }),
    date_calendar_start: datetime({ label: 'Date in calendars', asStored: true, computed: true }),
    origin: char({ label: 'Source', copy: false, help: 'The document that the order was made for.' }),
    user_id: many2one('res.users', { label: 'Buyer', index: true }),
    dest_address_id: many2one('res.partner', {
      label: 'Dropship Address',
      checkCompany: true,
      help: 'Where the vendor sends the goods, unless they come to the company.',
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
      ...precomputed,
    }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      ...precomputed,
      checkCompany: true,
      help: 'Replaces the taxes of products by those that the vendor charges.',
    }),
    note: html({ label: 'Terms and Conditions' }),
    order_line: one2many('purchase.order.line', 'order_id', { label: 'Order Lines', copy: true }),
    product_id: many2one('product.product', { label: 'Product', computed: true }),
    amount_total_cc: monetary({
      label: 'Total in currency',
      currency: 'company_currency_id',
      computed: true,
      stored: true,
      help: "The total in the company's currency.",
    }),
    invoice_status: selection(
      { no: 'Nothing to Bill', 'to invoice': 'Waiting Bills', invoiced: 'Fully Billed' },
      { label: 'Billing Status', computed: true, stored: true, index: true },
    ),
    invoice_ids: many2many('account.move', { label: 'Bills', asStored: true, computed: true }),
    invoice_count: integer({ label: 'Bill Count', asStored: true, computed: true }),
    is_late: boolean({
      label: 'Is Late',
      computed: true,
      help: 'The planned date has passed and goods are missing.',
    }),
  },
  methods: {
    print_quotation: actionMethod('Marks requests for quotation as sent; gives the report to print.'),
    button_confirm: {
      doc: 'Confirms requests for quotation, or requests approval; skips other orders.',
      params: {},
      returns: done,
    },
    button_approve: {
      doc: 'Approves orders that the caller may approve.',
      params: {
        force: optional<boolean>('boolean', false, {
          doc: "Approve whatever the amount is; does not extend the caller's rights",
        }),
      },
      returns: action,
    },
    button_cancel: {
      doc: 'Cancels orders that are not locked and have no posted bills. Received goods stay in stock.',
      params: {},
    },
    button_draft: {
      doc: 'Resets orders that are not confirmed to requests for quotation; skips others.',
      params: {},
      returns: done,
    },
    button_lock: { doc: 'Locks confirmed orders: they cannot be cancelled.', params: {} },
    button_unlock: { doc: 'Unlocks orders: they can be cancelled again.', params: {} },
    button_done: {
      doc: 'Locks confirmed orders, by the name that clients of earlier versions know.',
      params: {},
    },
    action_create_invoice: actionMethod(
      'Creates draft bills with all lines of orders, each with the quantity to bill, also if it is zero or negative. Orders of the same vendor and currency share a bill.',
    ),
    action_view_invoice: actionMethod('The action that shows the bills of orders.'),
  },
})

declare module '#models' {
  interface Models {
    'purchase.order': PurchaseOrder
  }
  interface PurchaseOrder extends Of<typeof order> {}
}
