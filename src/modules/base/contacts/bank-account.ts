// Bank accounts of contacts (res.partner.bank). Numbers compare without punctuation; removing an account
// archives it.
import {
  boolean,
  char,
  computed,
  implement,
  integer,
  many2one,
  model,
  type Of,
  required,
  returns,
  selection,
  text,
} from '#models'
import { raw, sql } from '../../../sql/index.ts'
import { actionMethod } from '../shown.ts'
import { isNegative, positive } from './search-names.ts'

const account = model('res.partner.bank', {
  label: 'Bank Accounts',
  order: 'sequence, id',
  recName: 'acc_number',
  rules: {
    unique_number: {
      unique: ['sanitized_acc_number', 'partner_id'],
      message: 'The combination Account Number/Partner must be unique.',
    },
  },
  fields: {
    active: boolean({ label: 'Active', default: true }),
    acc_type: selection(
      { bank: 'Normal' },
      { label: 'Type', computed: true, help: 'The type of account, from the form of its number.' },
    ),
    acc_number: char({ label: 'Account Number', required: true }),
    sanitized_acc_number: char({
      label: 'Sanitized Account Number',
      readonly: true,
      help: 'Without punctuation, in capitals.',
    }),
    acc_holder_name: char({
      label: 'Account Holder Name',
      help: 'Name of the account holder, if it differs from the name of the contact.',
    }),
    partner_id: many2one('res.partner', {
      label: 'Account Holder',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    allow_out_payment: boolean({
      label: 'Send Money',
      default: false,
      copy: false,
      help: 'Whether payments may be sent to this account.',
    }),
    bank_id: many2one('res.bank', { label: 'Bank' }),
    bank_name: char({ label: 'Name', related: 'bank_id.name', readonly: false }),
    bank_bic: char({ label: 'Bank Identifier Code', related: 'bank_id.bic', readonly: false }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    currency_id: many2one('res.currency', { label: 'Currency' }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'partner_id.company_id',
      stored: true,
      computed: true,
    }),
    country_code: char({ label: 'Country Code', related: 'partner_id.country_id.code' }),
    partner_country_name: char({ label: 'Country Name', related: 'partner_id.country_id.name' }),
    clearing_number: char({ label: 'Clearing Number' }),
    note: text({ label: 'Notes' }),
    color: integer({ label: 'Color', computed: true, help: 'Green if payments may be sent to it.' }),
  },
  methods: {
    get_supported_account_types: {
      doc: 'Returns the types of account numbers, as code and name.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly (readonly [string, string])[]>('array', 'list'),
    },
    action_archive_bank: actionMethod('Archives accounts.'),
    retrieve_acc_type: {
      doc: 'The type of account, from the form of its number.',
      level: 'model',
      readonly: true,
      params: { acc_number: required<string>('string') },
      returns: returns<string>('string', 'str'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.partner.bank': BankAccount
  }
  interface BankAccount extends Of<typeof account> {}
}

/** The number without punctuation and spaces, in capitals. */
export const sanitized = (number: string): string => number.replace(/[\W_]+/g, '').toUpperCase()

const sanitizedValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sanitizedValue)
  // Wildcards of patterns stay.
  return typeof value === 'string' ? value.replace(/[^\w%\\]|_/g, '').toUpperCase() : value
}

/** Accounts are found by their number however it is typed. */
const byNumber = (operator: string, value: unknown): readonly unknown[] => [
  ['sanitized_acc_number', operator, sanitizedValue(value)],
]

const numberWithBank = computed(
  account,
  ['acc_number', 'bank_id.name'],
  (a) => (a.bank_id ? `${a.acc_number} - ${a.bank_id.name}` : a.acc_number),
  {
    sql: (scope) => {
      const bank = scope.model.fields.get('bank_id')
      return bank
        ? sql`(${scope.column('acc_number')} || COALESCE(' - ' || ${scope.join(bank).column('name')}, ''))`
        : null
    },
    search: (operator, value) => {
      const domain = byNumber(positive(operator), value)
      return isNegative(operator) ? ['!', ...domain] : domain
    },
  },
)

export default implement(account, {
  displayName: numberWithBank,
  methods: {
    get_supported_account_types: () => [['bank', 'Normal'] as const],
    retrieve_acc_type: () => 'bank',
    action_archive_bank: async (accounts) => {
      await accounts.write({ active: false })
      return { type: 'ir.actions.client', tag: 'reload' }
    },
  },
  searches: { acc_number: byNumber },
  computed: {
    color: computed(account, ['allow_out_payment'], ({ allow_out_payment: trusted }) => (trusted ? 10 : 1)),
    acc_type: computed(account, ['acc_number'], () => 'bank', {
      searchable: false,
      sql: () => raw("'bank'::text"),
    }),
  },
  prepare(vals) {
    // The number may be given under either name; the plain one is kept as it was written.
    const number = vals.acc_number ?? vals.sanitized_acc_number
    if (typeof number !== 'string') return
    vals.acc_number = number
    vals.sanitized_acc_number = sanitized(number)
  },
  wrapGeneric: {
    create: (next) => async (accounts, params) => {
      const list = params.vals_list as readonly Record<string, unknown>[]
      const owners = list.flatMap((vals) =>
        vals && !('acc_holder_name' in vals) && typeof vals.partner_id === 'number' ? vals.partner_id : [],
      )
      if (owners.length === 0) return next(accounts, params)
      const ownerRows = await accounts.env
        .sudo()
        .model('res.partner')
        .browse([...new Set(owners)])
        .load(['name'])
      const names = new Map(ownerRows.map((owner) => [owner.id, owner.name]))
      const named = list.map((vals) => {
        const name = vals && !('acc_holder_name' in vals) ? names.get(vals.partner_id as number) : undefined
        return name ? { ...vals, acc_holder_name: name } : vals
      })
      return next(accounts, { ...params, vals_list: named })
    },
    unlink: () => async (accounts) => {
      if (accounts.length) await accounts.write({ active: false })
      return true
    },
  },
})
