// Journal entries of goods that come and go, where their category is valued perpetually: one for each
// transfer and journal, all of a call together.

import type { Environment, Vals } from '#models'
import { UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { Booked } from './terms.ts'

/** So much value more, or less, of a product. */
export interface Posting {
  readonly company: number
  readonly product: number
  /** Above nothing: goods came. */
  readonly amount: number
  readonly booked: Booked
  readonly text: string
  /** What shares an entry. */
  readonly document: string
  readonly day: string
}

/**
 * Makes and posts entries; answers the entry of each posting, in their order. Throws UserError where no
 * account or journal is named.
 */
export async function postEntries(
  env: Environment,
  postings: readonly Posting[],
): Promise<(number | null)[]> {
  const real = postings.filter((one) => one.amount !== 0)
  if (real.length === 0) return postings.map(() => null)
  if (real.some(({ booked }) => !booked.journal || !booked.valuation || !booked.expense))
    throw new UserError(
      'Goods that are valued perpetually need a journal, a valuation account and an expense account: their category or the company names them.',
    )
  const entries = new Map<Posting, number>()
  for (const [company, group] of Map.groupBy(real, (one) => one.company)) {
    const moves = env.sudo().withCompany(company).model('account.move')
    const documents = [
      ...Map.groupBy(group, (one) => `${one.booked.journal}/${one.document}/${one.day}`).values(),
    ]
    const made = await moves.create(documents.map(entryOf))
    await made.action_post()
    for (const [i, own] of documents.entries()) for (const one of own) entries.set(one, present(made.ids[i]))
  }
  return postings.map((one) => entries.get(one) ?? null)
}

function entryOf(postings: readonly Posting[]): Vals<'account.move'> {
  const [first] = postings as [Posting, ...Posting[]]
  return {
    move_type: 'entry',
    journal_id: present(first.booked.journal),
    company_id: first.company,
    date: first.day,
    ref: first.document,
    line_ids: postings.flatMap(({ amount, booked, text, product }) => {
      const item = (account: number | null, balance: number) =>
        [0, 0, { account_id: present(account), name: text, product_id: product, balance }] as const
      return [item(booked.valuation, amount), item(booked.expense, -amount)]
    }),
  }
}
