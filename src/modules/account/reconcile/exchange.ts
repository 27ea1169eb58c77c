// Differences of exchange rates: what matches leave over of items that they settle, in an entry for each
// match.

import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { endOfMonth, today } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { withoutSettling } from '../move/pending-changes.ts'
import { postUnmatched } from '../move/post-entries.ts'
import { sides } from '../move/sides.ts'

/** The rest that a match leaves: positive of a debit, negative of a credit. */
export interface Difference {
  readonly partial: number
  readonly company: number
  /** The later one of the two items. */
  readonly date: string
  /** An item of a draft is matched: its entry is posted with the draft. */
  readonly isDraft: boolean
  readonly parts: readonly {
    readonly item: number
    readonly company: number
    readonly currency: number
  }[]
}

/**
 * Differences of a month that is over are booked on its last day, those of this month today at the earliest
 * (recorded).
 */
export function exchangeDate(env: Environment, date: string): string {
  const now = today(env.tz, env.now())
  if (date.slice(0, 7) < now.slice(0, 7)) return endOfMonth(date)
  return date > now ? date : now
}

/** Posts the entries, matches them with what was left over, and notes each with its match. */
export async function bookDifferences(env: Environment, differences: readonly Difference[]): Promise<void> {
  const su = env.sudo()
  const rows = await su
    .model('account.move.line')
    .browse(differences.flatMap(({ parts }) => parts.map(({ item }) => item)))
    .load(['account_id', 'partner_id', 'currency_id'])
  const items = new Map(rows.map((row) => [row.id, row]))
  const bookOf = await exchangeBooks(su, differences)
  const vals = differences.map((difference): Vals<'account.move'> => {
    const { journal, accountFor } = bookOf(difference.company)
    const lines = difference.parts.flatMap((part) => {
      const item = present(items.get(part.item))
      const line = (account_id: number, sign: 1 | -1) => {
        const balance = sign * part.company + 0
        return {
          name: 'Currency exchange rate difference',
          account_id,
          partner_id: item.partner_id?.id ?? false,
          currency_id: item.currency_id.id,
          balance,
          ...sides(balance),
          amount_currency: sign * part.currency + 0,
        }
      }
      return [line(present(item.account_id).id, -1), line(accountFor(part.company || part.currency), 1)]
    })
    return {
      move_type: 'entry',
      journal_id: journal,
      date: exchangeDate(env, difference.date),
      line_ids: lines.map((line) => [0, 0, line] as const),
    }
  })
  const moves = await withoutSettling(env, async () => su.model('account.move').create(vals))
  const posted = moves.ids.filter((_, i) => !differences[i]?.isDraft)
  if (posted.length) await postUnmatched(moves.browse(posted))
  await matchEntries(su, moves.ids, differences)
}

/**
 * Posts the entries that waited for documents to be posted: nothing is asked for where `documents` is empty.
 */
export async function postWaitingDifferences(env: Environment, documents: readonly number[]): Promise<void> {
  if (documents.length === 0) return
  const rows = await env.rows(
    sql`SELECT DISTINCT p.exchange_move_id FROM account_partial_reconcile p
    JOIN account_move x ON x.id = p.exchange_move_id AND x.state = 'draft'
    JOIN account_move_line d ON d.id = p.debit_move_id JOIN account_move_line c ON c.id = p.credit_move_id
    WHERE (d.move_id = ANY(${idList([...documents])}) OR c.move_id = ANY(${idList([...documents])}))
    AND d.parent_state = 'posted' AND c.parent_state = 'posted'`,
    { reads: ['account.partial.reconcile', 'account.move', 'account.move.line'], row: ['int'] },
  )
  if (rows.length)
    await postUnmatched(
      env
        .sudo()
        .model('account.move')
        .browse(rows.map(([id]) => id)),
    )
}

/** Where companies book what rates differ by. Throws UserError for those that lack a journal or accounts. */
async function exchangeBooks(env: Environment, differences: readonly Difference[]) {
  const companies = await env
    .model('res.company')
    .browse([...new Set(differences.map((difference) => difference.company))])
    .load([
      'currency_exchange_journal_id',
      'income_currency_exchange_account_id',
      'expense_currency_exchange_account_id',
    ])
  const byId = new Map(companies.map((company) => [company.id, company]))
  return (id: number) => {
    const company = byId.get(id)
    const journal = company?.currency_exchange_journal_id
    const loss = company?.expense_currency_exchange_account_id
    const gain = company?.income_currency_exchange_account_id
    if (!journal || !loss || !gain)
      throw new UserError(
        'The company needs a journal and accounts for exchange differences: set them in its settings.',
      )
    return { journal: journal.id, accountFor: (leftover: number) => (leftover > 0 ? loss : gain).id }
  }
}

/** Each entry with the items that it is for; the match that caused it says which entry it is. */
async function matchEntries(
  env: Environment,
  moves: readonly number[],
  differences: readonly Difference[],
): Promise<void> {
  const lines = await env.model('account.move.line').search([['move_id', 'in', [...moves]]], { order: 'id' })
  const byMove = Map.groupBy(await lines.load(['move_id']), (line) => line.move_id.id)
  const partials = differences.flatMap(({ parts, date }, i) =>
    parts.map((part, n): Vals<'account.partial.reconcile'> => {
      // Two lines a part: the item's account comes first.
      const counterpart = present(byMove.get(present(moves[i]))?.[2 * n]).id
      const isDebit = (part.company || part.currency) > 0
      const amount_currency = Math.abs(part.currency)
      return {
        debit_move_id: isDebit ? part.item : counterpart,
        credit_move_id: isDebit ? counterpart : part.item,
        amount: Math.abs(part.company),
        debit_amount_currency: amount_currency,
        credit_amount_currency: amount_currency,
        max_date: exchangeDate(env, date),
      }
    }),
  )
  const matches = env.model('account.partial.reconcile')
  await matches.create(partials)
  await matches
    .browse(differences.map(({ partial }) => partial))
    .writeEach(
      new Map(differences.map(({ partial }, i) => [partial, { exchange_move_id: present(moves[i]) }])),
    )
}
