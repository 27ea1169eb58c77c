// Bank statements (account.bank.statement): a run of lines with what the journal held before and after, as
// the bank says and as the lines add up.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  date,
  type Environment,
  implement,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
  type Records,
} from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { statementWritable } from '../writable.ts'

const kept = { computed: true, stored: true, readonly: false } as const

const statement = model('account.bank.statement', {
  label: 'Bank Statement',
  formsBySaving: true,
  order: 'first_line_index desc',
  rules: { journal_order: { index: ['journal_id', 'first_line_index'] } },
  fields: {
    name: char({ label: 'Reference', ...kept, copy: false }),
    reference: char({ label: 'External Reference', copy: false }),
    date: date({ label: 'Date', computed: true, stored: true, index: true }),
    first_line_index: char({ label: 'First Line', computed: true, stored: true, copy: false }),
    balance_start: monetary({
      label: 'Starting Balance',
      ...kept,
      help: 'Balance of the journal before the statement.',
    }),
    balance_end: monetary({
      label: 'Computed Balance',
      computed: true,
      stored: true,
      help: 'The starting balance with all posted lines.',
    }),
    balance_end_real: monetary({
      label: 'Ending Balance',
      ...kept,
      help: 'Closing balance stated by the bank.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'journal_id.company_id',
      stored: true,
      index: true,
    }),
    currency_id: many2one('res.currency', { label: 'Currency', asStored: true, computed: true }),
    journal_id: many2one('account.journal', {
      label: 'Journal',
      ...kept,
      ondelete: 'restrict',
      checkCompany: true,
    }),
    line_ids: one2many('account.bank.statement.line', 'statement_id', {
      label: 'Statement Lines',
      copy: true,
    }),
    /** Balances that are typed, or that lines began with, stay; the others follow the lines. */
    start_typed: boolean({ label: 'Starting Balance Kept', readonly: true, copy: false }),
    end_typed: boolean({ label: 'Ending Balance Typed', readonly: true, copy: false }),
    is_complete: boolean({
      label: 'Is Complete',
      computed: true,
      stored: true,
      help: 'The lines add up to the closing balance of the bank.',
    }),
    is_valid: boolean({
      label: 'Is Valid',
      computed: true,
      help: 'The starting balance equals the closing balance of the previous statement.',
    }),
    is_settled: boolean({
      label: 'Is Settled',
      computed: true,
      stored: true,
      help: 'The lines add up to the entered balance and are all reconciled: the statement can no longer be changed.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.bank.statement': BankStatement
  }
  interface BankStatement extends Of<typeof statement> {}
}

const ofLines = computedFields(
  statement,
  ['date', 'first_line_index', 'journal_id'],
  ['line_ids.internal_index', 'line_ids.move_id.date', 'line_ids.journal_id'],
  (statements) =>
    new Map(
      statements.map((statement) => {
        const lines = statement.line_ids.toSorted((a, b) =>
          (a.internal_index ?? '').localeCompare(b.internal_index ?? ''),
        )
        const [first, last] = [lines[0], lines.at(-1)]
        // A statement without lines keeps the journal that was typed.
        const journal = first?.journal_id ? { journal_id: first.journal_id } : {}
        return [
          statement.id,
          { date: last?.move_id.date ?? null, first_line_index: first?.internal_index ?? null, ...journal },
        ]
      }),
    ),
  { editable: true },
)

/**
 * Opening balances of statements: the closing balance of the statement before, and lines since. One
 * query.
 */
async function heldBefore(
  env: Environment,
  statements: readonly number[],
): Promise<Map<number, { start: number; previous: number | null }>> {
  const rows = await env.rows(
    sql`SELECT s.id, p.balance_end_real::float8, COALESCE(p.balance_end_real, 0)::float8 + COALESCE((
      SELECT sum(l.amount) FROM account_bank_statement_line l JOIN account_move m ON m.id = l.move_id AND m.state = 'posted'
      WHERE l.journal_id = s.journal_id AND l.internal_index >= COALESCE(p.first_line_index, '') AND l.internal_index < COALESCE(s.first_line_index, 'z')
        AND (p.id IS NULL OR l.statement_id IS DISTINCT FROM p.id) AND l.statement_id IS DISTINCT FROM s.id), 0)::float8
    FROM account_bank_statement s LEFT JOIN LATERAL (
      SELECT o.id, o.balance_end_real, o.first_line_index FROM account_bank_statement o
      WHERE o.journal_id = s.journal_id AND o.id <> s.id AND o.first_line_index < COALESCE(s.first_line_index, 'z')
      ORDER BY o.first_line_index DESC LIMIT 1) p ON TRUE
    WHERE s.id = ANY(${idList([...statements])})`,
    {
      reads: ['account.bank.statement.line', 'account.move', 'account.bank.statement'],
      row: ['int', 'float?', 'float'],
    },
  )
  return new Map(rows.map((row) => [row[0], { previous: row[1], start: Number(row[2].toFixed(6)) + 0 }]))
}

const balanceStart = computedFields(
  statement,
  ['balance_start'],
  ['first_line_index', 'journal_id', 'start_typed'],
  async (statements, env) => {
    const before = await heldBefore(
      env,
      statements.map(({ id }) => id),
    )
    return new Map(
      statements.map(({ id, start_typed }) => [
        id,
        start_typed ? {} : { balance_start: before.get(id)?.start ?? 0 },
      ]),
    )
  },
  { editable: true },
)

const balanceEndReal = computedFields(
  statement,
  ['balance_end_real'],
  ['balance_end', 'end_typed'],
  (statements) =>
    new Map(
      statements.map((statement) => [
        statement.id,
        statement.end_typed ? {} : { balance_end_real: statement.balance_end },
      ]),
    ),
  { editable: true },
)

/**
 * A statement keeps the opening balance that it had with its first lines, whichever leave it or come
 * (recorded).
 */
async function keepStart(statements: Records<'account.bank.statement'>): Promise<void> {
  const rows = await statements.load(['line_ids', 'balance_start', 'start_typed'])
  const begun = rows.flatMap((row) => (row.line_ids.length && !row.start_typed ? [row.id] : []))
  if (begun.length) await statements.sudo().browse(begun).write({ start_typed: true })
}

export default implement(statement, {
  writable: statementWritable,
  wrapWrite: (next) => async (statements, changes) => {
    await next(statements, changes)
    const ids = changes.flatMap((change) => ('line_ids' in change.vals ? change.ids : []))
    if (ids.length) await keepStart(statements.browse(ids))
  },
  wrapGeneric: {
    create: (next) => async (statements, params) => {
      const createdStatements = (await next(statements, params)) as Records<'account.bank.statement'>
      await keepStart(createdStatements)
      return createdStatements
    },
  },
  prepare: (vals) => {
    if ('balance_start' in vals) vals.start_typed = true
    if ('balance_end_real' in vals) vals.end_typed = true
  },
  computed: {
    ...ofLines,
    ...balanceStart,
    ...balanceEndReal,
    name: computed(
      statement,
      ['journal_id.code', 'date'],
      (statement) => [statement.journal_id?.code, 'Statement', statement.date].filter(Boolean).join(' '),
      {
        editable: true,
      },
    ),
    currency_id: computed(
      statement,
      ['journal_id.currency_id', 'journal_id.company_id.currency_id'],
      (statement) =>
        statement.journal_id?.currency_id ?? statement.journal_id?.company_id.currency_id ?? null,
    ),
    balance_end: computed(
      statement,
      ['balance_start', 'line_ids.amount', 'line_ids.move_id.state'],
      (statement) =>
        statement.line_ids.reduce(
          (sum, line) => (line.move_id.state === 'posted' ? addDecimals(sum, line.amount) : sum),
          statement.balance_start,
        ),
    ),
    is_complete: computed(
      statement,
      ['line_ids', 'balance_end', 'balance_end_real'],
      (statement) =>
        statement.line_ids.length > 0 &&
        addDecimals(statement.balance_end, -statement.balance_end_real) === 0,
    ),
    is_settled: computed(
      statement,
      ['end_typed', 'is_complete', 'line_ids.is_reconciled'],
      (statement) =>
        statement.end_typed &&
        statement.is_complete &&
        statement.line_ids.every((line) => line.is_reconciled),
    ),
    is_valid: computedTogether(
      statement,
      ['balance_start', 'first_line_index', 'journal_id'],
      async (statements, env) => {
        const before = await heldBefore(
          env,
          statements.map(({ id }) => id),
        )
        return new Map(
          statements.map((statement) => {
            const previous = before.get(statement.id)?.previous ?? null
            return [statement.id, previous === null || addDecimals(previous, -statement.balance_start) === 0]
          }),
        )
      },
    ),
  },
})
