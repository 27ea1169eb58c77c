// Who may do what with orders (spec/business-models.md section 11): salespeople with their own, leads with all, managers delete.
import { type DataSet, ref } from '#models'

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

/** Letters of the operations granted, by model and group: r, w, c, d (for unlink). */
const grants: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sale.model_sale_order': { [SELLER]: 'rwc', [MANAGER]: 'rwcd', [BILLER]: 'rw' },
  'sale.model_sale_order_line': { [SELLER]: 'rwcd', [MANAGER]: 'rwcd', [BILLER]: 'rw' },
  'sale.model_sale_order_discount': { [SELLER]: 'rwcd' },
  'sale.model_product_attribute_custom_value': { [SELLER]: 'rwcd', [BILLER]: 'r' },
  // What sellers need of other modules, and what their managers keep.
  'account.model_account_journal': { [SELLER]: 'r' },
  'product.model_product_pricelist': { [MANAGER]: 'rwcd' },
  'product.model_product_pricelist_item': { [MANAGER]: 'rwcd' },
  'base.model_res_partner': { [SELLER]: 'r', [MANAGER]: 'rwc' },
}

const access: DataSet = {
  model: 'ir.model.access',
  records: Object.fromEntries(
    Object.entries(grants).flatMap(([model, lines]) =>
      Object.entries(lines).map(([group, grant]) => {
        const name = `${model.replace(/^.*\.model_/, '')}_${group.replace(/^.*group_/, '')}`
        return [
          `access_${name}`,
          {
            name,
            model_id: ref(model),
            group_id: ref(group),
            perm_read: grant.includes('r'),
            perm_write: grant.includes('w'),
            perm_create: grant.includes('c'),
            perm_unlink: grant.includes('d'),
          },
        ]
      }),
    ),
  ),
}

const of = (model: string, domain_force: string, group?: string) => ({
  name: `${model}${group ? `: ${group}` : ' of the companies'}`,
  model_id: ref(`model_${model.replaceAll('.', '_')}`),
  domain_force,
  ...(group ? { groups: [[6, 0, [ref(group)]]] } : {}),
})
const ofCompanies = "[('company_id', 'in', company_ids)]"
const own = (field: string) => `['|', ('${field}', '=', user.id), ('${field}', '=', False)]`
const ALL = 'sales_team.group_sale_salesman_all_leads'
const all = '[(1, "=", 1)]'

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    sale_order_comp_rule: of('sale.order', ofCompanies),
    sale_order_line_comp_rule: of('sale.order.line', ofCompanies),
    sale_order_personal_rule: of('sale.order', own('user_id'), SELLER),
    sale_order_see_all: of('sale.order', all, ALL),
    sale_order_line_personal_rule: of('sale.order.line', own('salesman_id'), SELLER),
    sale_order_line_see_all: of('sale.order.line', all, ALL),
  },
}

const sequences: DataSet = {
  model: 'ir.sequence',
  noupdate: true,
  records: { seq_sale_order: { name: 'Sales Order', code: 'sale.order', prefix: 'S', padding: 5, company_id: false } },
}

/** Before the models' data: features that settings name. */
export const data: readonly DataSet[] = [features, access, rules, sequences]
