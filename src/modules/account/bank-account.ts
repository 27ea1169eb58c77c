// Additions of accounting to bank accounts of contacts (res.partner.bank): their journal, documents that
// name them, others with the same number, codes for payments.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  many2many,
  type Of,
  one2many,
  optional,
  required,
  returns,
} from '#models'

const any = (annotation: string) => required<unknown>('any', { annotation })
const forPayment = {
  amount: required<number>('number', { annotation: 'float' }),
  free_communication: any('str'),
  structured_communication: any('str'),
  currency: any('int'),
  debtor_partner: any('int'),
  qr_method: optional<unknown>('any', null, { annotation: 'str | None' }),
  silent_errors: optional<boolean>('boolean', true, { annotation: 'bool' }),
} as const
const code = {
  readonly: true,
  params: forPayment,
  returns: returns<string | null>('string', 'str | None'),
} as const

const account = extend('res.partner.bank', {
  fields: {
    journal_id: one2many('account.journal', 'bank_account_id', { label: 'Account Journal', readonly: true }),
    related_moves: one2many('account.move', 'partner_bank_id', { label: 'Related Moves' }),
    duplicate_bank_partner_ids: many2many('res.partner', {
      label: 'Duplicate Bank Partner',
      computed: true,
      help: 'Other contacts with an account of the same number.',
    }),
    has_iban_warning: boolean({
      label: 'Has Iban Warning',
      computed: true,
      stored: true,
      help: 'The account is in another country than its holder.',
    }),
    money_transfer_service: char({
      label: 'Money Transfer Service',
      computed: true,
      help: 'The service that holds the account and passes money on.',
    }),
    has_money_transfer_warning: boolean({
      label: 'Has Money Transfer Warning',
      computed: true,
      stored: true,
    }),
    partner_customer_rank: integer({ label: 'Customer Rank', related: 'partner_id.customer_rank' }),
    partner_supplier_rank: integer({ label: 'Supplier Rank', related: 'partner_id.supplier_rank' }),
    user_has_group_validate_bank_account: boolean({
      label: 'User Has Group Validate Bank Account',
      computed: true,
    }),
    lock_trust_fields: boolean({
      label: 'Lock Trust Fields',
      computed: true,
      help: 'Money may be sent to this account. Another user has to confirm changes.',
    }),
  },
  methods: {
    get_available_qr_methods_in_sequence: {
      doc: 'Methods of QR codes for payments, as code and name. Modules of countries add theirs.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly (readonly [string, string, number])[]>('array', 'list'),
    },
    build_qr_code_url: {
      doc: 'Returns the URL of the QR code for a payment, or null if no method supports it.',
      ...code,
    },
    build_qr_code_base64: {
      doc: 'Returns the image of the QR code for a payment in base64, or null if no method supports it.',
      ...code,
    },
  },
})

declare module '#models' {
  interface BankAccount extends Of<typeof account> {}
}

const twins = computedTogether(account, ['sanitized_acc_number', 'partner_id'], async (accounts, env) => {
  const numbers = accounts.flatMap((account) => account.sanitized_acc_number ?? [])
  const alike = await env.model('res.partner.bank').search([['sanitized_acc_number', 'in', numbers]])
  const rows = await alike.load(['sanitized_acc_number', 'partner_id'])
  return new Map(
    accounts.map((account) => [
      account.id,
      rows
        .filter(
          (row) =>
            row.sanitized_acc_number === account.sanitized_acc_number &&
            row.partner_id.id !== account.partner_id.id,
        )
        .map((row) => row.partner_id.id),
    ]),
  )
})

/** Services that pass money on, by the first four letters of their bank codes. */
const services: Readonly<Record<string, string>> = {
  TRWI: 'Wise',
  REVO: 'Revolut',
  PPLX: 'PayPal',
  MPEB: 'MangoPay',
}
const serviceOf = (bic: string | null): string | null =>
  services[bic?.slice(0, 4).toUpperCase() ?? ''] ?? null

/** Letters and digits of an IBAN: a country, two digits to check, and the number there. */
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/

const mayValidate = (env: Environment): boolean =>
  env.hasGroup('account.group_account_manager') || env.hasGroup('account.group_account_user')

export default implement(account, {
  computed: {
    has_iban_warning: computed(
      account,
      ['sanitized_acc_number', 'partner_id.country_id.code'],
      ({ sanitized_acc_number: number, partner_id: { country_id: country } }) =>
        IBAN.test(number ?? '') && Boolean(country?.code) && country?.code !== number?.slice(0, 2),
    ),
    money_transfer_service: computed(account, ['bank_id.bic'], ({ bank_id: bank }) =>
      serviceOf(bank?.bic ?? null),
    ),
    has_money_transfer_warning: computed(
      account,
      ['bank_id.bic'],
      ({ bank_id: bank }) => serviceOf(bank?.bic ?? null) !== null,
    ),
    user_has_group_validate_bank_account: computed(account, [], (_account, env) => mayValidate(env)),
    lock_trust_fields: computed(
      account,
      ['allow_out_payment'],
      ({ allow_out_payment: trusted }, env) => trusted && !mayValidate(env),
    ),
    duplicate_bank_partner_ids: twins,
  },
  methods: {
    get_available_qr_methods_in_sequence: () => [],
    build_qr_code_url: () => null,
    build_qr_code_base64: () => null,
  },
})
