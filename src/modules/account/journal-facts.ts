// Further fields of journals that clients read and open, apart from their entries (account.journal):
// bank account, payment methods, references of customers, statements, new documents.

import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  implement,
  type ModelName,
  many2many,
  many2one,
  monetary,
  type Of,
  optional,
  type Records,
  required,
  selection,
  text,
} from '#models'
import { today } from '../../kit/dates.ts'
import { idList, sql } from '../../sql/index.ts'
import { actionMethod, assertNoneMissing, shownWindow } from '../base/index.ts'
import { BOOKKEEPERS } from './account-types.ts'
import { setAccount } from './journal-accounts.ts'

const journal = extend('account.journal', {
  fields: {
    default_account_type: char({
      label: 'Default Account Type',
      computed: true,
      help: 'The type that its default account has, as a pattern.',
    }),
    invoice_reference_type: selection(
      { partner: 'Based on Customer', invoice: 'Based on Invoice' },
      { label: 'Communication Type', required: true, default: 'invoice' },
    ),
    invoice_reference_model: selection(
      { odoo: 'Full Reference', euro: 'European (RF83INV202500001)', number: 'Invoice Number' },
      { label: 'Communication Standard', required: true, default: 'odoo' },
    ),
    is_self_billing: boolean({ label: 'Self Billing', help: 'Bills are made here and sent to the vendor.' }),
    non_deductible_account_id: many2one('account.account', {
      label: 'Private Share Account',
      ondelete: 'restrict',
      checkCompany: true,
    }),
    sequence_override_regex: text({ label: 'Sequence Override Regex' }),
    incoming_einvoice_notification_email: char({ label: 'Send Copy To' }),
    invoice_template_pdf_report_id: many2one('ir.actions.report', {
      label: 'Invoice report',
      ondelete: 'set null',
    }),
    bank_statements_source: selection(
      { undefined: 'Undefined Yet' },
      { label: 'Bank Feeds', default: 'undefined' },
    ),
    company_partner_id: many2one('res.partner', {
      label: 'Account Holder',
      related: 'company_id.partner_id',
    }),
    bank_acc_number: char({
      label: 'Account Number',
      related: 'bank_account_id.acc_number',
      readonly: false,
    }),
    bank_id: many2one('res.bank', { label: 'Bank', related: 'bank_account_id.bank_id', readonly: false }),
    available_payment_method_ids: many2many('account.payment.method', {
      label: 'Available Payment Method',
      computed: true,
    }),
    selected_payment_method_codes: char({
      label: 'Selected Payment Method Codes',
      computed: true,
      help: 'Codes of the methods that it offers, between commas.',
    }),
    has_statement_lines: boolean({ label: 'Has Statement Lines', computed: true }),
    last_statement_id: many2one('account.bank.statement', { label: 'Last Statement', computed: true }),
    current_statement_balance: monetary({
      label: 'Current Statement Balance',
      computed: true,
      groups: BOOKKEEPERS,
      help: 'Balance of the bank by all statement lines.',
    }),
  },
  methods: {
    action_create_new: actionMethod('The action that opens a new document of the journal.'),
    open_action: actionMethod('The action that lists the documents of the journal.'),
    create_customer_payment: actionMethod('The action that opens a new payment of a customer.'),
    create_supplier_payment: actionMethod('The action that opens a new payment to a vendor.'),
    action_create_vendor_bill: actionMethod('The action that opens a new bill.'),
    action_post_all_entries: { doc: 'Posts all drafts of the journal dated today or earlier.', params: {} },
    set_bank_account: {
      doc: 'Sets the bank account of the company with this number on the journal; creates it if it does not exist.',
      params: {
        acc_number: required<string>('string'),
        bank_id: optional<number | null>('any', null, { annotation: 'int | None' }),
      },
    },
    show_sequence_holes: actionMethod(
      'The action that lists the entries next to gaps in the numbers of the journal.',
    ),
  },
})

declare module '#models' {
  interface Journal extends Of<typeof journal> {}
}

type Journals = Records<'account.journal'>

const defaultTypes: Readonly<Record<string, string>> = {
  sale: 'income%',
  purchase: 'expense%',
  bank: 'asset_cash',
  cash: 'asset_cash',
  credit: 'liability_credit_card',
}

const codes = computed(
  journal,
  ['inbound_payment_method_line_ids.code', 'outbound_payment_method_line_ids.code'],
  (journal) => {
    const lines = [...journal.inbound_payment_method_line_ids, ...journal.outbound_payment_method_line_ids]
    return `,${lines.map(({ code }) => code ?? '').join(',')},`
  },
)

const methods = computedTogether(journal, ['type'], async (journals, env) => {
  const { ids } = await env.sudo().model('account.payment.method').search([])
  const holdsMoney = (type: string) => ['bank', 'cash', 'credit'].includes(type)
  return new Map(journals.map(({ id, type }) => [id, holdsMoney(type) ? ids : []]))
})

const statements = computedFields(
  journal,
  ['has_statement_lines', 'last_statement_id', 'current_statement_balance'],
  [],
  async (journals, env) => {
    const rows = await env.rows(
      sql`SELECT j.id, EXISTS (SELECT FROM account_bank_statement_line l WHERE l.journal_id = j.id),
        (SELECT s.id FROM account_bank_statement s WHERE s.journal_id = j.id ORDER BY s.date DESC NULLS LAST, s.id DESC LIMIT 1),
        COALESCE((SELECT sum(l.amount) FROM account_bank_statement_line l JOIN account_move m ON m.id = l.move_id
          WHERE l.journal_id = j.id AND m.state = 'posted'), 0)::float8
      FROM account_journal j WHERE j.id = ANY(${idList(journals.map(({ id }) => id))})`,
      {
        reads: ['account.journal', 'account.bank.statement.line', 'account.bank.statement', 'account.move'],
        row: ['int', 'bool', 'int?', 'float'],
      },
    )
    return new Map(
      rows.map(([id, has_statement_lines, last_statement_id, balance]) => [
        id,
        { has_statement_lines, last_statement_id, current_statement_balance: Number(balance.toFixed(6)) },
      ]),
    )
  },
)

const opened = (name: string, res_model: ModelName, form: boolean, more: object): object =>
  shownWindow({
    name,
    res_model,
    view_mode: form ? 'form' : 'list,form',
    ...more,
  })

const firstKinds: Readonly<Record<string, string>> = { sale: 'out_invoice', purchase: 'in_invoice' }

async function single(journals: Journals) {
  journals.ensureOne()
  return journals.one(['name', 'type'])
}

async function newDocument(journals: Journals): Promise<object> {
  const { id, type } = await single(journals)
  const context = { default_journal_id: id, default_move_type: firstKinds[type] ?? 'entry' }
  return opened('New Document', 'account.move', true, { context })
}

async function documents(journals: Journals): Promise<object> {
  const { id, name, type } = await single(journals)
  const more = {
    domain: [['journal_id', '=', id]],
    context: { default_journal_id: id, default_move_type: firstKinds[type] ?? 'entry' },
  }
  return ['bank', 'cash', 'credit'].includes(type)
    ? opened(name, 'account.bank.statement.line', false, more)
    : opened(name, 'account.move', false, more)
}

async function newPayment(journals: Journals, payment_type: 'inbound' | 'outbound'): Promise<object> {
  const { id } = await single(journals)
  return opened('New Payment', 'account.payment', true, {
    context: {
      default_journal_id: id,
      default_payment_type: payment_type,
      default_partner_type: payment_type === 'inbound' ? 'customer' : 'supplier',
    },
  })
}

async function postAll(journals: Journals): Promise<null> {
  const { env } = journals
  assertNoneMissing(journals, await journals.load(['type']))
  const drafts = await env.model('account.move').search([
    ['journal_id', 'in', journals.ids],
    ['state', '=', 'draft'],
    ['auto_post', '=', 'no'],
    ['date', '<=', today(env.tz, env.now())],
  ])
  if (drafts.length) await drafts.action_post()
  return null
}

/** The most entries that the action names: a form that looks at holes shows the earliest of them. */
const MOST_HOLES = 1000

/** Entries of series in which a number is missing. */
async function entriesOfHoles(journals: Journals): Promise<object> {
  const { id, name } = await single(journals)
  const rows = await journals.env.rows(
    sql`SELECT m.id FROM account_move m WHERE m.journal_id = ${id}::int AND m.sequence_number > 0 AND m.sequence_form IN (
      SELECT n.sequence_form FROM account_move n WHERE n.journal_id = ${id}::int AND n.sequence_number > 0 GROUP BY n.sequence_form
      HAVING max(n.sequence_number) - min(n.sequence_number) >= count(DISTINCT n.sequence_number)) ORDER BY m.id LIMIT ${MOST_HOLES}::int`,
    { reads: ['account.move'], row: ['int'] },
  )
  return opened(name, 'account.move', false, { domain: [['id', 'in', rows.map((row) => row[0])]] })
}

export default implement(journal, {
  computed: {
    default_account_type: computed(journal, ['type'], ({ type }) => defaultTypes[type] ?? '%'),
    selected_payment_method_codes: codes,
    available_payment_method_ids: methods,
    ...statements,
  },
  methods: {
    action_create_new: newDocument,
    action_create_vendor_bill: newDocument,
    open_action: documents,
    create_customer_payment: (journals) => newPayment(journals, 'inbound'),
    create_supplier_payment: (journals) => newPayment(journals, 'outbound'),
    action_post_all_entries: postAll,
    set_bank_account: (journals, { acc_number, bank_id }) => setAccount(journals, acc_number, bank_id),
    show_sequence_holes: entriesOfHoles,
  },
})
