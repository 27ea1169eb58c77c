// Computed fields of statement lines: their open amount, the running balance of their journal, and their
// order.

import { computed, computedFields, computedTogether, type Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { ratesFor } from '../move/headers.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import { statementLine } from './line.contract.ts'

/** Later days after earlier ones; within a day lower sequences come later, as on paper. */
const LAST = 2_147_483_647

const index = computed(
  statementLine,
  ['move_id.date', 'sequence', 'id'],
  (statementLine) =>
    `${(statementLine.move_id.date ?? '').replaceAll('-', '')}${String(LAST - statementLine.sequence).padStart(10, '0')}${String(statementLine.id).padStart(10, '0')}`,
)

/** A missing amount in a foreign currency is the journal's amount at the rate of the day. */
const amountInCurrency = computedFields(
  statementLine,
  ['amount_currency'],
  [
    'foreign_currency_id.rounding',
    'amount',
    'journal_id.currency_id',
    'company_id.currency_id',
    'move_id.date',
  ],
  async (lines, env) => {
    const rateAsks = lines
      .filter((line) => line.foreign_currency_id)
      .map((line) => {
        const companyCurrency = line.company_id?.currency_id.id ?? 0
        const context = {
          company: line.company_id?.id ?? env.companyId,
          companyCurrency,
          day: present(line.move_id.date),
        }
        const target = line.foreign_currency_id
        return {
          one: line,
          from: { ...context, currency: line.journal_id?.currency_id?.id ?? companyCurrency },
          to: { ...context, currency: target?.id ?? 0 },
          step: target?.rounding ?? 0.01,
        }
      })
    const rates = await ratesFor(
      env,
      rateAsks.flatMap(({ from, to }) => [from, to]),
    )
    const amounts = rateAsks.map(({ one: row, from, to, step }): [number, number] => [
      row.id,
      toNumber(
        roundTo(
          exact(row.amount)
            .div(exact(rates(from)))
            .times(exact(rates(to))),
          exact(step),
        ),
      ),
    ])
    const converted = new Map(amounts)
    return new Map(lines.map(({ id }) => [id, { amount_currency: converted.get(id) ?? 0 }]))
  },
  { editable: true },
)

/** Open is what stands on the suspense account; a line with another counterpart has its place. */
const reconciled = computedFields(
  statementLine,
  ['amount_residual', 'is_reconciled'],
  [
    'amount',
    'amount_currency',
    'foreign_currency_id',
    'journal_id.suspense_account_id',
    'move_id.line_ids.account_id.reconcile',
    'move_id.line_ids.amount_currency',
    'move_id.line_ids.amount_residual_currency',
  ],
  (lines) =>
    new Map(
      lines.map((line) => {
        const suspense = line.journal_id?.suspense_account_id?.id
        const waiting = line.move_id.line_ids.filter(
          (item) => item.account_id && item.account_id.id === suspense,
        )
        const amount_residual = waiting.reduce(
          (sum, item) =>
            addDecimals(
              sum,
              item.account_id?.reconcile ? item.amount_residual_currency : item.amount_currency,
            ),
          0,
        )
        return [line.id, { amount_residual, is_reconciled: waiting.length === 0 || amount_residual === 0 }]
      }),
    ),
)

/**
 * Balances begin anew with the first line of every statement, by what it says; in between they are sums of
 * posted lines. One statement.
 */
async function runningBalances(env: Environment, lines: readonly number[]): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`WITH asked AS (
      SELECT journal_id, min(internal_index) AS low, max(internal_index) AS high FROM account_bank_statement_line
      WHERE id = ANY(${idList([...lines])}) GROUP BY journal_id),
    span AS (
      SELECT a.journal_id, a.high, COALESCE((SELECT max(s.first_line_index) FROM account_bank_statement s
        WHERE s.journal_id = a.journal_id AND s.first_line_index <= a.low), '') AS start FROM asked a),
    run AS (
      SELECT l.id, l.journal_id, l.internal_index, s.balance_start AS anchor, CASE WHEN m.state = 'posted' THEN COALESCE(l.amount, 0) ELSE 0 END AS amount,
        count(s.id) OVER (PARTITION BY l.journal_id ORDER BY l.internal_index) AS part
      FROM span x JOIN account_bank_statement_line l ON l.journal_id = x.journal_id AND l.internal_index BETWEEN x.start AND x.high
      JOIN account_move m ON m.id = l.move_id
      LEFT JOIN account_bank_statement s ON s.id = l.statement_id AND s.first_line_index = l.internal_index)
    SELECT id, balance::float8 FROM (SELECT id, sum(COALESCE(anchor, 0) + amount) OVER (PARTITION BY journal_id, part ORDER BY internal_index) AS balance
      FROM run) AS sums WHERE id = ANY(${idList([...lines])})`,
    {
      reads: ['account.bank.statement.line', 'account.bank.statement', 'account.move'],
      row: ['int', 'float'],
    },
  )
  return new Map(rows.map((row) => [row[0], Number(row[1].toFixed(6)) + 0]))
}

export const lineFigures = {
  currency_id: computed(
    statementLine,
    ['journal_id.currency_id', 'company_id.currency_id'],
    (statementLine) => statementLine.journal_id?.currency_id ?? statementLine.company_id?.currency_id ?? null,
  ),
  running_balance: computedTogether(
    statementLine,
    ['amount', 'statement_id', 'internal_index'],
    (lines, env) =>
      runningBalances(
        env,
        lines.map(({ id }) => id),
      ),
  ),
  internal_index: index,
  ...amountInCurrency,
  ...reconciled,
}
