// Fields of entries, items, payments and statement lines that follow from what is done with them: values
// in create are ignored.
const ofMoves = [
  'state',
  'posted_before',
  'payment_state',
  'amount_untaxed',
  'amount_tax',
  'amount_total',
  'amount_residual',
  'amount_untaxed_signed',
  'amount_tax_signed',
  'amount_total_signed',
  'amount_residual_signed',
  'amount_total_in_currency_signed',
  'amount_untaxed_in_currency_signed',
  'sequence_prefix',
  'sequence_number',
] as const

const ofItems = [
  'parent_state',
  'date',
  'journal_id',
  'company_id',
  'company_currency_id',
  'move_name',
  'amount_residual',
  'amount_residual_currency',
  'reconciled',
  'full_reconcile_id',
  'matching_number',
] as const

const ofPayments = ['stage', 'state', 'is_reconciled', 'is_matched', 'move_id'] as const

const ofStatementLines = ['is_reconciled', 'amount_residual', 'internal_index', 'move_id'] as const

/**
 * Fields that are dropped from values to create with. The state of an entry may be sent: another check
 * handles it.
 */
const followed = {
  'account.move': ofMoves.filter((name) => name !== 'state'),
  'account.move.line': ofItems,
  'account.payment': ofPayments,
  'account.bank.statement.line': ofStatementLines.filter((name) => name !== 'move_id'),
} as const
type Followed = keyof typeof followed

/** Values to create with: what follows from the rest is worked out, whatever is said of it. */
export function withoutDerivedValues(
  model: Followed,
  vals: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const left: readonly string[] = followed[model]
  return Object.fromEntries(Object.entries(vals).filter(([name]) => !left.includes(name)))
}
