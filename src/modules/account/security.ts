// Who may do what in accounting: groups, access lines, record rules (spec/business-models.md section 11).
import { companyIds, type DataSet, recordRules, ref, ruleDomain } from '#models'
import { accessLines, companyRule, type Grants, ofCompanies } from '../base/index.ts'

const implying = (...groups: string[]) => [[6, 0, groups.map((group) => ref(group))]]

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
  'account.move': {
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.move.line': {
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
  'account.partial.reconcile': { group_account_readonly: 'r', group_account_invoice: 'r' },
  'account.full.reconcile': { group_account_readonly: 'r', group_account_invoice: 'r' },
  'account.bank.statement': {
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.bank.statement.line': {
    group_account_readonly: 'r',
    group_account_invoice: 'rwcd',
    group_account_manager: 'rwcd',
  },
  'account.journal': {
    group_account_readonly: 'r',
    group_account_invoice: 'r',
    group_account_manager: 'rwcd',
  },
})

const ofCompaniesAndAbove = ruleDomain([['company_id', 'parent_of', companyIds]])

/** Everybody stays within their companies and those above them. */
const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: recordRules(
    {
      'account.account': [['company_ids', 'parent_of', companyIds]],
      'account.journal': ofCompaniesAndAbove,
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
      'account.payment.term': ['|', ['company_id', '=', false], ['company_id', 'parent_of', companyIds]],
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

export const security: readonly DataSet[] = [privileges, groups, access, rules, whole]
