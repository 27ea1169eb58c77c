// Access rights of accounting: groups, access lines, record rules (spec/business-models.md section 11).
import { companyIds, type DataSet, recordRule, recordRules, ref, ruleDomain, user } from '#models'
import { accessLines, companyRule, type Grants, implying, ofCompanies } from '../base/index.ts'

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_accounting: {
      name: 'Accounting',
      sequence: 10,
      category_id: ref('base.module_category_accounting'),
    },
  },
}

const accounting = { privilege_id: ref('res_groups_privilege_accounting') }

/** Each group after those that it implies. */
const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_account_readonly: {
      ...accounting,
      name: 'Read-only',
      sequence: 10,
      implied_ids: implying('base.group_user'),
      comment: 'Sees the books and changes nothing.',
    },
    group_account_invoice: {
      ...accounting,
      name: 'Invoicing',
      sequence: 20,
      implied_ids: implying('base.group_user'),
      comment: 'Makes invoices and payments.',
    },
    group_account_basic: {
      name: 'Basic Accounting',
      implied_ids: implying('group_account_invoice'),
      comment: 'Invoicing with a look at the books.',
    },
    group_account_user: {
      name: 'Show Full Accounting Features',
      implied_ids: implying('group_account_invoice', 'group_account_readonly'),
      comment: 'Keeps the books.',
    },
    group_account_manager: {
      ...accounting,
      name: 'Administrator',
      sequence: 30,
      implied_ids: implying('group_account_invoice'),
      user_ids: [
        [4, ref('base.user_root')],
        [4, ref('base.user_admin')],
      ],
      comment: 'Sets accounting up.',
    },
  },
}

const setUp: Grants = { 'base.group_user': 'r', group_account_manager: 'rwcd' }
/** Statements are written by accountants; users who only invoice or set up accounting read them. */
const statements: Grants = {
  group_account_readonly: 'r',
  group_account_invoice: 'r',
  group_account_manager: 'r',
  group_account_basic: 'rwcd',
  group_account_user: 'rwcd',
  'base.group_system': 'rwcd',
}
/** Reconciliation models are for those who match what the bank says. */
const presets: Grants = {
  group_account_readonly: 'r',
  group_account_invoice: 'r',
  group_account_basic: 'rwcd',
  group_account_user: 'rwcd',
  group_account_manager: 'rwcd',
}
/** Plans, accounts and models are set up by those who keep the books. */
const analytics: Grants = {
  group_account_readonly: 'r',
  group_account_invoice: 'r',
  group_account_user: 'rwcd',
  group_account_manager: 'rwcd',
}
const access = accessLines({
  'account.account': setUp,
  'account.tax': setUp,
  'account.tax.group': setUp,
  'account.tax.repartition.line': setUp,
  'account.fiscal.position': setUp,
  'account.fiscal.position.account': setUp,
  'account.payment.term': { 'base.group_user': 'r', 'base.group_portal': 'r', group_account_manager: 'rwcd' },
  'account.payment.term.line': {
    'base.group_user': 'r',
    'base.group_portal': 'r',
    group_account_manager: 'rwcd',
  },
  'account.cash.rounding': setUp,
  'account.incoterms': setUp,
  'account.account.tag': setUp,
  'account.journal.group': setUp,
  'account.group': setUp,
  'account.root': { 'base.group_user': 'r' },
  'account.code.mapping': { 'base.group_user': 'r' },
  'account.move': {
    'base.group_portal': 'r',
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.move.line': {
    'base.group_portal': 'r',
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.payment': {
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.payment.method': { 'base.group_user': 'r', group_account_manager: 'rwcd' },
  'account.payment.method.line': {
    'base.group_user': 'r',
    group_account_invoice: 'rw',
    group_account_manager: 'rwcd',
  },
  'account.payment.register': { group_account_invoice: 'rwc' },
  'account.move.reversal': { group_account_invoice: 'rwc' },
  'validate.account.move': { group_account_invoice: 'rwc' },
  'account.autopost.bills.wizard': { group_account_invoice: 'rwc' },
  'account.move.send.wizard': { group_account_invoice: 'rwc' },
  'account.move.send.batch.wizard': { group_account_invoice: 'rwc' },
  'account.resequence.wizard': { group_account_manager: 'rwc' },
  'account.automatic.entry.wizard': { group_account_invoice: 'rwc' },
  'account.setup.bank.manual.config': { group_account_manager: 'rwc' },
  'account.secure.entries.wizard': { group_account_user: 'rwc', group_account_manager: 'rwc' },
  'account.partial.reconcile': {
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.full.reconcile': { group_account_readonly: 'r', group_account_invoice: 'r' },
  'account.bank.statement': statements,
  'account.bank.statement.line': statements,
  'account.journal': {
    group_account_readonly: 'r',
    group_account_invoice: 'r',
    group_account_manager: 'rwcd',
  },
  'account.analytic.plan': analytics,
  'account.analytic.applicability': analytics,
  'account.analytic.account': analytics,
  'account.analytic.distribution.model': analytics,
  'account.analytic.line': { ...analytics, group_account_invoice: 'rwcd' },
  'account.reconcile.model': presets,
  'account.reconcile.model.line': presets,
  'account.invoice.report': {
    group_account_readonly: 'r',
    group_account_invoice: 'r',
    group_account_manager: 'r',
  },
  'account.lock_exception': {
    group_account_readonly: 'r',
    group_account_invoice: 'r',
    group_account_manager: 'rwc',
  },
  // Rates belong to the books.
  'base/res.currency': { group_account_manager: 'rwcd' },
  'base/res.currency.rate': { group_account_manager: 'rwcd' },
})

const ofCompaniesAndAbove = ruleDomain([['company_id', 'parent_of', companyIds]])

const sharedOrAbove = ruleDomain(['|', ['company_id', '=', false], ['company_id', 'parent_of', companyIds]])

const ofTerms = ruleDomain([
  '|',
  ['payment_id.company_id', '=', false],
  ['payment_id.company_id', 'parent_of', companyIds],
])

const ofJournals = ruleDomain([
  '|',
  ['journal_id', '=', false],
  ['journal_id.company_id', 'parent_of', companyIds],
])

/** Everybody stays within their companies and those above them. */
const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: recordRules(
    {
      'account.group': ofCompaniesAndAbove,
      'account.account': [['company_ids', 'parent_of', companyIds]],
      'account.code.mapping': ofCompanies,
      'account.journal': ofCompaniesAndAbove,
      'account.journal.group': sharedOrAbove,
      'account.analytic.account': sharedOrAbove,
      'account.analytic.applicability': sharedOrAbove,
      'account.analytic.distribution.model': sharedOrAbove,
      'account.analytic.line': ofCompanies,
      'account.reconcile.model': ofCompaniesAndAbove,
      'account.reconcile.model.line': ofCompaniesAndAbove,
      'account.invoice.report': ofCompanies,
      'account.lock_exception': ofCompanies,
      'account.move': ofCompanies,
      'account.move.line': ofCompanies,
      'account.payment': ofCompanies,
      'account.partial.reconcile': ofCompanies,
      'account.bank.statement': ofCompanies,
      'account.bank.statement.line': ofCompanies,
      'account.tax': ofCompaniesAndAbove,
      'account.tax.group': ofCompaniesAndAbove,
      'account.tax.repartition.line': ofCompaniesAndAbove,
      'account.fiscal.position': ofCompaniesAndAbove,
      'account.fiscal.position.account': ofCompaniesAndAbove,
      'account.payment.method.line': ofJournals,
      'account.payment.term': sharedOrAbove,
      'account.payment.term.line': ofTerms,
    },
    companyRule,
  ),
}

const everything = ruleDomain([[1, '=', 1]])

/** Modules may let others see some of the books: those who keep them see all. */
const whole: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: Object.assign(
    {},
    ...['group_account_invoice', 'group_account_readonly'].map((group) =>
      recordRules({ 'account.move': everything, 'account.move.line': everything }, (model) => ({
        id: `${model.replaceAll('.', '_')}_see_all_${group}`,
        name: `${model}: all for ${group}`,
        groups: [group],
      })),
    ),
  ),
}

const invoiceTypes = ['out_invoice', 'out_refund', 'in_invoice', 'in_refund'] as const

/** Customers and vendors read the posted invoices of their company and all its people. */
const portal: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    account_invoice_rule_portal: recordRule(
      'account.move',
      [
        ['move_type', 'in', invoiceTypes],
        ['state', '=', 'posted'],
        ['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
      ],
      { name: 'account.move: portal', groups: ['base.group_portal'] },
    ),
    account_invoice_line_rule_portal: recordRule(
      'account.move.line',
      [
        ['move_id.move_type', 'in', invoiceTypes],
        ['parent_state', '=', 'posted'],
        ['move_id.partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
      ],
      { name: 'account.move.line: portal', groups: ['base.group_portal'] },
    ),
  },
}

export const security: readonly DataSet[] = [privileges, groups, access, rules, whole, portal]
