// Roles of people in a shop, in words of the trade: each role is a group of a module.

/** The group of each role, by external id. */
export const groupOfRole = {
  administrator: 'base.group_system',
  'user-manager': 'base.group_erp_manager',
  user: 'base.group_user',
  portal: 'base.group_portal',
  cashier: 'point_of_sale.group_pos_user',
  'pos-manager': 'point_of_sale.group_pos_manager',
  sales: 'sales_team.group_sale_salesman',
  'sales-all': 'sales_team.group_sale_salesman_all_leads',
  'sales-manager': 'sales_team.group_sale_manager',
  purchase: 'purchase.group_purchase_user',
  'purchase-manager': 'purchase.group_purchase_manager',
  stock: 'stock.group_stock_user',
  'stock-manager': 'stock.group_stock_manager',
  invoicing: 'account.group_account_invoice',
  bookkeeper: 'account.group_account_user',
  auditor: 'account.group_account_readonly',
  'accounting-manager': 'account.group_account_manager',
} as const satisfies Readonly<Record<string, `${string}.${string}`>>

export type RoleName = keyof typeof groupOfRole

/** Whether a name is that of a role. */
export const isRole = (name: string): name is RoleName => Object.hasOwn(groupOfRole, name)
