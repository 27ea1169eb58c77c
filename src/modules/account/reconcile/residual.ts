// Open amounts of items: their balance less matched amounts, in both currencies.
import { computedFields } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { line } from '../move/line.contract.ts'

const MONEY: readonly string[] = ['asset_cash', 'liability_credit_card']

interface Match {
  readonly amount: number
  readonly debit_amount_currency: number
  readonly credit_amount_currency: number
}

const sum = (matches: readonly Match[], of: (match: Match) => number) =>
  matches.reduce((total, match) => addDecimals(total, of(match)), 0)

/** Items of accounts that are matched, and of money, have a residual; the others are never open. */
export const residual = computedFields(
  line,
  ['amount_residual', 'amount_residual_currency', 'reconciled'],
  [
    'balance',
    'amount_currency',
    'parent_state',
    'account_id.reconcile',
    'account_id.account_type',
    'matched_debit_ids.amount',
    'matched_debit_ids.debit_amount_currency',
    'matched_debit_ids.credit_amount_currency',
    'matched_credit_ids.amount',
    'matched_credit_ids.debit_amount_currency',
    'matched_credit_ids.credit_amount_currency',
  ],
  (lines) =>
    new Map(
      lines.map((line) => {
        const matched =
          line.account_id !== null &&
          (line.account_id.reconcile || MONEY.includes(line.account_id.account_type))
        if (!matched) return [line.id, { amount_residual: 0, amount_residual_currency: 0, reconciled: false }]
        const company =
          sum(line.matched_debit_ids, (m) => m.amount) - sum(line.matched_credit_ids, (m) => m.amount)
        const matchedCurrency =
          sum(line.matched_debit_ids, (m) => m.credit_amount_currency) -
          sum(line.matched_credit_ids, (m) => m.debit_amount_currency)
        const [amount_residual, amount_residual_currency] = [
          addDecimals(line.balance, company),
          addDecimals(line.amount_currency, matchedCurrency),
        ]
        const settled = amount_residual === 0 && amount_residual_currency === 0
        return [
          line.id,
          {
            amount_residual,
            amount_residual_currency,
            reconciled: settled && line.parent_state === 'posted',
          },
        ]
      }),
    ),
)
