// Access rights and rules of purchases: buyers with all orders of their companies, managers approve,
// accountants read and bill, vendors read theirs.
import { type DataSet, recordRule, recordRules, ref, user } from '#models'
import { accessLines, companyRule, ofCompanies } from '../base/index.ts'

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
  'purchase.bill.union': { [BUYER]: 'r', [BILLER]: 'r' },
  'purchase.bill.line.match': { [BUYER]: 'r', [BILLER]: 'r' },
  'bill.to.po.wizard': { [BUYER]: 'rwcd', [BILLER]: 'rwcd' },
  // Rights of buyers on models of other modules.
  'account/account.journal': { [BUYER]: 'r' },
  'account/account.move': { [BUYER]: 'rwcd' },
  'account/account.move.line': { [BUYER]: 'rwcd' },
  'account/account.partial.reconcile': { [BUYER]: 'r' },
  'product/product.supplierinfo': { [BUYER]: 'r', [MANAGER]: 'rwcd' },
  'base/res.partner': { [BUYER]: 'r', [MANAGER]: 'rwc' },
})

const to = (group: string, model: string) => ({ name: `${model}: ${group}`, groups: [group] })

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    ...recordRules(
      {
        'purchase.order': ofCompanies,
        'purchase.report': ofCompanies,
        'purchase.bill.union': ofCompanies,
        'purchase.bill.line.match': ofCompanies,
        'purchase.order.line': ofCompanies,
      },
      companyRule,
    ),
    // Of the vendor's company and all its people, once it was sent to them.
    portal_purchase_order_user_rule: recordRule(
      'purchase.order',
      [
        ['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
        ['state', 'in', ['sent', 'purchase', 'cancel']],
      ],
      to(VENDOR, 'purchase.order'),
    ),
    portal_purchase_order_line_rule: recordRule(
      'purchase.order.line',
      [
        ['order_id.partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
        ['order_id.state', 'in', ['sent', 'purchase', 'cancel']],
      ],
      to(VENDOR, 'purchase.order.line'),
    ),
    purchase_user_account_move_rule: recordRule(
      'account/account.move',
      [['move_type', 'in', ['in_invoice', 'in_refund', 'in_receipt']]],
      to(BUYER, 'account.move'),
    ),
    purchase_user_account_move_line_rule: recordRule(
      'account/account.move.line',
      [['move_id.move_type', 'in', ['in_invoice', 'in_refund', 'in_receipt']]],
      to(BUYER, 'account.move.line'),
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
