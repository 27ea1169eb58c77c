// Additions of accounting to bank accounts of contacts (res.partner.bank): their journal, documents that
// name them, others with the same number, codes for payments.
import {
  computedTogether,
  extend,
  implement,
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
      help: 'Others who have an account of the same number.',
    }),
  },
  methods: {
    get_available_qr_methods_in_sequence: {
      doc: 'Codes for payments that may be printed, as code and name: modules of countries add theirs.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly (readonly [string, string, number])[]>('array', 'list'),
    },
    build_qr_code_url: {
      doc: 'The address of the code for a payment, where there is a method for it.',
      ...code,
    },
    build_qr_code_base64: {
      doc: 'The picture of the code for a payment, where there is a method for it.',
      ...code,
    },
  },
})

declare module '#models' {
  interface BankAccount extends Of<typeof account> {}
}

const twins = computedTogether(account, ['sanitized_acc_number', 'partner_id'], async (accounts, env) => {
  const numbers = accounts.flatMap((one) => one.sanitized_acc_number ?? [])
  const alike = await env.model('res.partner.bank').search([['sanitized_acc_number', 'in', numbers]])
  const rows = await alike.load(['sanitized_acc_number', 'partner_id'])
  return new Map(
    accounts.map((one) => [
      one.id,
      rows
        .filter(
          (row) =>
            row.sanitized_acc_number === one.sanitized_acc_number && row.partner_id.id !== one.partner_id.id,
        )
        .map((row) => row.partner_id.id),
    ]),
  )
})

export default implement(account, {
  computed: { duplicate_bank_partner_ids: twins },
  methods: {
    get_available_qr_methods_in_sequence: () => [],
    build_qr_code_url: () => null,
    build_qr_code_base64: () => null,
  },
})
