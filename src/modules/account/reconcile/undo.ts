// Undoing matches: the partials go, the entries for differences of rates are reversed, and items are open
// again.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { reverseExchanges } from './reverse.ts'

/** Removes all matches of items, and entries that were booked for them, as superuser. */
export const undoMatches = (env: Environment, items: readonly number[]): Promise<void> => undo(env, items, [])

/** Removes matches (account.partial.reconcile), and entries that were booked for them, as superuser. */
export const undoPartials = (env: Environment, ids: readonly number[]): Promise<void> => undo(env, [], ids)

async function undo(env: Environment, items: readonly number[], partials: readonly number[]): Promise<void> {
  if (items.length === 0 && partials.length === 0) return
  const rows = await env.rows(
    sql`SELECT p.id, p.exchange_move_id, p.debit_move_id, p.credit_move_id FROM account_partial_reconcile p
    WHERE p.debit_move_id = ANY(${idList([...items])}) OR p.credit_move_id = ANY(${idList([...items])}) OR p.id = ANY(${idList([...partials])})`,
    { reads: ['account.partial.reconcile'], row: ['int', 'int?', 'int', 'int'] },
  )
  if (rows.length === 0) return
  const su = env.sudo()
  const concerned = [...new Set(rows.flatMap((row) => [row[2], row[3]]))]
  const exchanges = [...new Set(rows.flatMap((row) => (row[1] === null ? [] : [row[1]])))]
  await su
    .model('account.partial.reconcile')
    .browse(rows.map((row) => row[0]))
    .unlink()
  const fulls = await env.rows(
    sql`SELECT DISTINCT full_reconcile_id FROM account_move_line WHERE id = ANY(${idList(concerned)}) AND full_reconcile_id IS NOT NULL`,
    { reads: ['account.move.line'], row: ['int'] },
  )
  const members = await env.rows(
    sql`SELECT id FROM account_move_line
    WHERE id = ANY(${idList(concerned)}) OR full_reconcile_id = ANY(${idList(fulls.map((row) => row[0]))})`,
    { reads: ['account.move.line'], row: ['int'] },
  )
  await su
    .model('account.move.line')
    .browse(members.map((row) => row[0]))
    .write({ full_reconcile_id: false, matching_number: false })
  if (fulls.length)
    await su
      .model('account.full.reconcile')
      .browse(fulls.map((row) => row[0]))
      .unlink()
  if (exchanges.length) await takeBackExchanges(su, exchanges)
}

/**
 * Differences of rates go with the match that caused them: what their entries are matched with is open again,
 * and entries of the same month take them back (recorded).
 */
async function takeBackExchanges(env: Environment, moves: readonly number[]): Promise<void> {
  const items = await env.model('account.move.line').search([['move_id', 'in', [...moves]]])
  await undoMatches(env, items.ids)
  const entries = await env.model('account.move').browse(moves).load(['state'])
  const [posted, waiting] = [true, false].map((wanted) =>
    entries.filter((entry) => (entry.state === 'posted') === wanted).map(({ id }) => id),
  ) as [number[], number[]]
  if (posted.length) await reverseExchanges(env, posted)
  if (waiting.length) await env.model('account.move').browse(waiting).unlink()
}
