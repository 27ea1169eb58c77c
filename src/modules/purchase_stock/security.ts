// Access rights between purchases and stock: buyers see receipts and quantities, stock users see orders.
import { type DataSet, recordRules } from '#models'
import { accessLines, companyRule, ofCompanies } from '../base/index.ts'

const BUYER = 'purchase.group_purchase_user'
const MANAGER = 'purchase.group_purchase_manager'
const KEEPER = 'stock.group_stock_user'

const access = accessLines({
  'vendor.delay.report': { [BUYER]: 'r', [MANAGER]: 'r' },
  'stock/stock.picking': { [BUYER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock/stock.move': { [BUYER]: 'rwc', [MANAGER]: 'rwc' },
  'stock/stock.move.line': { [BUYER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock/stock.warehouse.orderpoint': { [BUYER]: 'r', [MANAGER]: 'rwcd' },
  'purchase/purchase.order': { [KEEPER]: 'r' },
  'purchase/purchase.order.line': { [KEEPER]: 'r' },
})

const routes: DataSet = {
  model: 'stock.route',
  noupdate: true,
  records: {
    route_warehouse0_buy: {
      name: 'Buy',
      company_id: false,
      sequence: 5,
      product_selectable: false,
      warehouse_selectable: true,
    },
  },
}

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: recordRules({ 'vendor.delay.report': ofCompanies }, companyRule),
}

export const data: readonly DataSet[] = [access, rules, routes]
