// Access rights and rules of sales orders (spec/business-models.md section 11): salespeople with their
// own, leads with all, managers delete, customers read theirs.
import { type DataSet, recordRule, recordRules, ruleDomain, user } from '#models'
import { accessLines, companyRule, ofCompanies } from '../base/index.ts'

const features: DataSet = {
  model: 'res.groups',
  records: {
    group_auto_done_setting: { name: 'Lock Confirmed Sales' },
    group_discount_per_so_line: { name: 'Discount on lines' },
    group_proforma_sales: { name: 'Pro-forma Invoices' },
  },
}

const SELLER = 'sales_team.group_sale_salesman'
const MANAGER = 'sales_team.group_sale_manager'
const BILLER = 'account.group_account_invoice'
const CUSTOMER = 'base.group_portal'

const access = accessLines({
  'sale.order': { [SELLER]: 'rwc', [MANAGER]: 'rwcd', [BILLER]: 'rw', [CUSTOMER]: 'r' },
  'sale.order.line': { [SELLER]: 'rwcd', [MANAGER]: 'rwcd', [BILLER]: 'rw', [CUSTOMER]: 'r' },
  'sale.order.discount': { [SELLER]: 'rwcd' },
  'payment.transaction': { [SELLER]: 'r', [BILLER]: 'r', 'base.group_system': 'rwcd' },
  'sale.mass.cancel.orders': { [SELLER]: 'rwc' },
  'sale.report': { [SELLER]: 'r', [MANAGER]: 'r' },
  'sale.advance.payment.inv': { [SELLER]: 'rwc', [BILLER]: '' },
  'product.attribute.custom.value': { [SELLER]: 'rwcd', [BILLER]: 'r' },
  // Rights of salespeople and their managers on models of other modules.
  'account/account.journal': { [SELLER]: 'r' },
  'account/account.move': { [SELLER]: 'r' },
  'account/account.move.line': { [SELLER]: 'r' },
  'account/account.partial.reconcile': { [SELLER]: 'r' },
  'product/product.pricelist': { [MANAGER]: 'rwcd' },
  'product/product.pricelist.item': { [MANAGER]: 'rwcd' },
  'base/res.partner': { [SELLER]: 'r', [MANAGER]: 'rwc' },
})

const ALL = 'sales_team.group_sale_salesman_all_leads'
const everything = ruleDomain([[1, '=', 1]])
const to = (group: string, model: string) => ({ name: `${model}: ${group}`, groups: [group] })
const mineOrNobodys = ruleDomain(['|', ['user_id', '=', user.id], ['user_id', '=', false]])

/** Rules of invoices: salespeople see their own and those without a salesperson, leads all of customers. */
const invoices = {
  account_invoice_rule_see_personal: recordRule(
    'account/account.move',
    [
      ['move_type', 'in', ['out_invoice', 'out_refund']],
      '|',
      ['invoice_user_id', '=', user.id],
      ['invoice_user_id', '=', false],
    ],
    to(SELLER, 'account.move'),
  ),
  account_invoice_rule_see_all: recordRule(
    'account/account.move',
    [['move_type', 'in', ['out_invoice', 'out_refund']]],
    to(ALL, 'account.move'),
  ),
  account_invoice_line_rule_see_personal: recordRule(
    'account/account.move.line',
    [
      ['move_id.move_type', 'in', ['out_invoice', 'out_refund']],
      '|',
      ['move_id.invoice_user_id', '=', user.id],
      ['move_id.invoice_user_id', '=', false],
    ],
    to(SELLER, 'account.move.line'),
  ),
  account_invoice_line_rule_see_all: recordRule(
    'account/account.move.line',
    [['move_id.move_type', 'in', ['out_invoice', 'out_refund']]],
    to(ALL, 'account.move.line'),
  ),
}

/**
 * Of the customer's company and all its people, once it was sent to them: quotations in the making are the
 * seller's alone.
 */
const customers = {
  sale_order_portal_rule: recordRule(
    'sale.order',
    [
      ['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
      ['state', 'in', ['sent', 'sale']],
    ],
    to(CUSTOMER, 'sale.order'),
  ),
  sale_order_line_portal_rule: recordRule(
    'sale.order.line',
    [
      ['order_id.partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]],
      ['order_id.state', 'in', ['sent', 'sale']],
    ],
    to(CUSTOMER, 'sale.order.line'),
  ),
}

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    ...recordRules(
      {
        'sale.order': ofCompanies,
        'sale.order.line': ofCompanies,
        'sale.report': ofCompanies,
        'payment.transaction': ofCompanies,
      },
      companyRule,
    ),
    sale_report_personal_rule: recordRule('sale.report', mineOrNobodys, to(SELLER, 'sale.report')),
    sale_report_see_all: recordRule('sale.report', everything, to(ALL, 'sale.report')),
    sale_order_personal_rule: recordRule('sale.order', mineOrNobodys, to(SELLER, 'sale.order')),
    sale_order_see_all: recordRule('sale.order', everything, to(ALL, 'sale.order')),
    sale_order_line_personal_rule: recordRule(
      'sale.order.line',
      ['|', ['salesman_id', '=', user.id], ['salesman_id', '=', false]],
      to(SELLER, 'sale.order.line'),
    ),
    sale_order_line_see_all: recordRule('sale.order.line', everything, to(ALL, 'sale.order.line')),
    ...invoices,
    ...customers,
  },
}

const sequences: DataSet = {
  model: 'ir.sequence',
  noupdate: true,
  records: {
    seq_sale_order: { name: 'Sales Order', code: 'sale.order', prefix: 'S', padding: 5, company_id: false },
  },
}

/** Before the models' data: features that settings name. */
export const data: readonly DataSet[] = [features, access, rules, sequences]
