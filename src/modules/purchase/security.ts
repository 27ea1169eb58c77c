// Who may do what with purchases: buyers with all orders of their companies, managers approve, those who keep
// the books read and bill, vendors read theirs.
import { type DataSet, ref } from '#models'
import { accessLines } from '../base/index.ts'

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_purchase: {
      name: 'Purchase',
      sequence: 15,
      category_id: ref('base.module_category_inventory'),
    },
  },
}

const purchase = { privilege_id: ref('res_groups_privilege_purchase') }

const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_purchase_user: {
      ...purchase,
      name: 'User',
      sequence: 10,
      implied_ids: [[6, 0, [ref('base.group_user')]]],
      comment: 'Orders from vendors.',
    },
    group_purchase_manager: {
      ...purchase,
      name: 'Administrator',
      sequence: 20,
      implied_ids: [[6, 0, [ref('group_purchase_user')]]],
      user_ids: [
        [4, ref('base.user_root')],
        [4, ref('base.user_admin')],
      ],
      comment: 'Approves orders and sets purchases up.',
    },
  },
}

const BUYER = 'group_purchase_user'
const MANAGER = 'group_purchase_manager'
const BILLER = 'account.group_account_invoice'
const READER = 'account.group_account_readonly'
const VENDOR = 'base.group_portal'

const access = accessLines({
  'purchase.order': { [BUYER]: 'rwcd', [MANAGER]: 'rwcd', [BILLER]: 'rw', [READER]: 'r', [VENDOR]: 'r' },
  'purchase.order.line': { [BUYER]: 'rwcd', [MANAGER]: 'rwcd', [BILLER]: 'rw', [READER]: 'r', [VENDOR]: 'r' },
  'purchase.report': { [BUYER]: 'r', [MANAGER]: 'r' },
  // What buyers need of other modules.
  'account/account.journal': { [BUYER]: 'r' },
  'account/account.move': { [BUYER]: 'r' },
  'account/account.move.line': { [BUYER]: 'r' },
  'product/product.supplierinfo': { [BUYER]: 'rwcd', [MANAGER]: 'rwcd' },
  'base/res.partner': { [BUYER]: 'r', [MANAGER]: 'rwc' },
})

const of = (model: string, domain_force: string, group?: string) => ({
  name: `${model}${group ? `: ${group}` : ' of the companies'}`,
  model_id: ref(
    model.includes('account')
      ? `account.model_${model.replaceAll('.', '_')}`
      : `model_${model.replaceAll('.', '_')}`,
  ),
  domain_force,
  ...(group ? { groups: [[6, 0, [ref(group)]]] } : {}),
})
const ofCompanies = "[('company_id', 'in', company_ids)]"
const bills = "('in_invoice', 'in_refund', 'in_receipt')"
/** Of the vendor's company and all its people, once it was sent to them. */
const theirs = (order: string) =>
  `[('${order}partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]), ('${order}state', 'in', ['sent', 'purchase', 'cancel'])]`

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    purchase_order_comp_rule: of('purchase.order', ofCompanies),
    purchase_report_comp_rule: of('purchase.report', ofCompanies),
    purchase_order_line_comp_rule: of('purchase.order.line', ofCompanies),
    portal_purchase_order_user_rule: of('purchase.order', theirs(''), VENDOR),
    portal_purchase_order_line_rule: of('purchase.order.line', theirs('order_id.'), VENDOR),
    purchase_user_account_move_rule: of('account.move', `[('move_type', 'in', ${bills})]`, BUYER),
    purchase_user_account_move_line_rule: of(
      'account.move.line',
      `[('move_id.move_type', 'in', ${bills})]`,
      BUYER,
    ),
  },
}

const sequences: DataSet = {
  model: 'ir.sequence',
  noupdate: true,
  records: {
    seq_purchase_order: {
      name: 'Purchase Order',
      code: 'purchase.order',
      prefix: 'P',
      padding: 5,
      company_id: false,
    },
  },
}

/** Before the models' data: features that settings name. */
export const data: readonly DataSet[] = [privileges, groups, access, rules, sequences]
