// The accounts that hold what goods of a company are worth, for the entry that closes a valuation.
import type { Environment } from '#models'
import { sql } from '../../sql/index.ts'

/** Accounts, journal and currency of the company. */
export const companyOf = (home: Environment) =>
  home
    .sudo()
    .model('res.company')
    .browse([home.companyId])
    .one([
      'currency_id.rounding',
      'account_stock_valuation_id',
      'account_stock_journal_id',
      'expense_account_id',
    ])

/** Accounts that categories name to hold the value of their goods. */
export async function accountsByCategory(home: Environment): Promise<Map<number, number>> {
  const categories = await home
    .sudo()
    .model('product.category')
    .search([['property_stock_valuation_account_id', '!=', false]])
  const rows = await categories.load(['property_stock_valuation_account_id'])
  return new Map(
    rows.flatMap(({ id, property_stock_valuation_account_id: account }) =>
      account ? [[id, account.id]] : [],
    ),
  )
}

/** The account that holds the value of each product that a company ever had. */
export async function holdingAccounts(home: Environment): Promise<Map<number, number>> {
  const rows = await home.rows(
    sql`SELECT b.product_id, t.categ_id FROM comptoir_stock_balance b JOIN product_product p ON p.id = b.product_id
    JOIN product_template t ON t.id = p.product_tmpl_id WHERE b.company_id = ${home.companyId}::int ORDER BY 1`,
    { reads: ['comptoir.stock.balance', 'product.product', 'product.template'], row: ['int', 'int?'] },
  )
  const byCategory = await accountsByCategory(home)
  const { account_stock_valuation_id: shared } = await companyOf(home)
  return new Map(
    rows.flatMap(([product, category]) => {
      const account = byCategory.get(category ?? 0) ?? shared?.id
      return account ? [[product, account]] : []
    }),
  )
}

/** Names of items of a closing begin so: posted ones keep it. */
export const CLOSING = 'Stock valuation'

/**
 * Accounts that earlier closings booked values of goods on, also those that nothing names any more. The other
 * side of a closing is an account of profit and loss, or one that accounts name as such.
 */
export async function closedAccounts(home: Environment, journal: number): Promise<number[]> {
  const rows = await home.rows(
    sql`SELECT DISTINCT i.account_id FROM account_move_line i JOIN account_account a ON a.id = i.account_id AND a.internal_group = 'asset'
      WHERE i.journal_id = ${journal}::int AND i.company_id = ${home.companyId}::int AND i.parent_state = 'posted' AND i.name LIKE ${`${CLOSING} %`}
      AND NOT EXISTS (SELECT FROM account_account o WHERE i.account_id IN (o.account_stock_variation_id, o.account_stock_expense_id)) ORDER BY 1`,
    { reads: ['account.move.line', 'account.account'], row: ['int'] },
  )
  return rows.map(([account]) => account)
}
