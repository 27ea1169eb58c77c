// Who may do what with orders (spec/business-models.md section 11): salespeople with their own, leads with
// all, managers delete, customers read theirs.
import { type DataSet, ref } from '#models'
import { accessLines } from '../base/index.ts'

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
  'sale.report': { [SELLER]: 'r', [MANAGER]: 'r' },
  'sale.advance.payment.inv': { [SELLER]: 'rwc', [BILLER]: 'rwc' },
  'product.attribute.custom.value': { [SELLER]: 'rwcd', [BILLER]: 'r' },
  // What sellers need of other modules, and what their managers keep.
  'account/account.journal': { [SELLER]: 'r' },
  'account/account.move': { [SELLER]: 'r' },
  'account/account.move.line': { [SELLER]: 'r' },
  'product/product.pricelist': { [MANAGER]: 'rwcd' },
  'product/product.pricelist.item': { [MANAGER]: 'rwcd' },
  'base/res.partner': { [SELLER]: 'r', [MANAGER]: 'rwc' },
})

const of = (model: string, domain_force: string, group?: string) => ({
  name: `${model}${group ? `: ${group}` : ' of the companies'}`,
  model_id: ref(`model_${model.replaceAll('.', '_')}`),
  domain_force,
  ...(group ? { groups: [[6, 0, [ref(group)]]] } : {}),
})
/** Rules on what another module declares. */
const invoices = (model: string, domain: string, group: string) => ({
  ...of(model, domain, group),
  model_id: ref(`account.model_${model.replaceAll('.', '_')}`),
})
const ofCompanies = "[('company_id', 'in', company_ids)]"
const own = (field: string) => `['|', ('${field}', '=', user.id), ('${field}', '=', False)]`
const ALL = 'sales_team.group_sale_salesman_all_leads'
const all = '[(1, "=", 1)]'
/**
 * Of the customer's company and all its people, once it was sent to them: quotations in the making are the
 * seller's alone.
 */
const theirs = (order: string) =>
  `[('${order}partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]), ('${order}state', 'in', ['sent', 'sale'])]`

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    sale_order_comp_rule: of('sale.order', ofCompanies),
    sale_order_line_comp_rule: of('sale.order.line', ofCompanies),
    sale_report_comp_rule: of('sale.report', ofCompanies),
    sale_report_personal_rule: of('sale.report', own('user_id'), SELLER),
    sale_report_see_all: of('sale.report', all, ALL),
    sale_order_personal_rule: of('sale.order', own('user_id'), SELLER),
    sale_order_see_all: of('sale.order', all, ALL),
    sale_order_line_personal_rule: of('sale.order.line', own('salesman_id'), SELLER),
    sale_order_line_see_all: of('sale.order.line', all, ALL),
    account_invoice_rule_see_personal: invoices(
      'account.move',
      `[('move_type', 'in', ('out_invoice', 'out_refund')), ${own('invoice_user_id').slice(1)}`,
      SELLER,
    ),
    account_invoice_rule_see_all: invoices(
      'account.move',
      "[('move_type', 'in', ('out_invoice', 'out_refund'))]",
      ALL,
    ),
    account_invoice_line_rule_see_personal: invoices(
      'account.move.line',
      `[('move_id.move_type', 'in', ('out_invoice', 'out_refund')), ${own('move_id.invoice_user_id').slice(1)}`,
      SELLER,
    ),
    account_invoice_line_rule_see_all: invoices(
      'account.move.line',
      "[('move_id.move_type', 'in', ('out_invoice', 'out_refund'))]",
      ALL,
    ),
    sale_order_portal_rule: of('sale.order', theirs(''), CUSTOMER),
    sale_order_line_portal_rule: of('sale.order.line', theirs('order_id.'), CUSTOMER),
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
