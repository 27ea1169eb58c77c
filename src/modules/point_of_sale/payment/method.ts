// Ways to pay at a till (pos.payment.method): by a cash box, by a bank, or later on the customer's account.
import {
  binary,
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  required,
  returns,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, type Sql, sql } from '../../../sql/index.ts'
import { assertAllowed, assertAllowedAndExisting } from '../../base/index.ts'

/** Which methods a point of sale takes; seen from both sides. */
export const methodLinks = {
  table: 'pos_config_pos_payment_method_rel',
  column: 'pos_config_id',
  other: 'pos_payment_method_id',
} as const

export const method = model('pos.payment.method', {
  label: 'Point of Sale Payment Methods',
  dictionary: true,
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Method', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 0 }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    journal_id: many2one('account.journal', {
      label: 'Journal',
      ondelete: 'restrict',
      copy: false,
      index: true,
      checkCompany: true,
      domain: [['type', 'in', ['cash', 'bank']]],
      help: 'The cash box or bank that the money goes to; empty: the customer pays later.',
    }),
    type: selection(
      { cash: 'Cash', bank: 'Bank', pay_later: 'Customer Account' },
      { label: 'Type', computed: true },
    ),
    is_cash_count: boolean({ label: 'Cash', asStored: true, computed: true }),
    split_transactions: boolean({
      label: 'Identify Customer',
      help: 'Each payment is booked by itself, on its customer.',
    }),
    receivable_account_id: many2one('account.account', {
      label: 'Intermediary Account',
      ondelete: 'restrict',
      help: 'Account for payments until the session is closed. Empty: the point of sale account of the company.',
    }),
    outstanding_account_id: many2one('account.account', {
      label: 'Outstanding Account',
      ondelete: 'restrict',
      help: 'Account for payments until the bank confirms them. Empty: the account of the company.',
    }),
    payment_method_type: selection(
      { none: 'None required', terminal: 'Terminal', qr_code: 'Bank App (QR Code)' },
      { label: 'Integration', required: true, default: 'none' },
    ),
    use_payment_terminal: selection(() => ({}), {
      label: 'Use a Payment Terminal',
      help: 'The kind of terminal, as the till knows it.',
    }),
    qr_code_method: selection(() => ({}), { label: 'QR Code Format', copy: false }),
    default_qr: char({ label: 'Default QR Code', computed: true }),
    default_pos_receivable_account_name: char({
      label: 'Name of the Account for Tills',
      related: 'company_id.account_default_pos_receivable_account_id.display_name',
    }),
    image: binary({ label: 'Image', image: true, maxWidth: 50 }),
    config_ids: many2many('pos.config', {
      label: 'Point of Sale',
      copy: false,
      relation: { table: methodLinks.table, column: methodLinks.other, other: methodLinks.column },
    }),
    open_session_ids: many2many('pos.session', {
      label: 'Pos Sessions',
      computed: true,
      help: 'Open sessions that use the payment method.',
    }),
  },
  methods: {
    get_provider_status: {
      doc: 'Whether modules for payment terminals are installed.',
      level: 'model',
      readonly: true,
      params: { modules_list: required<unknown[]>('array', { annotation: 'list[str]' }) },
      returns: returns<object>('object', 'dict'),
    },
    get_qr_code: {
      doc: 'Returns the QR code with which a customer pays an amount, as an image.',
      readonly: true,
      params: {
        amount: required<number>('number', { annotation: 'float' }),
        free_communication: required<unknown>('any', { annotation: 'str' }),
        structured_communication: required<unknown>('any', { annotation: 'str' }),
        currency: required<number>('integer', { annotation: 'int' }),
        debtor_partner: required<unknown>('any', { annotation: 'int | bool' }),
      },
      returns: returns<string>('string', 'str'),
    },
  },
})

declare module '#models' {
  interface Models {
    'pos.payment.method': PosPaymentMethod
  }
  interface PosPaymentMethod extends Of<typeof method> {}
}

/** Sessions that are not closed, by method. */
export async function openSessions(
  env: Environment,
  methods: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT r.pos_payment_method_id, array_agg(s.id ORDER BY s.id) FROM pos_config_pos_payment_method_rel r
    JOIN pos_session s ON s.config_id = r.pos_config_id AND s.state <> 'closed'
    WHERE r.pos_payment_method_id = ANY(${idList([...methods])}) GROUP BY 1`,
    { reads: ['pos.session'], row: ['int', 'ints'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

const journalType = (journal: Sql) => sql`(SELECT j.type FROM account_journal j WHERE j.id = ${journal})`

/** Throws UserError for changes of methods that a session takes; their order may change. */
async function assertFree(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  if ((await openSessions(env, ids)).size)
    throw new UserError('A session takes this payment method: close it before you change the method.')
}

export default implement(method, {
  methods: {
    get_provider_status: async (methods, { modules_list }) => {
      await assertAllowed(methods, 'read')
      const providerModules = await methods
        .sudo()
        .env.model('ir.module.module')
        .search([['name', 'in', modules_list.filter((name): name is string => typeof name === 'string')]])
      return { state: await providerModules.read(['id', 'name', 'state'], null) }
    },
    get_qr_code: async (methods, payment) => {
      await assertAllowedAndExisting(methods, 'read')
      const {
        name,
        payment_method_type,
        qr_code_method,
        journal_id: journal,
      } = await methods
        .sudo()
        .one(['name', 'payment_method_type', 'qr_code_method', 'journal_id.bank_account_id'])
      const account = journal?.bank_account_id
      if (payment_method_type !== 'qr_code' || !qr_code_method || !account)
        throw new UserError(
          `${name} shows no codes: choose a QR code format, and a journal with a bank account, for the payment method.`,
        )
      const code = await methods
        .sudo()
        .env.model('res.partner.bank')
        .browse([account.id])
        .build_qr_code_base64({ ...payment, qr_method: qr_code_method, silent_errors: false })
      if (!code)
        throw new UserError(
          `No QR code can be created for this payment by ${name}: use another payment method.`,
        )
      return code
    },
  },
  defaults: { company_id: (env) => env.companyId },
  computed: {
    type: computed(
      method,
      ['journal_id.type'],
      ({ journal_id: journal }) =>
        journal?.type === 'cash' || journal?.type === 'bank' ? journal.type : 'pay_later',
      {
        searchable: false,
        sql: (scope) => sql`CASE WHEN ${journalType(scope.column('journal_id'))} IN ('cash', 'bank')
          THEN ${journalType(scope.column('journal_id'))} ELSE 'pay_later' END`,
      },
    ),
    is_cash_count: computed(method, ['journal_id.type'], (one) => one.journal_id?.type === 'cash', {
      sql: (scope) => sql`COALESCE(${journalType(scope.column('journal_id'))} = 'cash', FALSE)`,
    }),
    default_qr: computed(method, ['qr_code_method'], () => null),
    open_session_ids: computedTogether(method, [], async (methods, env) => {
      const open = await openSessions(
        env,
        methods.map(({ id }) => id),
      )
      return new Map(methods.map(({ id }) => [id, open.get(id) ?? []]))
    }),
  },
  checks: {
    'A payment method needs a journal of the type cash or bank: choose another journal.': computed(
      method,
      ['journal_id.type'],
      (one) => !one.journal_id || ['cash', 'bank'].includes(one.journal_id.type),
    ),
  },
  wrapWrite: (next) => async (methods, changes) => {
    const telling = changes.filter(({ vals }) => Object.keys(vals).some((name) => name !== 'sequence'))
    await assertFree(
      methods.env,
      telling.flatMap(({ ids }) => ids),
    )
    return next(methods, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (methods, params) => {
      await assertFree(methods.env, methods.ids)
      return next(methods, params)
    },
  },
})
