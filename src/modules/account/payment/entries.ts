// Entries of payments: money that waits for the bank against what the partner owes, and what is written off.

import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { ratesFor } from '../move/headers.ts'
import { withoutSettling } from '../move/pending-changes.ts'
import { postUnmatched } from '../move/post-entries.ts'
import { sides } from '../move/sides.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'

type ItemVals = Vals<'account.move.line'>

/** Rest of a payment that is written off: an amount in its currency, with the sign of a debit. */
export interface WriteOff {
  readonly name: string
  readonly account: number
  readonly amount: number
  readonly tax?: { readonly id: number; readonly part: number }
}

const paths = [
  'date',
  'memo',
  'amount',
  'payment_type',
  'partner_id.commercial_partner_id',
  'journal_id',
  'currency_id.rounding',
  'company_id.currency_id.rounding',
  'destination_account_id',
  'outstanding_account_id',
  'move_id.line_ids.account_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.payment')
    .browse(ids)
    .load([...paths])
type Row = Awaited<ReturnType<typeof load>>[number]

/** Makes or renews the entries of payments and posts them. Throws UserError where an account is missing. */
export async function bookPayments(
  env: Environment,
  payments: readonly number[],
  writeOffs: ReadonlyMap<number, readonly WriteOff[]>,
): Promise<void> {
  const su = env.sudo()
  const rows = await load(su, payments)
  const rateAsks = rows.map((row) => ({
    row,
    company: row.company_id?.id ?? env.companyId,
    companyCurrency: row.company_id?.currency_id.id ?? 0,
    currency: row.currency_id.id,
    day: row.date,
  }))
  const rates = await ratesFor(su, rateAsks)
  const items = new Map(
    rateAsks.map((ask) => [ask.row.id, itemsOf(ask.row, rates(ask), writeOffs.get(ask.row.id) ?? [])]),
  )
  const moves = await withoutSettling(su, async () => {
    const fresh = rows.filter((row) => !row.move_id)
    const createdMoves = await su.model('account.move').create(
      fresh.map((row) => ({
        ...headerOf(row),
        line_ids: (items.get(row.id) ?? []).map((item) => [0, 0, item]),
      })),
    )
    if (fresh.length)
      await su
        .model('account.payment')
        .browse(fresh.map(({ id }) => id))
        .writeEach(new Map(fresh.map((row, i) => [row.id, { move_id: present(createdMoves.ids[i]) }])))
    await renew(
      su,
      rows.filter((row) => row.move_id),
      items,
    )
    return [...createdMoves.ids, ...rows.flatMap((row) => row.move_id?.id ?? [])]
  })
  await postUnmatched(su.model('account.move').browse(moves))
  const named = await su.model('account.payment').browse(payments).load(['move_id.name'])
  await su
    .model('account.payment')
    .browse(payments)
    .writeEach(new Map(named.map((row) => [row.id, { name: row.move_id?.name ?? false }])))
}

function headerOf(row: Row): Vals<'account.move'> {
  return {
    move_type: 'entry',
    journal_id: row.journal_id.id,
    currency_id: row.currency_id.id,
    date: row.date,
    ref: row.memo ?? false,
    partner_id: row.partner_id?.id ?? false,
    origin_payment_id: row.id,
  }
}

/** Entries that are there keep their items, so that what was matched with them stays. */
async function renew(
  env: Environment,
  rows: readonly Row[],
  items: ReadonlyMap<number, readonly ItemVals[]>,
): Promise<void> {
  if (rows.length === 0) return
  const lines = env.model('account.move.line')
  const changed = new Map<number, ItemVals>()
  const writes: ItemVals[] = []
  const gone: number[] = []
  for (const row of rows) {
    const free = [...(row.move_id?.line_ids ?? [])]
    for (const item of items.get(row.id) ?? []) {
      const at = free.findIndex((row) => row.account_id?.id === item.account_id)
      const [stored] = at < 0 ? [] : free.splice(at, 1)
      if (stored) changed.set(stored.id, item)
      else writes.push({ ...item, move_id: present(row.move_id).id })
    }
    gone.push(...free.map((row) => row.id))
  }
  await env
    .model('account.move')
    .browse(rows.map((row) => present(row.move_id).id))
    .writeEach(new Map(rows.map((row) => [present(row.move_id).id, headerOf(row)])))
  if (gone.length) await lines.browse(gone).unlink()
  if (changed.size) await lines.browse([...changed.keys()]).writeEach(changed)
  if (writes.length) await lines.create(writes)
}

/** Items of a payment: money, then what was written off, then what the partner is credited for. */
function itemsOf(row: Row, rate: number, writeOffs: readonly WriteOff[]): ItemVals[] {
  const { destination_account_id: partnerAccount, outstanding_account_id: money } = row
  if (!money || !partnerAccount)
    throw new UserError(
      'A payment needs an outstanding account of its journal or company, and an account of its partner.',
    )
  const step = exact(row.company_id?.currency_id.rounding ?? 0.01)
  const sign = row.payment_type === 'inbound' ? 1 : -1
  const partner = row.partner_id?.commercial_partner_id?.id ?? row.partner_id?.id ?? false
  const foreign = row.currency_id.id !== row.company_id?.currency_id.id
  const company = (amount: number) =>
    foreign ? toNumber(roundTo(exact(amount).div(exact(rate)), step)) : amount
  const item = (
    account_id: number,
    amount_currency: number,
    balance: number,
    more: ItemVals = {},
  ): ItemVals => ({
    name: row.memo ?? 'Payment',
    account_id,
    partner_id: partner,
    currency_id: row.currency_id.id,
    amount_currency,
    balance,
    ...sides(balance),
    date_maturity: row.date,
    ...more,
  })
  const first = item(money.id, sign * row.amount, company(sign * row.amount))
  const offs = writeOffs.map(({ name, account, amount, tax }) =>
    item(account, amount, company(amount), {
      name,
      ...(tax ? { tax_line_id: tax.id, tax_repartition_line_id: tax.part } : {}),
    }),
  )
  const rest = [first, ...offs].reduce<{ own: number; booked: number }>(
    (sum, line) => ({
      own: toNumber(exact(sum.own).minus(exact(line.amount_currency as number))),
      booked: toNumber(exact(sum.booked).minus(exact(line.balance as number))),
    }),
    { own: 0, booked: 0 },
  )
  return [first, ...offs, item(partnerAccount.id, rest.own, rest.booked)]
}
