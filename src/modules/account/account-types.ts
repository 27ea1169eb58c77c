// Types of accounts: where reports show them, and what may be booked how.
export const accountTypes = {
  asset_receivable: 'Receivable',
  asset_cash: 'Bank and Cash',
  asset_current: 'Current Assets',
  asset_non_current: 'Non-current Assets',
  asset_prepayments: 'Prepayments',
  asset_fixed: 'Fixed Assets',
  liability_payable: 'Payable',
  liability_credit_card: 'Credit Card',
  liability_current: 'Current Liabilities',
  liability_non_current: 'Non-current Liabilities',
  equity: 'Equity',
  equity_unaffected: 'Current Year Earnings',
  income: 'Income',
  income_other: 'Other Income',
  expense: 'Expenses',
  expense_other: 'Other Expenses',
  expense_depreciation: 'Depreciation',
  expense_direct_cost: 'Cost of Revenue',
  off_balance: 'Off-Balance Sheet',
} as const

/** Groups that types of accounts belong to, by the word that the types begin with. */
export const accountGroups = {
  equity: 'Equity',
  asset: 'Asset',
  liability: 'Liability',
  income: 'Income',
  expense: 'Expense',
  off: 'Off Balance',
} as const

/** Groups that see the books as a whole: others see their documents, and accounts and journals by name. */
export const BOOKKEEPERS = 'account.group_account_invoice,account.group_account_readonly'

/** Types of accounts that hold what partners owe or are owed. */
export const partnerTypes = ['asset_receivable', 'liability_payable'] as const
