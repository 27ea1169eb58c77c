// Entries that take back others: the same items with the sides changed, matched with them.

import type { Environment, Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { withoutSettling } from '../move/pending-changes.ts'
import { matchReversals } from '../move/post.ts'
import { postUnmatched } from '../move/post-entries.ts'
import { exchangeDate } from './exchange.ts'

/**
 * Posts an entry against each of the entries, on a day, and matches what can be matched. Gives the new ones
 * in order.
 */
export const reverseEntries = (env: Environment, moves: readonly number[], date: string): Promise<number[]> =>
  reverse(env, moves, () => date)

/**
 * As `reverseEntries`, of entries for differences of rates: on the days that these would be booked on now.
 */
export const reverseExchanges = (env: Environment, moves: readonly number[]): Promise<number[]> =>
  reverse(env, moves, (date) => exchangeDate(env, date))

async function reverse(
  env: Environment,
  moves: readonly number[],
  dateOf: (date: string) => string,
): Promise<number[]> {
  const su = env.sudo()
  const all = await su
    .model('account.move')
    .browse(moves)
    .load(['journal_id', 'currency_id', 'date', 'name', 'partner_id', 'company_id.account_storno'])
  const lines = await su.model('account.move.line').search([['move_id', 'in', [...moves]]], { order: 'id' })
  const rows = await lines.load([
    'move_id',
    'name',
    'account_id',
    'partner_id',
    'currency_id',
    'balance',
    'amount_currency',
    'is_storno',
  ])
  const byMove = Map.groupBy(rows, (row) => row.move_id.id)
  const vals = all.map(
    (row): Vals<'account.move'> => ({
      move_type: 'entry',
      journal_id: row.journal_id.id,
      currency_id: row.currency_id.id,
      partner_id: row.partner_id?.id ?? false,
      date: dateOf(present(row.date)),
      ref: `Reversal of: ${row.name ?? ''}`,
      reversed_entry_id: row.id,
      line_ids: (byMove.get(row.id) ?? []).map((item) => [
        0,
        0,
        {
          name: item.name,
          account_id: item.account_id?.id ?? false,
          partner_id: item.partner_id?.id ?? false,
          currency_id: item.currency_id.id,
          balance: -item.balance + 0,
          ...(row.company_id?.account_storno && { is_storno: !item.is_storno }),
          amount_currency: -item.amount_currency + 0,
        },
      ]),
    }),
  )
  const createdMoves = await withoutSettling(env, async () => su.model('account.move').create(vals))
  await postUnmatched(createdMoves)
  await matchReversals(
    su,
    all.map((row, i) => [present(createdMoves.ids[i]), row.id]),
  )
  return [...createdMoves.ids]
}
