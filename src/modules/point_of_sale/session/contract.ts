// Sessions (pos.session): a day at a point of sale, from the opening count to the closing entry.
import {
  boolean,
  char,
  datetime,
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

const object = returns<object>('object', 'dict')
const live = { computed: true } as const
const note = optional<string | null | false>('any', '', { annotation: 'str' })

export const session = model('pos.session', {
  label: 'Point of Sale Session',
  events: {
    closed: {
      doc: 'A session was closed and booked.',
      fields: ['name', 'config_id', 'state', 'start_at', 'stop_at', 'move_id'],
    },
  },
  order: 'id desc',
  rules: {
    // Two that open at once cannot both have it.
    one_open: {
      uniqueExpression: 'config_id',
      where: "state <> 'closed' AND rescue IS NOT TRUE",
      message: 'This point of sale already has an open session: close it first.',
    },
    by_config: { index: ['config_id', 'state', 'stop_at desc'] },
  },
  fields: {
    name: char({
      label: 'Session ID',
      required: true,
      default: '/',
      readonly: true,
      copy: false,
      index: true,
    }),
    config_id: many2one('pos.config', {
      label: 'Point of Sale',
      required: true,
      mustSend: true,
      ondelete: 'restrict',
      index: true,
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      asStored: false,
      index: true,
      ondelete: 'restrict',
    }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: false, ondelete: 'restrict' }),
    user_id: many2one('res.users', { label: 'Opened By', required: true, index: true, ondelete: 'restrict' }),
    state: selection(
      {
        opening_control: 'Opening Control',
        opened: 'In Progress',
        closing_control: 'Closing Control',
        closed: 'Closed & Posted',
      },
      {
        label: 'Status',
        required: true,
        default: 'opening_control',
        readonly: true,
        copy: false,
        index: true,
      },
    ),
    start_at: datetime({ label: 'Opening Date', readonly: true, copy: false }),
    stop_at: datetime({ label: 'Closing Date', readonly: true, copy: false }),
    opening_notes: text({ label: 'Opening Notes', copy: false }),
    closing_notes: text({ label: 'Closing Notes', copy: false }),
    rescue: boolean({ label: 'Recovery Session', default: false, copy: false }),
    access_token: char({ label: 'Security Token', copy: false, groups: 'base.group_system' }),
    login_number: integer({ label: 'Login Sequence Number', default: 0, copy: false }),
    /**
     * Raised by everything that adds to a session: two that meet here do not both go on with what they read
     * before.
     */
    changes: integer({ hidden: true, copy: false }),
    cash_control: boolean({ label: 'Has Cash Control', asStored: false, readonly: true }),
    cash_journal_id: many2one('account.journal', {
      label: 'Cash Journal',
      readonly: true,
      ondelete: 'restrict',
    }),
    cash_register_balance_start: monetary({ label: 'Starting Balance', readonly: true }),
    cash_register_balance_end_real: monetary({ label: 'Ending Balance', readonly: true, copy: false }),
    cash_register_total_entry_encoding: monetary({ label: 'Total Cash Transaction', ...live }),
    cash_register_balance_end: monetary({ label: 'Theoretical Closing Balance', ...live }),
    cash_register_difference: monetary({ label: 'Before Closing Difference', ...live }),
    cash_real_transaction: monetary({
      label: 'Transaction',
      readonly: true,
      copy: false,
      help: 'Cash that was put in or taken out.',
    }),
    order_ids: one2many('pos.order', 'session_id', { label: 'Orders' }),
    order_count: integer({ label: 'Order Count', ...live }),
    total_payments_amount: float({ label: 'Total Payments Amount', ...live }),
    payment_method_ids: many2many('pos.payment.method', {
      label: 'Payment Methods',
      related: 'config_id.payment_method_ids',
    }),
    move_id: many2one('account.move', {
      label: 'Journal Entry',
      readonly: true,
      copy: false,
      index: true,
      ondelete: 'restrict',
    }),
    update_stock_at_closing: boolean({ label: 'Stock should be updated at closing', readonly: true }),
    is_in_company_currency: boolean({ label: 'Is Using Company Currency', ...live }),
  },
  methods: {
    set_opening_control: {
      doc: 'Sets the opening cash and opens the session. Has no effect if it is already open.',
      params: { cashbox_value: required<number>('number'), notes: note },
    },
    delete_opening_control_session: {
      doc: 'Deletes a session without orders.',
      params: {},
      returns: object,
    },
    get_closing_control_data: {
      doc: 'Figures of the session: orders, expected cash, totals of payment methods.',
      params: {},
      returns: object,
    },
    post_closing_cash_details: {
      doc: 'Sets the counted cash.',
      params: { counted_cash: required<number>('number') },
      returns: object,
    },
    update_closing_control_state_session: {
      doc: 'Starts closing the session: no more orders are accepted.',
      params: { notes: note },
    },
    close_session_from_ui: {
      doc: 'Closes the session and posts its entries, or returns why it cannot.',
      params: {
        bank_payment_method_diff_pairs: optional<unknown[] | null>('any', null, {
          doc: 'Pairs of payment method and difference between counted and expected amount.',
          annotation: 'list | None',
        }),
      },
      returns: object,
    },
    action_pos_session_closing_control: {
      doc: 'Closes the session. A difference is posted to the account from a form.',
      params: {
        balancing_account: optional<unknown>('any', false, { annotation: 'int | bool' }),
        amount_to_balance: optional<unknown>('any', 0, { annotation: 'float' }),
        bank_payment_method_diffs: optional<unknown>('any', null, { annotation: 'dict | None' }),
      },
      returns: returns<unknown>('any', 'dict | bool'),
    },
    try_cash_in_out: {
      doc: 'Puts money into the drawer or takes some out.',
      params: {
        _type: required<string>('string', { doc: 'in or out' }),
        amount: required<number>('number'),
        reason: required<string>('string'),
        partner_id: optional<number | false>('integer', false, { annotation: 'int | bool' }),
        extras: optional<unknown>('any', null, { annotation: 'dict' }),
      },
    },
    note_drawer_opened: {
      doc: 'Records in the audit log that the drawer was opened without a sale.',
      params: { reason: required<string>('string') },
    },
    get_cash_in_out_list: {
      doc: 'Cash that was put into the drawer and taken out of it.',
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
    get_z_report: {
      doc: 'Figures of sessions: sales, refunds, taxes, payments, the drawer; by category, cashier and hour.',
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
    get_total_discount: {
      doc: 'Total of the discounts.',
      params: {},
      returns: returns<number>('number', 'float'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.session': PosSession
  }
  interface PosSession extends Of<typeof session> {}
}
