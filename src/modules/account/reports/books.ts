// Implementation of reports of the books (comptoir.books). Each answers an object, or one table as CSV.
import { implement } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { aged, columnsOf } from './aged.ts'
import { books } from './contract.ts'
import { csvOf } from './csv.ts'
import { partnerStatement, salesJournal } from './documents.ts'
import { generalLedger } from './ledger.ts'
import { countOf, dayOf, periodOf } from './parameters.ts'
import { taxReport } from './taxes.ts'
import { trialBalance, trialBalanceTotals } from './trial-balance.ts'

const MOST = 10_000
/** Rows of a table that has no pages: accounts, contacts. */
type Rows = readonly Readonly<Record<string, unknown>>[]

/** The answer as it is, or its table. Throws InvalidValue for another form. */
function formed<T extends object>(
  format: unknown,
  answer: T,
  columns: readonly string[],
  rows: Rows,
): T | string {
  if (format === 'json') return answer
  if (format === 'csv') return csvOf(columns, rows)
  throw new InvalidValue("Invalid format: use 'json' or 'csv'.")
}

const pageOf = ({ limit, offset }: { readonly limit: unknown; readonly offset: unknown }) => ({
  limit: countOf(limit, 'limit', 1, MOST),
  offset: countOf(offset, 'offset', 0, 100_000_000),
})

const agedBy =
  (type: 'asset_receivable' | 'liability_payable') =>
  async ({ env }: { readonly env: Parameters<typeof aged>[0] }, params: Record<string, unknown>) => {
    const now = today(env.tz, env.now())
    const days = countOf(params.days, 'days', 1, 365)
    const request = {
      type,
      date: dayOf(params.date, now),
      days,
      partners: params.partner_ids as readonly number[],
    }
    const answer = await aged(env, request, now)
    return formed(params.format, answer, ['partner_id', ...columnsOf(days), 'total'], answer.rows)
  }

export default implement(books, {
  methods: {
    trial_balance: async ({ env }, params) => {
      const rows = await trialBalance(env, periodOf(env, params), params.journal_ids)
      return formed(
        params.format,
        { rows, totals: trialBalanceTotals(rows) },
        ['code', 'name', 'opening', 'debit', 'credit', 'closing'],
        [...rows] as unknown as Rows,
      )
    },
    general_ledger: async ({ env }, params) => {
      const answer = await generalLedger(env, periodOf(env, params), params.account_ids, pageOf(params))
      const columns = [
        'code',
        'account_id',
        'date',
        'move_name',
        'partner',
        'name',
        'ref',
        'debit',
        'credit',
        'balance',
      ]
      return formed(params.format, answer, columns, answer.lines)
    },
    aged_receivable: agedBy('asset_receivable'),
    aged_payable: agedBy('liability_payable'),
    tax_report: async ({ env }, params) => {
      const answer = await taxReport(env, periodOf(env, params))
      return formed(params.format, answer, ['tax_id', 'type_tax_use', 'rate', 'base', 'amount'], answer.rows)
    },
    sales_journal: async ({ env }, params) => {
      const answer = await salesJournal(env, periodOf(env, params), params.journal_ids, pageOf(params))
      const columns = [
        'date',
        'name',
        'move_type',
        'partner',
        'untaxed',
        'tax',
        'total',
        'open',
        'due',
        'payment_state',
      ]
      return formed(params.format, answer, columns, answer.rows)
    },
    partner_statement: async ({ env }, params) => {
      const answer = await partnerStatement(env, periodOf(env, params), params.partner_id)
      return formed(
        params.format,
        answer,
        ['date', 'due', 'move_name', 'name', 'debit', 'credit', 'balance', 'open'],
        answer.rows,
      )
    },
  },
})
