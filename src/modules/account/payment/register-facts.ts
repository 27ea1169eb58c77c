// Further fields of the form that pays documents (account.payment.register): bank accounts, the
// difference, instalments, number of payments.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  html,
  implement,
  integer,
  json,
  many2many,
  many2one,
  monetary,
  type Of,
} from '#models'
import { readonlyActionMethod, shownRecords } from '../../base/index.ts'
import { isPaidToCompany } from '../move/payment-conditions.ts'
import { loadItems, paymentBatches } from './batches.ts'

const register = extend('account.payment.register', {
  fields: {
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
    payment_method_code: char({ label: 'Code', related: 'payment_method_line_id.payment_method_id.code' }),
    partner_bank_id: many2one('res.partner.bank', {
      label: 'Recipient Bank Account',
      computed: true,
      stored: true,
      readonly: false,
    }),
    available_partner_bank_ids: many2many('res.partner.bank', {
      label: 'Available Partner Bank',
      computed: true,
    }),
    custom_user_amount: monetary({ label: 'Custom User Amount', help: 'Amount entered by the user.' }),
    custom_user_currency_id: many2one('res.currency', { label: 'Custom User Currency' }),
    early_payment_discount_mode: boolean({
      label: 'Early Payment Discount Mode',
      computed: true,
      help: 'The amount is reduced by the early payment discount.',
    }),
    show_payment_difference: boolean({ label: 'Show Payment Difference', computed: true }),
    writeoff_is_exchange_account: boolean({
      label: 'Writeoff Is Exchange Account',
      computed: true,
      help: 'The difference is booked where differences of rates are.',
    }),
    is_register_payment_on_draft: boolean({ label: 'Is Register Payment On Draft', computed: true }),
    total_payments_amount: integer({
      label: 'Total Payments Amount',
      computed: true,
      help: 'Number of payments that the form creates.',
    }),
    duplicate_payment_ids: many2many('account.payment', { label: 'Duplicate Payment', computed: true }),
    hide_writeoff_section: boolean({
      label: 'Hide Writeoff Section',
      computed: true,
      help: 'The difference is the discount for paying early, which has its own accounts.',
    }),
    show_partner_bank_account: boolean({ label: 'Show Partner Bank Account', computed: true }),
    require_partner_bank_account: boolean({ label: 'Require Partner Bank Account', computed: true }),
    missing_account_partners: many2many('res.partner', {
      label: 'Missing Account Partners',
      computed: true,
      help: 'Contacts without the bank account that the payment method requires.',
    }),
    untrusted_bank_ids: many2many('res.partner.bank', {
      label: 'Untrusted Bank',
      computed: true,
      help: 'Accounts to pay that are not trusted.',
    }),
    untrusted_payments_count: integer({ label: 'Untrusted Payments Count', computed: true }),
    actionable_errors: json({ label: 'Actionable Errors', computed: true }),
    qr_code: html({
      label: 'QR Code URL',
      computed: true,
      help: 'Comes with modules for codes of countries.',
    }),
  },
  methods: {
    action_open_untrusted_bank_accounts: readonlyActionMethod('Shows the accounts that are not trusted.'),
    action_open_missing_account_partners: readonlyActionMethod('Shows the contacts without a bank account.'),
  },
})

declare module '#models' {
  interface PaymentRegister extends Of<typeof register> {}
}

/** One for each batch, or one for each document of it. */
const count = computedTogether(register, ['line_ids', 'group_payment'], async (forms, env) => {
  const rows = await loadItems(env, [...new Set(forms.flatMap((form) => form.line_ids.map(({ id }) => id)))])
  const itemsById = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    forms.map((form) => {
      const batches = paymentBatches(form.line_ids.flatMap(({ id }) => itemsById.get(id) ?? []))
      const documents = batches.flatMap(({ items }) => [...new Set(items.map((item) => item.move_id.id))])
      return [form.id, form.group_payment ? batches.length : documents.length]
    }),
  )
})

const banks = computedTogether(
  register,
  ['payment_type', 'partner_id', 'journal_id.bank_account_id'],
  async (forms, env) => {
    const holders = forms.flatMap((form) =>
      form.payment_type === 'outbound' ? (form.partner_id?.id ?? []) : [],
    )
    const bankAccounts = await env.model('res.partner.bank').search([['partner_id', 'in', holders]])
    const accounts = Map.groupBy(await bankAccounts.load(['partner_id']), (row) => row.partner_id.id)
    return new Map(
      forms.map((form) => [
        form.id,
        form.payment_type === 'outbound'
          ? (accounts.get(form.partner_id?.id ?? 0) ?? [])
          : [form.journal_id?.bank_account_id ?? []].flat(),
      ]),
    )
  },
)

/** For one payment: the account that its documents name, else the first one of those that it may go to. */
const recipientBank = computed(
  register,
  [
    'can_edit_wizard',
    'payment_type',
    'journal_id.type',
    'available_partner_bank_ids',
    'line_ids.move_id.partner_bank_id',
    'line_ids.move_id.move_type',
  ],
  (form) => {
    if (!form.can_edit_wizard || form.journal_id?.type === 'cash') return null
    const paidOut = form.payment_type === 'outbound' ? form.line_ids : []
    const named = paidOut.find(
      ({ move_id: move }) => !isPaidToCompany(move.move_type) && move.partner_bank_id,
    )?.move_id.partner_bank_id
    return named ?? form.available_partner_bank_ids[0] ?? null
  },
  { editable: true },
)

/** Accounts that the form sends money to, by form: that of the form, or the one each contact is paid to. */
const untrusted = computedFields(
  register,
  ['untrusted_bank_ids', 'untrusted_payments_count'],
  ['payment_type', 'partner_bank_id.allow_out_payment', 'line_ids.move_id.partner_bank_id.allow_out_payment'],
  (forms) =>
    new Map(
      forms.map(({ id, payment_type: type, partner_bank_id: bank, line_ids: items }) => {
        const banks =
          type !== 'outbound'
            ? []
            : bank
              ? [bank]
              : items.flatMap((item) => item.move_id.partner_bank_id ?? [])
        const ids = banks.flatMap((account) => (account.allow_out_payment ? [] : account.id))
        return [id, { untrusted_bank_ids: [...new Set(ids)], untrusted_payments_count: ids.length }]
      }),
    ),
)

const duplicates = computedTogether(
  register,
  ['partner_id', 'amount', 'payment_date', 'payment_type', 'currency_id'],
  async (forms, env) => {
    const similarPayments = await env.model('account.payment').search([
      ['partner_id', 'in', forms.flatMap((form) => form.partner_id?.id ?? [])],
      ['date', 'in', forms.map((form) => form.payment_date)],
      ['state', 'not in', ['canceled', 'rejected']],
    ])
    const rows = await similarPayments.load(['partner_id', 'amount', 'date', 'payment_type', 'currency_id'])
    return new Map(
      forms.map((form) => [
        form.id,
        rows.filter(
          (row) =>
            row.partner_id?.id === form.partner_id?.id &&
            row.amount === form.amount &&
            row.date === form.payment_date &&
            row.payment_type === form.payment_type &&
            row.currency_id.id === form.currency_id?.id,
        ),
      ]),
    )
  },
)

export default implement(register, {
  computed: {
    available_partner_bank_ids: banks,
    partner_bank_id: recipientBank,
    total_payments_amount: count,
    duplicate_payment_ids: duplicates,
    is_register_payment_on_draft: computed(register, ['line_ids.parent_state'], (register) =>
      register.line_ids.some((item) => item.parent_state === 'draft'),
    ),
    show_payment_difference: computed(
      register,
      ['can_edit_wizard', 'payment_difference', 'early_payment_discount_mode'],
      (register) =>
        register.can_edit_wizard &&
        register.payment_difference !== 0 &&
        !register.early_payment_discount_mode,
    ),
    // The form proposes a discount by writing the difference off at once (register.ts).
    early_payment_discount_mode: computed(
      register,
      ['payment_difference', 'payment_date', 'payment_difference_handling', 'line_ids.discount_date'],
      (register) =>
        register.payment_difference !== 0 &&
        register.payment_difference_handling === 'reconcile' &&
        register.line_ids.some(
          (item) => item.discount_date !== null && item.discount_date >= register.payment_date,
        ),
    ),
    writeoff_is_exchange_account: computed(
      register,
      [
        'writeoff_account_id',
        'company_id.income_currency_exchange_account_id',
        'company_id.expense_currency_exchange_account_id',
      ],
      ({ writeoff_account_id: account, company_id: company }) =>
        account !== null &&
        [
          company?.income_currency_exchange_account_id?.id,
          company?.expense_currency_exchange_account_id?.id,
        ].includes(account.id),
    ),
    ...untrusted,
    hide_writeoff_section: computed(
      register,
      ['early_payment_discount_mode'],
      (register) => register.early_payment_discount_mode,
    ),
    show_partner_bank_account: computed(
      register,
      ['journal_id.type'],
      ({ journal_id: journal }) => journal?.type !== 'cash',
    ),
    // No way of paying that is offered asks for an account.
    require_partner_bank_account: computed(register, [], () => false),
    missing_account_partners: computed(register, [], () => []),
    actionable_errors: computed(register, ['untrusted_bank_ids'], ({ untrusted_bank_ids: banks }) =>
      banks.length
        ? {
            untrusted_bank_accounts: {
              message:
                'Some recipient bank accounts are not trusted: check them, and allow sending money to them.',
              level: 'warning',
            },
          }
        : {},
    ),
    qr_code: computed(register, [], () => null),
  },
  methods: {
    action_open_untrusted_bank_accounts: async (forms) => {
      const rows = await forms.load(['untrusted_bank_ids'])
      return shownRecords(
        'Bank Accounts',
        'res.partner.bank',
        rows.flatMap(({ untrusted_bank_ids: banks }) => banks.map(({ id }) => id)),
      )
    },
    action_open_missing_account_partners: async (forms) => {
      const rows = await forms.load(['missing_account_partners'])
      return shownRecords(
        'Contacts',
        'res.partner',
        rows.flatMap(({ missing_account_partners: contacts }) => contacts.map(({ id }) => id)),
      )
    },
  },
})
