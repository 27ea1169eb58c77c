// Journals (account.journal). Defaults of new journals are in journal-creation.ts.
import {
  boolean,
  char,
  computed,
  idsWhere,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { keptOnceIssued } from '../base/index.ts'
import { openAccounts } from './journal-accounts.ts'
import { completeJournals } from './journal-creation.ts'
import { offerMethods } from './payment/offered.ts'
import { setUpWritable } from './writable.ts'

const journal = model('account.journal', {
  label: 'Journal',
  dictionary: true,
  order: 'sequence, type, code, id',
  recNamesSearch: ['name', 'code'],
  rules: {
    code_company_uniq: {
      unique: ['company_id', 'code'],
      message: 'Journal codes must be unique per company.',
    },
  },
  fields: {
    name: char({ label: 'Journal Name', required: true, translate: true }),
    code: char({
      label: 'Sequence Prefix',
      required: true,
      mustSend: false,
      size: 5,
      help: 'Prefix of the names of entries.',
    }),
    active: boolean({ label: 'Active', default: true }),
    type: selection(
      {
        sale: 'Sales',
        purchase: 'Purchase',
        cash: 'Cash',
        bank: 'Bank',
        credit: 'Credit Card',
        general: 'Miscellaneous',
      },
      { label: 'Type', required: true, index: true },
    ),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      help: "Entries are in this currency; empty: the company's.",
    }),
    country_code: char({ label: 'Country Code', related: 'company_id.account_fiscal_country_id.code' }),
    default_account_id: many2one('account.account', {
      label: 'Default Account',
      ondelete: 'restrict',
      copy: false,
    }),
    suspense_account_id: many2one('account.account', {
      label: 'Suspense Account',
      ondelete: 'restrict',
      help: 'Account for statement lines until they are reconciled.',
    }),
    profit_account_id: many2one('account.account', {
      label: 'Profit Account',
      ondelete: 'restrict',
      help: 'Account for cash counted in excess.',
    }),
    loss_account_id: many2one('account.account', {
      label: 'Loss Account',
      ondelete: 'restrict',
      help: 'Account for missing cash.',
    }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    refund_sequence: boolean({
      label: 'Dedicated Credit Note Sequence',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Credit notes have numbers of their own.',
    }),
    payment_sequence: boolean({
      label: 'Dedicated Payment Sequence',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Payments have numbers of their own.',
    }),
    inbound_payment_method_line_ids: one2many('account.payment.method.line', 'journal_id', {
      label: 'Inbound Payment Methods',
      domain: [['payment_type', '=', 'inbound']],
    }),
    outbound_payment_method_line_ids: one2many('account.payment.method.line', 'journal_id', {
      label: 'Outbound Payment Methods',
      domain: [['payment_type', '=', 'outbound']],
    }),
    bank_account_id: many2one('res.partner.bank', {
      label: 'Bank Account',
      ondelete: 'restrict',
      copy: false,
    }),
    show_on_dashboard: boolean({ label: 'Show journal on dashboard', default: true }),
    /**
     * Raised by every posting: two that number the entries of a journal at once meet here, and the second
     * starts over.
     */
    numbering: integer({ hidden: true, copy: false }),
    color: integer({ label: 'Color Index', default: 0 }),
    restrict_mode_hash_table: boolean({
      label: 'Secure Posted Entries with Hash',
      help: 'Posted entries are sealed. It cannot be switched off once there are any.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.journal': Journal
  }
  interface Journal extends Of<typeof journal> {}
}

/** Throws UserError for journals that seal what is posted and hold sealed entries: their seal stays on. */
async function assertSealsKept({ env, ids }: Records<'account.journal'>): Promise<void> {
  if (ids.length === 0) return
  const [sealed] = await env.rows(
    sql`SELECT j.code FROM account_journal j WHERE j.id = ANY(${idList(ids)}) AND j.restrict_mode_hash_table
    AND EXISTS (SELECT FROM comptoir_chain c WHERE c.res_model = 'account.journal' AND c.res_id = j.id) LIMIT 1`,
    { reads: ['account.journal', 'comptoir.chain'], row: ['text'] },
  )
  if (sealed)
    throw new UserError(`The journal ${sealed[0]} holds sealed entries: sealing cannot be switched off.`)
}

const keepIssued = keptOnceIssued<'account.journal'>(['type', 'currency_id'])

export default implement(journal, {
  writable: setUpWritable,
  defaults: { company_id: (env) => env.companyId },
  computed: {
    refund_sequence: computed(journal, ['type'], (j) => ['sale', 'purchase'].includes(j.type), {
      editable: true,
    }),
    payment_sequence: computed(journal, ['type'], (j) => ['bank', 'cash', 'credit'].includes(j.type), {
      editable: true,
    }),
  },
  checks: {
    'The default account of a sales or purchase journal must not be a receivable or payable account.':
      computed(
        journal,
        ['type', 'default_account_id.account_type'],
        (j) =>
          !['sale', 'purchase'].includes(j.type) ||
          !['asset_receivable', 'liability_payable'].includes(j.default_account_id?.account_type ?? ''),
      ),
  },
  wrapWrite: (next) => async (journals, changes) => {
    await assertSealsKept(
      journals.browse(idsWhere(changes, (vals) => vals.restrict_mode_hash_table === false)),
    )
    await keepIssued(next)(journals, changes)
    await openAccounts(journals.env, changes)
  },
  wrapGeneric: {
    create: (next) => async (journals, params) => {
      const vals_list = await completeJournals(journals.env, params.vals_list as readonly unknown[])
      const created = (await next(journals, { ...params, vals_list })) as typeof journals
      await offerMethods(journals.env)
      await openAccounts(
        journals.env,
        created.ids.map((id, i) => ({ ids: [id], vals: vals_list[i] })),
      )
      return created
    },
    copy_data: (next) => async (journals, params) => {
      const copies = (await next(journals, params)) as Record<string, unknown>[]
      const defaults = (params.default ?? {}) as Record<string, unknown>
      // A code is made anew; without one of its own a bank gets an account, too.
      return copies.map(({ code, ...vals }) => ({
        ...vals,
        ...(defaults.code === undefined ? {} : { code }),
        ...(defaults.name === undefined ? { name: `${vals.name} (copy)` } : {}),
      }))
    },
  },
})
