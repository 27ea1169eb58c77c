// Differences of rates: what items that settle each other differ by in the company's currency, in an entry of
// its own for each of them.

import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { postQuietly } from '../move/post-entries.ts'
import { sides } from '../move/sides.ts'
import { quietly } from '../move/working.ts'

/** What is left open of an item: positive of a debit, negative of a credit. */
export interface Difference {
  readonly item: number
  readonly amount: number
  readonly company: number
  readonly date: string
  readonly pair: readonly [debit: number, credit: number]
}

/** Posts the entries and matches them with what was left open. */
export async function bookDifferences(env: Environment, differences: readonly Difference[]): Promise<void> {
  const su = env.sudo()
  const companies = await su
    .model('res.company')
    .browse([...new Set(differences.map((one) => one.company))])
    .load([
      'currency_exchange_journal_id',
      'income_currency_exchange_account_id',
      'expense_currency_exchange_account_id',
    ])
  const known = new Map(companies.map((one) => [one.id, one]))
  const rows = await su
    .model('account.move.line')
    .browse(differences.map((one) => one.item))
    .load(['account_id', 'partner_id', 'currency_id', 'company_currency_id'])
  const items = new Map(rows.map((one) => [one.id, one]))
  const vals = differences.map((one): Vals<'account.move'> => {
    const company = known.get(one.company)
    const journal = company?.currency_exchange_journal_id
    const account =
      one.amount > 0
        ? company?.expense_currency_exchange_account_id
        : company?.income_currency_exchange_account_id
    if (!journal || !account)
      throw new UserError('The company needs a journal and accounts for differences of exchange rates.')
    const item = present(items.get(one.item))
    const shared = {
      name: 'Currency exchange rate difference',
      partner_id: item.partner_id?.id ?? false,
      currency_id: item.currency_id.id,
    }
    const line = (account_id: number, balance: number) => {
      const amount_currency = isForeign(item) ? 0 : balance
      return [0, 0, { ...shared, account_id, balance, ...sides(balance), amount_currency }] as const
    }
    return {
      move_type: 'entry',
      journal_id: journal.id,
      date: one.date,
      line_ids: [line(present(item.account_id).id, -one.amount), line(account.id, one.amount)],
    }
  })
  const moves = await quietly(env, async () => su.model('account.move').create(vals))
  await postQuietly(moves)
  const own = new Set(rows.filter((one) => !isForeign(one)).map(({ id }) => id))
  await matchEntries(su, moves.ids, { differences, own })
}

/** Amounts in another currency than the company's are as they were: the rates differ, nothing else. */
const isForeign = (item?: { readonly currency_id: Link; readonly company_currency_id: Link | null }) =>
  item?.currency_id.id !== item?.company_currency_id?.id

interface Link {
  readonly id: number
}

interface Booked {
  readonly differences: readonly Difference[]
  /** Items in the company's currency. */
  readonly own: ReadonlySet<number>
}

/** Each entry with the item that it is for; the first match of the two says which entry it caused. */
async function matchEntries(
  env: Environment,
  moves: readonly number[],
  { differences, own: owned }: Booked,
): Promise<void> {
  const lines = await env.model('account.move.line').search([['move_id', 'in', [...moves]]], { order: 'id' })
  const first = new Map<number, number>()
  for (const one of await lines.load(['move_id']))
    if (!first.has(one.move_id.id)) first.set(one.move_id.id, one.id)
  const partials = differences.map((one, i): Vals<'account.partial.reconcile'> => {
    const own = present(first.get(present(moves[i])))
    const [debit_move_id, credit_move_id] = one.amount > 0 ? [one.item, own] : [own, one.item]
    const amount = Math.abs(one.amount)
    const amount_currency = owned.has(one.item) ? amount : 0
    return {
      debit_move_id,
      credit_move_id,
      amount,
      debit_amount_currency: amount_currency,
      credit_amount_currency: amount_currency,
      max_date: one.date,
      exchange_move_id: present(moves[i]),
    }
  })
  await env.model('account.partial.reconcile').create(partials)
}
