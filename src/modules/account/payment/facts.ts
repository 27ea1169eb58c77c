// Further fields of payments that clients read and open, apart from their states (account.payment):
// choices, paid documents, files and duplicates.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  extend,
  html,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
  returns,
  selection,
  writable,
} from '#models'
import { UserError } from '../../../errors.ts'
import { assertAllowed, shownRecords } from '../../base/index.ts'

const action = returns<object>('object', 'dict')
const opens = { params: {}, returns: action } as const

const payment = extend('account.payment', {
  fields: {
    attachment_ids: one2many('ir.attachment', 'res_id', {
      label: 'Attachments',
      domain: [['res_model', '=', 'account.payment']],
    }),
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
    available_journal_ids: many2many('account.journal', { label: 'Available Journal', computed: true }),
    available_payment_method_line_ids: many2many('account.payment.method.line', {
      label: 'Available Payment Method Line',
      computed: true,
    }),
    available_partner_bank_ids: many2many('res.partner.bank', {
      label: 'Available Partner Bank',
      computed: true,
      help: 'Accounts that the money may go to: of the contact, or of the company.',
    }),
    duplicate_payment_ids: many2many('account.payment', {
      label: 'Duplicate Payment',
      computed: true,
      help: 'Others of the contact on the same day with the same amount.',
    }),
    paired_internal_transfer_payment_id: many2one('account.payment', {
      label: 'Paired Internal Transfer Payment',
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
    force_outstanding_account_id: many2one('account.account', {
      label: 'Forced Outstanding Account',
      copy: false,
      checkCompany: true,
      help: 'Account for the payment, in place of the account of its payment method.',
    }),
    payment_receipt_title: char({ label: 'Payment Receipt Title', computed: true }),
    reconciled_invoices_type: selection(
      { credit_note: 'Credit Note', invoice: 'Invoice' },
      { label: 'Reconciled Invoices Type', computed: true },
    ),
    need_cancel_request: boolean({ label: 'Need Cancel Request', related: 'move_id.need_cancel_request' }),
    show_partner_bank_account: boolean({ label: 'Show Partner Bank Account', computed: true }),
    require_partner_bank_account: boolean({ label: 'Require Partner Bank Account', computed: true }),
    qr_code: html({
      label: 'QR Code URL',
      computed: true,
      help: 'Comes with modules for codes of countries.',
    }),
  },
  methods: {
    button_open_invoices: {
      doc: 'The action that shows the customer invoices that payments paid.',
      ...opens,
    },
    button_open_bills: { doc: 'The action that shows the vendor bills that payments paid.', ...opens },
    button_open_statement_lines: {
      doc: 'The action that shows the lines of bank statements that payments are matched with.',
      ...opens,
    },
    action_open_business_doc: { doc: 'The action that shows a payment.', ...opens },
    button_request_cancel: {
      doc: 'Requests the cancellation from an authority, where one has to agree.',
      params: {},
    },
    button_open_journal_entry: { doc: 'The action that shows the entry of a payment.', ...opens },
  },
})

declare module '#models' {
  interface Payment extends Of<typeof payment> {}
}

type Payments = Records<'account.payment'>

const journals = computedTogether(payment, ['company_id'], async (payments, env) => {
  const paymentJournals = await env.model('account.journal').search([
    ['type', 'in', ['bank', 'cash', 'credit']],
    ['company_id', 'in', payments.flatMap((payment) => payment.company_id?.id ?? [])],
  ])
  const rows = await paymentJournals.load(['company_id'])
  return new Map(
    payments.map((payment) => [
      payment.id,
      rows.filter((row) => row.company_id.id === payment.company_id?.id),
    ]),
  )
})

const methodLines = computed(
  payment,
  [
    'payment_type',
    'journal_id.inbound_payment_method_line_ids',
    'journal_id.outbound_payment_method_line_ids',
  ],
  ({ payment_type, journal_id }) => journal_id[`${payment_type}_payment_method_line_ids`],
)

/** Accounts by their holder, of the companies that the caller works for. */
async function accountsOf(env: Environment, holders: readonly number[]) {
  const bankAccounts = await env
    .model('res.partner.bank')
    .search([['partner_id', 'in', [...new Set(holders)]]])
  return Map.groupBy(await bankAccounts.load(['partner_id']), (row) => row.partner_id.id)
}

const banks = computedTogether(
  payment,
  ['payment_type', 'partner_id', 'journal_id.bank_account_id', 'journal_id.type'],
  async (payments, env) => {
    const out = payments.filter((payment) => payment.payment_type === 'outbound')
    const accounts = await accountsOf(
      env,
      out.flatMap((one) => one.partner_id?.id ?? []),
    )
    return new Map(
      payments.map((payment) => [
        payment.id,
        payment.payment_type === 'outbound'
          ? (accounts.get(payment.partner_id?.id ?? 0) ?? [])
          : [payment.journal_id.bank_account_id ?? []].flat(),
      ]),
    )
  },
)

const duplicates = computedTogether(
  payment,
  ['state', 'partner_id', 'date', 'amount', 'currency_id', 'payment_type', 'company_id'],
  async (payments, env) => {
    const likely = payments.filter(
      (payment) => payment.partner_id && payment.amount > 0 && payment.state !== 'canceled',
    )
    const similarPayments = await env.model('account.payment').search([
      ['partner_id', 'in', likely.flatMap((row) => row.partner_id?.id ?? [])],
      ['date', 'in', likely.map((row) => row.date)],
      ['state', 'not in', ['canceled', 'rejected']],
    ])
    const rows = likely.length
      ? await similarPayments.load([
          'partner_id',
          'date',
          'amount',
          'currency_id',
          'payment_type',
          'company_id',
        ])
      : []
    const key = (row: (typeof rows)[number]) =>
      [
        row.partner_id?.id,
        row.date,
        row.amount,
        row.currency_id.id,
        row.payment_type,
        row.company_id?.id,
      ].join()
    const alike = Map.groupBy(rows, key)
    const twins = new Map(
      likely.map((row) => [row.id, (alike.get(key(row)) ?? []).filter(({ id }) => id !== row.id)]),
    )
    return new Map(payments.map(({ id }) => [id, twins.get(id) ?? []]))
  },
)

async function shownPaid(
  payments: Payments,
  name: string,
  field: 'reconciled_invoice_ids' | 'reconciled_bill_ids',
) {
  const rows = await payments.load([field])
  return shownRecords(name, 'account.move', [
    ...new Set(rows.flatMap((row) => row[field].map(({ id }) => id))),
  ])
}

export default implement(payment, {
  writable: writable<'account.payment'>({ server: ['paired_internal_transfer_payment_id'] }),
  computed: {
    available_journal_ids: journals,
    available_payment_method_line_ids: methodLines,
    available_partner_bank_ids: banks,
    duplicate_payment_ids: duplicates,
    payment_receipt_title: computed(payment, [], () => 'Payment Receipt'),
    reconciled_invoices_type: computed(payment, ['reconciled_invoice_ids.move_type'], (payment) =>
      payment.reconciled_invoice_ids.length > 0 &&
      payment.reconciled_invoice_ids.every((document) => document.move_type === 'out_refund')
        ? ('credit_note' as const)
        : ('invoice' as const),
    ),
    // Money in hand has no account to go to. No way of paying that is offered asks for one.
    show_partner_bank_account: computed(
      payment,
      ['journal_id.type'],
      (payment) => payment.journal_id.type !== 'cash',
    ),
    require_partner_bank_account: computed(payment, [], () => false),
    qr_code: computed(payment, [], () => null),
  },
  methods: {
    button_open_invoices: (payments) => shownPaid(payments, 'Paid Invoices', 'reconciled_invoice_ids'),
    button_open_statement_lines: async (payments) => {
      const rows = await payments.load(['reconciled_statement_line_ids'])
      const ids = rows.flatMap(({ reconciled_statement_line_ids: lines }) => lines.map(({ id }) => id))
      return shownRecords('Bank Statement Lines', 'account.bank.statement.line', [...new Set(ids)])
    },
    action_open_business_doc: async (payments) => {
      payments.ensureOne()
      await assertAllowed(payments, 'read')
      return shownRecords('Payment', 'account.payment', payments.ids)
    },
    button_request_cancel: async (payments) => {
      await assertAllowed(payments, 'write')
      throw new UserError('No approval of an authority is required: cancel the payment directly.')
    },
    button_open_bills: (payments) => shownPaid(payments, 'Paid Bills', 'reconciled_bill_ids'),
    button_open_journal_entry: async (payments) => {
      const rows = await payments.load(['move_id'])
      return shownRecords(
        'Journal Entry',
        'account.move',
        rows.flatMap((row) => row.move_id?.id ?? []),
      )
    },
  },
})
