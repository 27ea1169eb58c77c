// Entries of statement lines: the money on the account of its journal, against what it was for, or the
// suspense account until somebody knows.

import type { Environment, Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { assertAllowed } from '../../base/index.ts'
import { ratesFor } from '../move/headers.ts'
import { postUnmatched } from '../move/post-entries.ts'
import { sides } from '../move/sides.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import { statementLine } from './line.contract.ts'

type ItemVals = Vals<'account.move.line'>

const paths = [
  'amount',
  'amount_currency',
  'payment_ref',
  'counterpart_account_id',
  'foreign_currency_id',
  'journal_id.name',
  'journal_id.currency_id',
  'journal_id.default_account_id',
  'journal_id.suspense_account_id',
  'company_id.currency_id.rounding',
  'move_id.state',
  'move_id.date',
  'move_id.journal_id',
  'move_id.partner_id.commercial_partner_id',
  'move_id.line_ids.account_id',
  'move_id.line_ids.matched_debit_ids',
  'move_id.line_ids.matched_credit_ids',
] as const

/** Lines with their entries, read as superuser. */
export const loadBooked = (env: Environment, lines: readonly number[]) =>
  env
    .sudo()
    .model('account.bank.statement.line')
    .browse(lines)
    .load([...paths])
type Row = Awaited<ReturnType<typeof loadBooked>>[number]

/** Throws UserError for lines that are matched with anything. */
export function assertFree(rows: readonly Row[]): void {
  if (
    rows.some((row) =>
      row.move_id.line_ids.some((item) => item.matched_debit_ids.length || item.matched_credit_ids.length),
    )
  )
    throw new UserError('Amounts of a matched line cannot be changed: undo the matching first.')
}

/** Throws UserError for lines with items that are neither their money nor on the suspense account. */
export function assertUnexplained(rows: readonly Row[]): void {
  const isExplained = ({ journal_id: journal, move_id: entry }: Row) =>
    entry.line_ids.some(
      ({ account_id: account }) =>
        account &&
        account.id !== journal?.default_account_id?.id &&
        account.id !== journal?.suspense_account_id?.id,
    )
  if (rows.some(isExplained))
    throw new UserError('A line with a counterpart cannot be changed: undo its reconciliation first.')
}

/**
 * Throws UserError for lines to come that name an entry which is not theirs to fill: posted, with items, or
 * another line's. AccessError for entries that are not the caller's to change.
 */
export async function assertFreeEntries(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const named = list.flatMap(({ move_id }) => (isInteger(move_id) ? [move_id] : []))
  if (named.length === 0) return
  await assertAllowed(env.model('account.move').browse([...new Set(named)]), 'write')
  const rows = await env
    .sudo()
    .model('account.move')
    .browse(named)
    .load(['state', 'move_type', 'line_ids', 'statement_line_id'])
  const isFree = (row: (typeof rows)[number]) =>
    row.state === 'draft' && row.move_type === 'entry' && !row.line_ids.length && !row.statement_line_id
  if (new Set(named).size < named.length || !rows.every(isFree))
    throw new UserError('A statement line needs its own entry: a draft without items.')
}

/**
 * Makes the entries of lines to come, as yet without items, and gives the values that are left for the lines
 * themselves.
 */
export async function makeEntries(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> {
  const lineFields = new Set([...Object.keys(statementLine.fields), ...extended(env)])
  lineFields.delete('journal_id')
  lineFields.delete('company_id')
  const journals = await defaultJournals(env, list)
  const day = today(env.tz, env.now())
  const headers = list.map((vals, i): Vals<'account.move'> => {
    const header = Object.fromEntries(
      Object.entries(vals).filter(([name]) => !lineFields.has(name) && name !== 'company_id'),
    )
    return {
      ...header,
      move_type: 'entry',
      date: vals.date || day,
      journal_id: journals[i],
    } as Vals<'account.move'>
  })
  const fresh = list.flatMap((vals, i) => (vals.move_id ? [] : [i]))
  // Values that a caller gave for the entry are judged as if they created the entry.
  const moves = fresh.length
    ? (
        (await env.model('account.move').invoke('create', {
          vals_list: fresh.map((i) => present(headers[i])),
        })) as Records<'account.move'>
      ).ids
    : []
  const moveOf = new Map(fresh.map((i, n) => [i, moves[n]]))
  return list.map((vals, i) => {
    const mine = Object.fromEntries(Object.entries(vals).filter(([name]) => lineFields.has(name)))
    return { ...mine, move_id: moveOf.get(i) ?? vals.move_id }
  })
}

/** Fields that other modules gave to lines: they are no delegated ones. */
function extended(env: Environment): string[] {
  const { fields } = env.def('account.bank.statement.line')
  return [...fields.values()].flatMap((field) => (field.inherited ? [] : [field.name]))
}

/**
 * The journal of each line: the one that is named, that of its statement, else the company's first one of
 * money.
 */
async function defaultJournals(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<unknown[]> {
  const journalOf = (vals: Readonly<Record<string, unknown>>) =>
    vals.journal_id || env.context.default_journal_id
  const nameless = list.filter((vals) => !journalOf(vals))
  if (nameless.length === 0) return list.map(journalOf)
  const statements = nameless.flatMap(({ statement_id: statement }) =>
    isInteger(statement) ? [statement] : [],
  )
  const knownStatements = statements.length
    ? await env
        .model('account.bank.statement')
        .browse([...new Set(statements)])
        .load(['journal_id'])
    : []
  const ofStatement = new Map(
    knownStatements.map((knownStatement) => [knownStatement.id as unknown, knownStatement.journal_id?.id]),
  )
  const first = await env.model('account.journal').search(
    [
      ['type', 'in', ['bank', 'cash', 'credit']],
      ['company_id', '=', env.companyId],
    ],
    { limit: 1, order: 'type, sequence, id' },
  )
  return list.map((vals) => journalOf(vals) || (ofStatement.get(vals.statement_id) ?? first.ids[0]))
}

/** Posted entries of lines are drafts for the time of a change; they keep their numbers. */
export async function reopen(env: Environment, rows: readonly Row[]): Promise<void> {
  const posted = rows.filter((row) => row.move_id.state === 'posted').map((row) => row.move_id.id)
  if (posted.length) await env.model('account.move').browse(posted).button_draft()
}

/** Posts those entries of lines again that were posted. */
export async function repost(env: Environment, rows: readonly Row[]): Promise<void> {
  const posted = rows.filter((row) => row.move_id.state === 'posted').map((row) => row.move_id.id)
  if (posted.length) await postUnmatched(env.sudo().model('account.move').browse(posted))
}

/**
 * Gives the entries of lines their items anew and posts those in `post`. `to`: whether the other side stays
 * where it is.
 */
export async function bookLines(
  env: Environment,
  lines: readonly number[],
  post: ReadonlySet<number>,
  to: 'kept' | 'suspense' = 'kept',
): Promise<void> {
  const su = env.sudo()
  const rows = await loadBooked(su, lines)
  const rateAsks = rows.map((row) => ({
    row,
    company: row.company_id?.id ?? env.companyId,
    companyCurrency: row.company_id?.currency_id.id ?? 0,
    currency: row.journal_id?.currency_id?.id ?? row.company_id?.currency_id.id ?? 0,
    day: present(row.move_id.date),
  }))
  const rates = await ratesFor(su, rateAsks)
  const items = rateAsks.flatMap((ask) => itemsOf(ask, rates(ask), to))
  const gone = rows.flatMap((row) => row.move_id.line_ids.map(({ id }) => id))
  if (gone.length) await su.model('account.move.line').browse(gone).unlink()
  await su.model('account.move.line').create(items)
  const moves = su.model('account.move')
  await moves
    .browse(rows.map((row) => row.move_id.id))
    .writeEach(
      new Map(
        rateAsks.map(({ row, currency }) => [
          row.move_id.id,
          { statement_line_id: row.id, currency_id: row.foreign_currency_id?.id ?? currency },
        ]),
      ),
    )
  const posted = rows.filter((row) => post.has(row.id)).map((row) => row.move_id.id)
  if (posted.length) await postUnmatched(moves.browse(posted))
}

interface Asked {
  readonly row: Row
  readonly companyCurrency: number
  readonly currency: number
}

/** The two items of a line: money, and what it was for. */
function itemsOf(
  { row, companyCurrency, currency }: Asked,
  rate: number,
  to: 'kept' | 'suspense',
): ItemVals[] {
  const money = row.journal_id?.default_account_id
  const other = counterpartOf(row, to)
  if (!money || !other)
    throw new UserError(
      `The journal ${row.journal_id?.name} needs an account for its money and a suspense account.`,
    )
  const foreign = row.foreign_currency_id?.id
  const step = exact(row.company_id?.currency_id.rounding ?? 0.01)
  const balance =
    currency === companyCurrency
      ? row.amount
      : foreign === companyCurrency
        ? row.amount_currency
        : toNumber(roundTo(exact(row.amount).div(exact(rate)), step))
  const item = (
    account_id: number,
    currency_id: number,
    amount_currency: number,
    booked: number,
  ): ItemVals => ({
    move_id: row.move_id.id,
    name: row.payment_ref ?? 'Statement line',
    partner_id: row.move_id.partner_id?.commercial_partner_id?.id ?? row.move_id.partner_id?.id ?? false,
    account_id,
    currency_id,
    amount_currency,
    balance: booked,
    ...sides(booked),
  })
  return [
    item(money.id, currency, row.amount, balance),
    item(other, foreign ?? currency, -(foreign ? row.amount_currency : row.amount), -balance),
  ]
}

/** Account of the counterpart: the current one with `kept`, else the suspense account. */
function counterpartOf(row: Row, to: 'kept' | 'suspense'): number | undefined {
  const others = row.move_id.line_ids.filter(
    (item) => item.account_id && item.account_id.id !== row.journal_id?.default_account_id?.id,
  )
  const [only] = others
  const keptAccount = to === 'kept' && others.length === 1 ? only?.account_id?.id : undefined
  return row.counterpart_account_id?.id ?? keptAccount ?? row.journal_id?.suspense_account_id?.id
}
