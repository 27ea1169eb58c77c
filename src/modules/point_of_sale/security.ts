// Access rights and rules of points of sale: cashiers sell and do not see the books, managers set up;
// all stay within their companies.
import { type DataSet, recordRules, ref } from '#models'
import { accessLines, companyRule, type Grants, implying, ofCompanies } from '../base/index.ts'

const USER = 'group_pos_user'
const MANAGER = 'group_pos_manager'

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_point_of_sale: {
      name: 'Point of Sale',
      sequence: 20,
      category_id: ref('base.module_category_sales'),
    },
  },
}

const shared = { privilege_id: ref('res_groups_privilege_point_of_sale') }

const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_pos_user: {
      ...shared,
      name: 'User',
      sequence: 10,
      implied_ids: implying('base.group_user'),
      comment: 'Sells at tills.',
    },
    group_pos_manager: {
      ...shared,
      name: 'Administrator',
      sequence: 20,
      implied_ids: implying('group_pos_user', 'stock.group_stock_user'),
      user_ids: [
        [4, ref('base.user_root')],
        [4, ref('base.user_admin')],
      ],
      comment: 'Sets points of sale up and sees what was noted.',
    },
  },
}

const sold: Grants = { [USER]: 'rwcd', [MANAGER]: 'rwcd' }
const setUp: Grants = { [USER]: 'r', [MANAGER]: 'rwcd' }
const read: Grants = { [USER]: 'r', [MANAGER]: 'r' }

const access = accessLines({
  'pos.config': { [USER]: 'rw', [MANAGER]: 'rwcd' },
  'pos.session': { [USER]: 'rwc', [MANAGER]: 'rwc' },
  'pos.order': { ...sold, 'stock.group_stock_user': 'r' },
  'pos.order.line': sold,
  'pos.payment': sold,
  'pos.pack.operation.lot': sold,
  'pos.payment.method': setUp,
  'pos.category': { 'base.group_user': 'r', [MANAGER]: 'rwcd' },
  'pos.bill': setUp,
  'pos.note': setUp,
  'pos.printer': setUp,
  'pos.preset': setUp,
  'pos.make.payment': { [USER]: 'rwc' },
  'pos.make.invoice': { [USER]: 'rwc' },
  'pos.close.session.wizard': { [USER]: 'rwc' },
  'report.pos.order': read,
  'pos.approval': { [MANAGER]: 'r' },
  'stock/stock.picking': { [USER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock/stock.move': { [USER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock/stock.move.line': { [USER]: 'rwcd', [MANAGER]: 'rwcd' },
  // Rights of cashiers on models of other modules.
  'account/account.journal': read,
  'account/account.move': read,
  'account/account.move.line': read,
  'account/account.bank.statement.line': { [USER]: 'rwc', [MANAGER]: 'rwcd' },
  'product/product.pricelist': { [MANAGER]: 'rwcd' },
  'product/product.pricelist.item': { [USER]: 'r' },
  'base/res.partner': read,
})

/** Cashiers see invoices of orders and nothing else of the books. */
const ofTills = (model: string) => ({
  id: `${model.replaceAll('.', '_')}_pos_rule`,
  name: `${model} of tills`,
  groups: [USER],
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    ...recordRules(
      {
        'report.pos.order': ofCompanies,
        'pos.config': ofCompanies,
        'pos.session': ofCompanies,
        'pos.order': ofCompanies,
        'pos.order.line': ofCompanies,
        'pos.payment': ofCompanies,
        'pos.payment.method': ofCompanies,
        'pos.printer': ofCompanies,
        'pos.approval': ofCompanies,
      },
      companyRule,
    ),
    ...recordRules(
      {
        'account/account.move': [['pos_order_ids', '!=', false]],
        'account/account.move.line': [['move_id.pos_order_ids', '!=', false]],
      },
      ofTills,
    ),
  },
}

export const security: readonly DataSet[] = [privileges, groups, access, rules]
