// Lists and forms that journals open, and facts that their overview shows (account.journal).
import {
  boolean,
  computed,
  computedTogether,
  date,
  extend,
  implement,
  json,
  many2many,
  type Of,
  optional,
  type Records,
  required,
  returns,
} from '#models'
import { UserError } from '../../errors.ts'
import { addDays, today } from '../../kit/dates.ts'
import {
  assertAllowed,
  portalAddress,
  portalComputed,
  portalFields,
  portalMethods,
  shownForm,
  shownWindow,
} from '../base/index.ts'
import { documentsFromFiles } from './files.ts'
import { journalTypesOf } from './move/kinds.ts'

const opens = { params: {}, returns: returns<object>('object', 'dict') } as const

const journal = extend('account.journal', {
  fields: {
    ...portalFields,
    has_invalid_statements: boolean({
      label: 'Has Invalid Statements',
      computed: true,
      help: 'A bank statement does not begin with the closing balance of the previous one, or its lines do not add up to its closing balance.',
    }),
    account_fiscal_country_group_codes: json({
      label: 'Account Fiscal Country Group Codes',
      computed: true,
    }),
    accounting_date: date({
      label: 'Accounting Date',
      computed: true,
      help: 'Date of new entries: today, or the first day after the lock date.',
    }),
    show_fetch_in_einvoices_button: boolean({ label: 'Show E-Invoice Buttons', computed: true }),
    show_refresh_out_einvoices_status_button: boolean({
      label: 'Show E-Invoice Status Buttons',
      computed: true,
    }),
    display_invoice_template_pdf_report_id: boolean({
      label: 'Display Invoice Template Pdf Report',
      computed: true,
    }),
    available_invoice_template_pdf_report_ids: many2many('ir.actions.report', {
      label: 'Available Invoice Template Pdf Report',
      computed: true,
    }),
  },
  methods: {
    ...portalMethods,
    create_document_from_attachment: {
      doc: 'Creates a draft for each file, with the file attached, and shows the drafts.',
      params: { attachment_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }) },
      returns: returns<object>('object', 'dict'),
    },
    to_check_ids: {
      doc: 'Shows the items of bank lines that are not reviewed.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    is_sample_action_available: {
      doc: 'Whether a sample document can be created: always false.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    button_fetch_in_einvoices: {
      doc: 'Fetches electronic invoices from networks that modules connect to.',
      params: {},
    },
    button_refresh_out_einvoices_status: {
      doc: 'Updates the status of documents sent to networks of electronic invoices that modules connect to.',
      params: {},
    },
    button_unsubscribe_from_invoice_notifications: {
      doc: 'Dismisses the notices about received electronic invoices.',
      params: {},
    },
    action_configure_bank_journal: { doc: 'The form that sets the bank account of a journal.', ...opens },
    create_bank_statement: { doc: 'The form of a new bank statement.', ...opens },
    open_action_with_context: { doc: 'Does what `open_action` does.', ...opens },
    open_bank_difference_action: {
      doc: 'Shows the journal items on the account of a bank journal.',
      ...opens,
    },
    open_invalid_statements_action: {
      doc: 'Shows the statements whose lines do not add up to their balances.',
      ...opens,
    },
    open_payments_action: {
      doc: 'Shows the payments of a journal.',
      params: {
        payment_type: optional<string | false>('any', false, { annotation: 'str' }),
        mode: optional<string>('string', 'list'),
      },
      returns: returns<object>('object', 'dict'),
    },
    show_unhashed_entries: { doc: 'Shows the posted entries that are not sealed.', ...opens },
  },
})

declare module '#models' {
  interface Journal extends Of<typeof journal> {}
}

type Journals = Records<'account.journal'>

/** Statements of journals whose balances do not add up. */
async function invalidStatements(journals: Journals) {
  const statements = await journals.env
    .model('account.bank.statement')
    .search([['journal_id', 'in', journals.ids]])
  const rows = await statements.load(['journal_id', 'is_valid', 'is_complete'])
  return rows.filter(({ is_valid: valid, is_complete: complete }) => !valid || !complete)
}

async function fromFiles(journals: Journals, attachments: readonly number[]): Promise<object> {
  const { env } = journals
  const [row] = await journals.load(['type'])
  const move_type = row?.type === 'sale' ? 'out_invoice' : row?.type === 'general' ? 'entry' : 'in_invoice'
  if (row && journalTypesOf(move_type)?.includes(row.type) === false)
    throw new UserError(
      'Documents can only be created from files in journals of sales, purchases or miscellaneous entries.',
    )
  const vals = { move_type, ...(row && { journal_id: row.id }) } as const
  return documentsFromFiles(env, attachments, (count) =>
    env.model('account.move').create(Array.from({ length: count }, () => vals)),
  )
}

const reports = [['model', '=', 'account.move']] as const

async function single(journals: Journals) {
  journals.ensureOne()
  return journals.one(['name', 'default_account_id'])
}

const listed = (name: string, res_model: string, domain: readonly unknown[], context = {}) =>
  shownWindow({
    name,
    res_model,
    view_mode: 'list,form',
    domain,
    context,
  })

const nothingToDo = async (journals: Journals): Promise<null> => {
  await assertAllowed(journals, 'write')
  return null
}

export default implement(journal, {
  computed: {
    ...portalComputed(journal),
    has_invalid_statements: computedTogether(journal, [], async (journals, env) => {
      const ids = journals.map(({ id }) => id)
      const rows = await invalidStatements(env.sudo().model('account.journal').browse(ids))
      const wrong = new Set(rows.map(({ journal_id: of }) => of?.id))
      return new Map(ids.map((id) => [id, wrong.has(id)]))
    }),
    account_fiscal_country_group_codes: computed(
      journal,
      ['company_id.account_fiscal_country_id.country_group_ids.code'],
      ({ company_id: company }) =>
        company.account_fiscal_country_id?.country_group_ids.flatMap(({ code }) => code ?? []) ?? [],
    ),
    accounting_date: computed(
      journal,
      ['company_id.user_fiscalyear_lock_date', 'company_id.user_hard_lock_date'],
      ({ company_id: company }, env) => {
        const day = today(env.tz, env.now())
        const closed = [company.user_fiscalyear_lock_date, company.user_hard_lock_date]
          .flatMap((lock) => lock ?? [])
          .filter((lock) => lock.length === 10)
          .sort()
          .at(-1)
        return closed && closed >= day ? addDays(closed, 1) : day
      },
    ),
    show_fetch_in_einvoices_button: computed(journal, [], () => false),
    show_refresh_out_einvoices_status_button: computed(journal, [], () => false),
    display_invoice_template_pdf_report_id: computed(
      journal,
      ['available_invoice_template_pdf_report_ids'],
      ({ available_invoice_template_pdf_report_ids: choices }) => choices.length > 1,
    ),
    available_invoice_template_pdf_report_ids: computedTogether(journal, [], async (journals, env) => {
      const { ids } = await env.sudo().model('ir.actions.report').search(reports)
      return new Map(journals.map(({ id }) => [id, ids]))
    }),
  },
  methods: {
    get_portal_url: portalAddress,
    create_document_from_attachment: (journals, { attachment_ids }) => fromFiles(journals, attachment_ids),
    to_check_ids: async (journals) => {
      const lines = await journals.env.model('account.bank.statement.line').search([
        ['journal_id', 'in', journals.ids],
        ['move_id.state', '=', 'posted'],
        ['move_id.checked', '=', false],
      ])
      return [...lines.ids]
    },
    is_sample_action_available: () => false,
    button_fetch_in_einvoices: nothingToDo,
    button_refresh_out_einvoices_status: nothingToDo,
    button_unsubscribe_from_invoice_notifications: async (journals) => {
      await journals.write({ incoming_einvoice_notification_email: false })
      return null
    },
    action_configure_bank_journal: async (journals) => {
      const { id } = await single(journals)
      return { ...shownForm('Bank Account', 'account.journal'), res_id: id }
    },
    create_bank_statement: async (journals) => {
      const { id } = await single(journals)
      return shownForm('New Statement', 'account.bank.statement', { default_journal_id: id })
    },
    open_action_with_context: (journals) => journals.open_action(),
    open_bank_difference_action: async (journals) => {
      const { name, default_account_id: account } = await single(journals)
      return listed(name, 'account.move.line', [
        ['account_id', '=', account?.id ?? false],
        ['parent_state', '=', 'posted'],
      ])
    },
    open_invalid_statements_action: async (journals) => {
      const { name } = await single(journals)
      const ids = (await invalidStatements(journals)).map(({ id }) => id)
      return listed(name, 'account.bank.statement', [['id', 'in', ids]])
    },
    open_payments_action: async (journals, { payment_type }) => {
      const { id, name } = await single(journals)
      const ofType = payment_type ? [['payment_type', '=', payment_type]] : []
      return listed(name, 'account.payment', [['journal_id', '=', id], ...ofType], { default_journal_id: id })
    },
    show_unhashed_entries: async (journals) => {
      const { id, name } = await single(journals)
      return listed(name, 'account.move', [
        ['journal_id', '=', id],
        ['state', '=', 'posted'],
        ['inalterable_hash', '=', false],
      ])
    },
  },
})
