// Rights on templates of quotations: sellers use them, their managers keep them.
import { type DataSet, recordRules } from '#models'
import { accessLines, companyRule, ofCompaniesOrNone } from '../base/index.ts'

const ofSellers = {
  'sales_team.group_sale_salesman': 'r',
  'sales_team.group_sale_manager': 'rwcd',
}

export const security: readonly DataSet[] = [
  accessLines({ 'sale.order.template': ofSellers, 'sale.order.template.line': ofSellers }),
  {
    model: 'ir.rule',
    noupdate: true,
    records: recordRules(
      { 'sale.order.template': ofCompaniesOrNone, 'sale.order.template.line': ofCompaniesOrNone },
      companyRule,
    ),
  },
]
