// Orders of tills (pos.order): what they hold, and what may be done with them.
import {
  boolean,
  char,
  date,
  datetime,
  float,
  integer,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  optional,
  required,
  returns,
  selection,
  text,
} from '#models'
import { actionMethod } from '../../base/index.ts'

const object = returns<object>('object', 'dict')
const live = { computed: true } as const
const uncopied = { copy: false } as const

export const order = model('pos.order', {
  label: 'Point of Sale Orders',
  events: {
    paid: {
      doc: 'An order of a till was paid, or the money of a refund given back.',
      fields: ['name', 'pos_reference', 'amount_total', 'is_refund', 'session_id', 'partner_id'],
    },
    refunded: {
      doc: 'Goods of the order were taken back, all or some.',
      fields: ['name', 'pos_reference', 'amount_total', 'session_id', 'partner_id'],
    },
  },
  order: 'date_order desc, name desc, id desc',
  recNamesSearch: ['name', 'pos_reference'],
  rules: {
    uuid_unique: { unique: ['uuid'], message: 'An order with this uuid already exists.' },
    own_order: { index: ['date_order desc', 'name desc', 'id desc'] },
    of_session: { index: ['session_id', 'state'] },
    differing: { index: ['config_id', 'id'], where: "price_check = 'differs'" },
  },
  fields: {
    name: char({
      label: 'Order Ref',
      required: true,
      default: '/',
      readonly: true,
      copy: false,
      index: 'trigram',
    }),
    uuid: char({ label: 'Uuid', readonly: true, ...uncopied }),
    access_token: char({ label: 'Security Token', ...uncopied, index: true }),
    access_url: char({ label: 'Portal Access URL', ...live, help: 'No page of its own.' }),
    pos_reference: char({ label: 'Receipt Number', readonly: true, ...uncopied, index: 'trigram' }),
    tracking_number: char({ label: 'Order Number', readonly: true, ...uncopied }),
    sequence_number: integer({ label: 'Sequence Number', ...uncopied }),
    floating_order_name: char({ label: 'Order Name' }),
    ticket_code: char({ label: 'Ticket Code' }),
    source: selection({ pos: 'Point of Sale' }, { label: 'Origin', required: true, default: 'pos' }),
    date_order: datetime({ label: 'Date', required: true, index: true }),
    user_id: many2one('res.users', { label: 'Employee', index: true, ondelete: 'restrict' }),
    session_id: many2one('pos.session', {
      label: 'Session',
      required: true,
      mustSend: true,
      ondelete: 'restrict',
      copy: true,
    }),
    config_id: many2one('pos.config', { label: 'Point of Sale', index: true, ondelete: 'restrict' }),
    company_id: many2one('res.company', { label: 'Company', index: true, ondelete: 'restrict' }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: false, ondelete: 'restrict' }),
    currency_rate: float({
      label: 'Currency Rate',
      default: 1,
      help: "Value of one unit of the company's currency in the currency of the order.",
    }),
    partner_id: many2one('res.partner', { label: 'Customer', index: 'set', ondelete: 'restrict' }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist', ondelete: 'restrict' }),
    fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Fiscal Position',
      ondelete: 'restrict',
    }),
    preset_id: many2one('pos.preset', { label: 'Preset', ondelete: 'restrict' }),
    state: selection(
      { draft: 'New', cancel: 'Cancelled', paid: 'Paid', done: 'Posted' },
      { label: 'Status', required: true, default: 'draft', readonly: true, copy: false, index: true },
    ),
    lines: one2many('pos.order.line', 'order_id', { label: 'Order Lines', copy: true }),
    payment_ids: one2many('pos.payment', 'pos_order_id', { label: 'Payments' }),
    amount_total: monetary({ label: 'Total', required: true }),
    amount_tax: monetary({ label: 'Taxes', required: true }),
    amount_paid: monetary({ label: 'Paid', required: true }),
    amount_return: monetary({ label: 'Returned', required: true }),
    amount_difference: monetary({ label: 'Difference', copy: false, readonly: true }),
    margin: monetary({ label: 'Margin', ...live }),
    margin_percent: float({ label: 'Margin (%)', digits: [12, 4], ...live }),
    is_total_cost_computed: boolean({ label: 'Is the cost computed', ...live }),
    price_check: selection(
      { ok: 'As computed', differs: 'Differs' },
      {
        label: 'Check of totals',
        readonly: true,
        copy: false,
        help: 'Whether the till came to the same totals as the server.',
      },
    ),
    checked_total: monetary({ label: 'Total as computed', readonly: true, copy: false }),
    checked_tax: monetary({ label: 'Taxes as computed', readonly: true, copy: false }),
    to_invoice: boolean({ label: 'To invoice', ...uncopied }),
    account_move: many2one('account.move', {
      label: 'Invoice',
      readonly: true,
      ...uncopied,
      index: 'set',
      ondelete: 'set null',
    }),
    is_invoiced: boolean({ label: 'Is Invoiced', ...live }),
    invoice_status: selection(
      { invoiced: 'Fully Invoiced', to_invoice: 'To Invoice' },
      { label: 'Invoice Status', ...live },
    ),
    session_move_id: many2one('account.move', {
      label: 'Session Journal Entry',
      related: 'session_id.move_id',
    }),
    is_refund: boolean({ label: 'Is Refund', ...uncopied }),
    refunded_order_id: many2one('pos.order', {
      label: 'Refunded Order',
      asStored: false,
      readonly: true,
      ...uncopied,
      index: 'set',
      ondelete: 'restrict',
    }),
    reversed_move_ids: one2many('account.move', 'reversed_pos_order_id', { label: 'Reversal Entries' }),
    refund_orders_count: integer({ label: 'Number of Refund Orders', ...live }),
    has_refundable_lines: boolean({ label: 'Has Refundable Lines', ...live }),
    is_tipped: boolean({ label: 'Is this already tipped?', readonly: true, ...uncopied }),
    tip_amount: monetary({ label: 'Tip Amount', readonly: true, ...uncopied }),
    general_customer_note: text({ label: 'General Customer Note' }),
    internal_note: text({ label: 'Internal Note' }),
    shipping_date: date({ label: 'Shipping Date', ...uncopied }),
    is_edited: boolean({ label: 'Edited', asStored: false, ...uncopied }),
    has_deleted_line: boolean({ label: 'Has Deleted Line', ...uncopied }),
    nb_print: integer({ label: 'Number of Print', readonly: true, ...uncopied }),
    last_order_preparation_change: char({ label: 'Last preparation change', ...uncopied }),
    email: char({ label: 'Email', ...uncopied }),
    mobile: char({ label: 'Mobile', ...uncopied }),
    cashier: char({ label: 'Cashier', related: 'user_id.name' }),
  },
  methods: {
    sync_from_ui: {
      doc: 'Saves the orders of a till: creates new ones, updates drafts, and leaves others unchanged. All of them or none.',
      level: 'model',
      lenient: 'partial',
      params: {
        orders: required<object[]>('array', { annotation: 'list[dict]' }),
        partial: optional<boolean>('boolean', false, {
          doc: 'Save the valid orders and list the others under refused. Otherwise one invalid order rejects all.',
          annotation: 'bool',
        }),
      },
      returns: object,
    },
    read_pos_orders: {
      doc: 'Returns the orders that match a domain with all the data that tills need.',
      level: 'model',
      readonly: true,
      params: { domain: required<unknown[]>('domain', { annotation: 'DomainType' }) },
      returns: object,
    },
    search_paid_order_ids: {
      doc: 'A page of the paid orders of a point of sale, the newest first: ids with the moments of their last changes, and how many there are.',
      level: 'model',
      readonly: true,
      params: {
        config_id: required<number>('integer'),
        domain: required<unknown[]>('domain', { annotation: 'DomainType' }),
        limit: required<unknown>('limit', { annotation: 'int' }),
        offset: required<unknown>('offset', { annotation: 'int' }),
      },
      returns: object,
    },
    remove_from_ui: {
      doc: 'Deletes drafts. Returns the ids of the deleted orders.',
      level: 'model',
      params: { server_ids: required<number[]>('ids', { annotation: 'list[int]' }) },
      returns: returns<number[]>('ids', 'list[int]'),
    },
    action_pos_order_cancel: actionMethod('Cancels drafts.'),
    action_pos_order_paid: {
      doc: 'Completes a paid order.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    action_pos_order_invoice: actionMethod('Creates and posts the invoice of a paid order.'),
    add_payment: {
      doc: 'Adds a payment to an order.',
      params: { data: required<Record<string, unknown>>('object', { annotation: 'dict' }) },
    },
    after_payment: {
      doc: 'Runs once orders are paid; modules wrap it to do more.',
      private: true,
      params: {},
    },
    refund: actionMethod(
      'Creates draft refunds of everything not yet refunded of orders, in the open session.',
    ),
    get_noted_orders: {
      doc: 'Returns paid orders whose total differs from that of their lines, with both figures, newest first.',
      level: 'model',
      readonly: true,
      params: {
        config_id: optional<number | null>('integer', null, { annotation: 'int | None' }),
        limit: optional<unknown>('limit', 80, { annotation: 'int' }),
      },
      returns: returns<object[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.order': PosOrder
  }
  interface PosOrder extends Of<typeof order> {}
}
