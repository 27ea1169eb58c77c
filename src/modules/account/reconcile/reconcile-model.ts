// Reconciliation models (account.reconcile.model): what bank lines without a document are booked as, and
// which lines each is proposed for. Clients that match bank lines read them.
import {
  boolean,
  char,
  computed,
  extend,
  float,
  implement,
  integer,
  json,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { readonlyActionMethod, shownRecords } from '../../base/index.ts'
import { accountsIn, assertDistribution } from '../analytic/shares.ts'

const preset = model('account.reconcile.model', {
  label: 'Preset to create journal entries during a invoices and payments matching',
  order: 'sequence, id',
  rules: {
    name_unique: {
      unique: ['name', 'company_id'],
      message: 'A reconciliation model with this name already exists: choose another name.',
    },
  },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', required: true, default: 10 }),
    company_id: many2one('res.company', { label: 'Company', required: true, readonly: true, index: true }),
    trigger: selection(
      { manual: 'Manual', auto_reconcile: 'Automated' },
      { label: 'Trigger', required: true, default: 'manual' },
    ),
    match_journal_ids: many2many('account.journal', {
      label: 'Journals',
      domain: [['type', 'in', ['bank', 'cash', 'credit']]],
      checkCompany: true,
    }),
    match_amount: selection(
      { lower: 'Is lower than or equal to', greater: 'Is greater than or equal to', between: 'Is between' },
      { label: 'Amount' },
    ),
    match_amount_min: float({ label: 'Amount Min Parameter' }),
    match_amount_max: float({ label: 'Amount Max Parameter' }),
    match_label: selection(
      { contains: 'Contains', not_contains: 'Not Contains', match_regex: 'Match Regex' },
      { label: 'Label' },
    ),
    match_label_param: char({ label: 'Label Parameter' }),
    next_activity_type_id: many2one('mail.activity.type', { label: 'Next Activity', ondelete: 'set null' }),
    match_partner_ids: many2many('res.partner', { label: 'Partners' }),
    line_ids: one2many('account.reconcile.model.line', 'model_id', { label: 'Line', copy: true }),
    mapped_partner_id: many2one('res.partner', {
      label: 'Mapped Partner',
      computed: true,
      stored: true,
      help: 'The partner of a model that names one and no account.',
    }),
    can_be_proposed: boolean({
      label: 'Can Be Proposed',
      computed: true,
      stored: true,
      help: 'The model has conditions on the bank statement lines to which it applies.',
    }),
  },
  methods: {
    action_set_manual: { doc: 'Proposes the models: users apply them.', params: {} },
    action_set_auto_reconcile: { doc: 'Applies the models automatically.', params: {} },
    action_reconcile_stat: readonlyActionMethod('Shows the entries with items created by the models.'),
  },
})

const presetLine = model('account.reconcile.model.line', {
  label: 'Rules for the reconciliation model',
  order: 'sequence, id',
  fields: {
    model_id: many2one('account.reconcile.model', {
      label: 'Model',
      readonly: true,
      ondelete: 'cascade',
      index: true,
    }),
    company_id: many2one('res.company', { label: 'Company', related: 'model_id.company_id', stored: true }),
    sequence: integer({ label: 'Sequence', required: true, default: 10 }),
    account_id: many2one('account.account', { label: 'Account', ondelete: 'cascade', checkCompany: true }),
    partner_id: many2one('res.partner', { label: 'Partner', ondelete: 'set null' }),
    label: char({ label: 'Label', translate: true }),
    amount_type: selection(
      {
        fixed: 'Fixed',
        percentage: 'Percentage of balance',
        percentage_st_line: 'Percentage of statement line',
        regex: 'From label',
      },
      { label: 'Amount Type', required: true, default: 'percentage' },
    ),
    amount_string: char({
      label: 'Amount',
      required: true,
      default: '100',
      help: 'A number, or a regular expression that finds it in the label.',
    }),
    amount: float({ label: 'Float Amount', computed: true, stored: true }),
    tax_ids: many2many('account.tax', { label: 'Taxes', checkCompany: true }),
    analytic_distribution: json({ label: 'Analytic Distribution' }),
    distribution_analytic_account_ids: many2many('account.analytic.account', {
      label: 'Distribution Analytic Account',
      computed: true,
    }),
  },
})

const item = extend('account.move.line', {
  fields: {
    reconcile_model_id: many2one('account.reconcile.model', {
      label: 'Reconciliation Model',
      readonly: true,
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.reconcile.model': ReconcileModel
    'account.reconcile.model.line': ReconcileModelLine
  }
  interface ReconcileModel extends Of<typeof preset> {}
  interface ReconcileModelLine extends Of<typeof presetLine> {}
  interface AccountMoveLine extends Of<typeof item> {}
}

type Presets = Records<'account.reconcile.model'>

async function setTrigger(presets: Presets, trigger: 'manual' | 'auto_reconcile'): Promise<null> {
  await presets.write({ trigger })
  return null
}

async function showEntries(presets: Presets): Promise<object> {
  const items = await presets.env
    .model('account.move.line')
    .search([['reconcile_model_id', 'in', presets.ids]])
  const rows = await items.load(['move_id'])
  return shownRecords('Journal Entries', 'account.move', [...new Set(rows.map((row) => row.move_id.id))])
}

export const reconcileModel = implement(preset, {
  defaults: { company_id: (env) => env.companyId },
  computed: {
    mapped_partner_id: computed(
      preset,
      ['line_ids.partner_id', 'line_ids.account_id'],
      ({ line_ids: lines }) =>
        lines.length === 1 && !lines[0]?.account_id ? (lines[0]?.partner_id ?? null) : null,
    ),
    can_be_proposed: computed(
      preset,
      ['mapped_partner_id', 'match_label', 'match_amount', 'match_partner_ids'],
      (rule) =>
        !rule.mapped_partner_id &&
        Boolean(rule.match_label || rule.match_amount || rule.match_partner_ids.length),
    ),
  },
  methods: {
    action_set_manual: (presets) => setTrigger(presets, 'manual'),
    action_set_auto_reconcile: (presets) => setTrigger(presets, 'auto_reconcile'),
    action_reconcile_stat: showEntries,
  },
})

/** The number that a text says; 0 for one that says none. */
const numberIn = (text: string): number => {
  const value = Number(text.trim().replace(',', '.'))
  return Number.isFinite(value) ? value : 0
}

const isRegex = (text: string): boolean => {
  try {
    return Boolean(new RegExp(text))
  } catch {
    return false
  }
}

export const reconcileModelLine = implement(presetLine, {
  prepare: assertDistribution,
  computed: {
    amount: computed(presetLine, ['amount_type', 'amount_string'], (row) =>
      row.amount_type === 'regex' ? 0 : numberIn(row.amount_string),
    ),
    distribution_analytic_account_ids: computed(
      presetLine,
      ['analytic_distribution'],
      ({ analytic_distribution: distribution }) => accountsIn(distribution),
    ),
  },
  checks: {
    'The amount of a reconciliation model must be a number other than 0, or an expression that finds it.':
      computed(presetLine, ['amount_type', 'amount_string'], ({ amount_type: type, amount_string: text }) =>
        type === 'regex' ? isRegex(text) : numberIn(text) !== 0,
      ),
  },
})

export const reconcileItem = implement(item)
