// Access rights between sales and stock: salespeople handle the transfers of orders, stock users see the
// orders (spec/business-models.md section 11).
import type { DataSet } from '#models'
import { accessLines } from '../base/index.ts'

const SELLER = 'sales_team.group_sale_salesman'
const MANAGER = 'sales_team.group_sale_manager'
const BILLER = 'account.group_account_invoice'
const KEEPER = 'stock.group_stock_user'

const transfers = { [SELLER]: 'rwc', [MANAGER]: 'rwcd', [BILLER]: 'rwc' }

export const security: readonly DataSet[] = [
  accessLines({
    'stock/stock.picking': transfers,
    'stock/stock.move': transfers,
    'stock/stock.move.line': { [SELLER]: 'rwcd', [MANAGER]: 'rwcd', [BILLER]: 'rwcd' },
    'stock/stock.warehouse.orderpoint': { [SELLER]: 'r' },
    'stock/stock.rule': { [MANAGER]: 'rwcd' },
    'sale/sale.order': { [KEEPER]: 'rw' },
    'sale/sale.order.line': { [KEEPER]: 'rw' },
  }),
]
