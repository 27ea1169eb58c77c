// The shop for attacks: modules, groups of the clerk, and records to sell and to book with.
import type { Environment } from '../../src/models/index.ts'
import type { Shop } from './attack.ts'

export const shopModules: string[] = [
  'sale_management',
  'sale_stock',
  'purchase_stock',
  'stock_account',
  'point_of_sale',
]

const groups: readonly string[] = [
  'base.group_user',
  'point_of_sale.group_pos_user',
  'stock.group_stock_manager',
  'purchase.group_purchase_manager',
  'account.group_account_manager',
  'sales_team.group_sale_manager',
]

const PRODUCTS = 20

/** Opens the till of the installed modules, and adds goods to its stock. */
export async function shopOf(
  env: Environment,
): Promise<{ readonly shop: Shop; readonly groups: readonly string[] }> {
  const config = await env.ref('point_of_sale.pos_config_main')
  const till = env.model('pos.config').browse([config])
  await till.invoke('open_ui', {})
  const { current_session_id: session, payment_method_ids: methods } = await till.one([
    'current_session_id',
    'payment_method_ids',
  ])
  const opened = session?.id ?? 0
  await env
    .model('pos.session')
    .browse([opened])
    .invoke('set_opening_control', { cashbox_value: 0, notes: '' })
  const goods = Array.from({ length: PRODUCTS }, (_, at) => ({
    name: `Good ${at}`,
    list_price: at + 1,
    available_in_pos: true,
    is_storable: true,
    taxes_id: [[5]],
  }))
  const products = await env.model('product.product').create(goods as never)
  const [journal] = await (
    await env.model('account.journal').search([['type', '=', 'sale']], { limit: 1 })
  ).load(['default_account_id'])
  const shop = {
    config,
    session: opened,
    method: methods[0]?.id ?? 0,
    products: [...products.ids],
    deliveries: await env.ref('stock.picking_type_out'),
    shelf: await env.ref('stock.stock_location_stock'),
    customers: await env.ref('stock.stock_location_customers'),
    sales: journal?.id ?? 0,
    income: journal?.default_account_id?.id ?? 0,
  }
  return { shop, groups }
}
