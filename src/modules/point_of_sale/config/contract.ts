// Points of sale (pos.config): what one is made of, and what may be done with it.
import {
  boolean,
  char,
  date,
  float,
  integer,
  many2many,
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
import { methodLinks } from '../payment/method.ts'

const sequence = (label: string) =>
  many2one('ir.sequence', { label, ondelete: 'restrict', copy: false, readonly: true })
const live = { computed: true } as const
/** Administrators of the server, not managers of tills: receipts carry texts that the law requires. */
const ADMINISTRATORS = 'base.group_system'

export const config = model('pos.config', {
  label: 'Point of Sale Configuration',
  order: 'id',
  fields: {
    name: char({ label: 'Point of Sale', required: true }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    uuid: char({ label: 'Globally unique identifier', readonly: true, copy: false }),
    access_token: char({ label: 'Access Token', copy: false, groups: ADMINISTRATORS }),
    journal_id: many2one('account.journal', {
      label: 'Point of Sale Journal',
      ondelete: 'restrict',
      checkCompany: true,
      domain: [['type', 'in', ['general', 'sale']]],
      help: 'Journal of the entries of closed sessions.',
    }),
    invoice_journal_id: many2one('account.journal', {
      label: 'Invoice Journal',
      ondelete: 'restrict',
      checkCompany: true,
      domain: [['type', '=', 'sale']],
    }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: true, ...live }),
    payment_method_ids: many2many('pos.payment.method', {
      label: 'Payment Methods',
      copy: false,
      relation: methodLinks,
    }),
    use_pricelist: boolean({ label: 'Use a pricelist.' }),
    pricelist_id: many2one('product.pricelist', { label: 'Default Pricelist', ondelete: 'restrict' }),
    available_pricelist_ids: many2many('product.pricelist', { label: 'Available Pricelists' }),
    tax_regime_selection: boolean({ label: 'Tax Regime Selection value' }),
    fiscal_position_ids: many2many('account.fiscal.position', { label: 'Fiscal Positions' }),
    default_fiscal_position_id: many2one('account.fiscal.position', {
      label: 'Default Fiscal Position',
      ondelete: 'restrict',
    }),
    cash_control: boolean({
      label: 'Advanced Cash Control',
      ...live,
      help: 'The point of sale accepts cash.',
    }),
    cash_rounding: boolean({ label: 'Cash Rounding' }),
    rounding_method: many2one('account.cash.rounding', { label: 'Cash rounding', ondelete: 'restrict' }),
    only_round_cash_method: boolean({ label: 'Only apply rounding on cash' }),
    set_maximum_difference: boolean({
      label: 'Set Maximum Difference',
      help: 'Tills warn of counts that are off by more.',
    }),
    amount_authorized_diff: float({ label: 'Amount Authorized Difference' }),
    price_check: selection(
      { off: 'Believe the till', note: 'Note what differs', refuse: 'Refuse what differs' },
      {
        label: 'Check of totals',
        required: true,
        default: 'note',
        help: 'Totals of paid orders are computed again from their lines.',
      },
    ),
    limit_categories: boolean({ label: 'Restrict Categories' }),
    iface_available_categ_ids: many2many('pos.category', { label: 'Available PoS Product Categories' }),
    iface_tax_included: selection(
      { subtotal: 'Tax-Excluded Price', total: 'Tax-Included Price' },
      { label: 'Tax Display', required: true, default: 'total' },
    ),
    iface_tipproduct: boolean({ label: 'Product tips' }),
    tip_product_id: many2one('product.product', { label: 'Tip Product', ondelete: 'restrict' }),
    iface_cashdrawer: boolean({ label: 'Cashdrawer' }),
    iface_print_auto: boolean({ label: 'Automatic Receipt Printing' }),
    iface_big_scrollbars: boolean({ label: 'Large Scrollbars' }),
    manual_discount: boolean({
      label: 'Line Discounts',
      default: true,
      help: 'Off: every discount of a cashier needs the approval of a manager.',
    }),
    restrict_price_control: boolean({
      label: 'Restrict Price Modifications to Managers',
      help: 'Prices, taxes and totals other than the usual ones need the approval of a manager.',
    }),
    restrict_discounts: boolean({ label: 'Restrict Discounts' }),
    limit_discount: float({
      label: 'Discount of Cashiers (%)',
      digits: [5, 2],
      help: 'The highest discount without the approval of a manager.',
    }),
    restrict_refunds: boolean({ label: 'Restrict Refunds' }),
    limit_refund: monetary({
      label: 'Refund of Cashiers',
      help: 'The highest amount that an order gives back without the approval of a manager.',
    }),
    restrict_negative_orders: boolean({
      label: 'Restrict Money Out',
      help: 'Lines and orders below nothing that take no sale back need the approval of a manager.',
    }),
    restrict_drawer: boolean({
      label: 'Restrict Opening of the Drawer',
      help: 'A drawer opened without a sale needs the approval of a manager.',
    }),
    restrict_cash_out: boolean({
      label: 'Restrict Cash Out',
      help: 'Cash taken out of a drawer needs the approval of a manager.',
    }),
    is_margins_costs_accessible_to_every_user: boolean({ label: 'Margins & Costs' }),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type',
      ondelete: 'restrict',
      checkCompany: true,
      help: 'Operation type of goods sold at the counter: their numbers and source location.',
    }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      ondelete: 'restrict',
      checkCompany: true,
    }),
    ship_later: boolean({ label: 'Ship Later' }),
    picking_policy: selection(
      { direct: 'As soon as possible', one: 'When all products are ready' },
      { label: 'Shipping Policy', required: true, default: 'direct' },
    ),
    is_closing_entry_by_product: boolean({ label: 'Closing Entry by product' }),
    module_pos_restaurant: boolean({ label: 'Is a Bar/Restaurant' }),
    default_bill_ids: many2many('pos.bill', { label: 'Coins/Bills' }),
    note_ids: many2many('pos.note', { label: 'Note Models' }),
    printer_ids: many2many('pos.printer', { label: 'Order Printers' }),
    use_presets: boolean({ label: 'Use Presets' }),
    default_preset_id: many2one('pos.preset', { label: 'Default Preset', ondelete: 'restrict' }),
    available_preset_ids: many2many('pos.preset', { label: 'Available Presets' }),
    receipt_header: text({ label: 'Receipt Header' }),
    receipt_footer: text({ label: 'Receipt Footer' }),
    session_ids: one2many('pos.session', 'config_id', { label: 'Sessions' }),
    current_session_id: many2one('pos.session', { label: 'Current Session', ...live }),
    current_session_state: char({ label: 'Current Session State', ...live }),
    current_user_id: many2one('res.users', { label: 'Current Session Responsible', ...live }),
    has_active_session: boolean({ label: 'Has Active Session', ...live }),
    last_session_closing_cash: float({ label: 'Last Session Closing Cash', ...live }),
    last_session_closing_date: date({ label: 'Last Session Closing Date', ...live }),
    number_of_rescue_session: integer({ label: 'Number of Rescue Session', ...live }),
    /** Raised by every opening, so that two at the same moment conflict. */
    openings: integer({ hidden: true, copy: false }),
    order_seq_id: sequence('Order Sequence'),
    order_backend_seq_id: sequence('Order Backend Sequence'),
    order_line_seq_id: sequence('Order Line Sequence'),
    device_seq_id: sequence('Device Sequence'),
  },
  methods: {
    open_ui: actionMethod(
      'Opens the point of sale: checks its configuration, and creates a session unless one is open.',
    ),
    approve: {
      doc: 'Approves one action that cashiers may not do alone, by the PIN or badge of a manager. Send the returned token in the context of the call that does it, as pos_approvals, within 15 minutes. A token is valid once.',
      secret: true,
      params: {
        kind: required<unknown>('any', {
          doc: 'discount, price, refund, negative, drawer or cash_out',
          annotation: 'str',
        }),
        order: optional<unknown>('any', null, {
          doc: 'The uuid of the order, or its id if it has none; null for drawer and cash_out',
          annotation: 'str | int | None',
        }),
        amount: optional<number>('number', 0, {
          doc: 'The highest amount that is approved: percents of a discount, else money',
          annotation: 'float',
        }),
        login: optional<unknown>('any', null, { doc: 'The login of the manager', annotation: 'str | None' }),
        pin: optional<unknown>('any', null, { doc: 'Their PIN', annotation: 'str | None' }),
        badge: optional<unknown>('any', null, {
          doc: 'The code of their badge, in place of login and PIN',
          annotation: 'str | None',
        }),
      },
      returns: returns<object>('object', 'dict', 'token, expires_at, approved_by'),
    },
    register_new_device_identifier: {
      doc: 'Returns a unique number for a device that sells at the point of sale.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.config': PosConfig
  }
  interface PosConfig extends Of<typeof config> {}
}
