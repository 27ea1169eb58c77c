// Posting: what a draft must have, its date, its number, its reference; all entries of a call or none.

import { recordAudit } from '#engine'
import type { Environment, Records, Vals } from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { raiseRanks } from '../partner-figures.ts'
import { reconcileGroups } from '../reconcile/reconcile.ts'
import { assertOpenPeriods, assertWritable } from './guards.ts'
import { isInvoice, isPurchase, isRefund, isSale } from './kinds.ts'
import { lockJournals, nextNames } from './names.ts'

type Moves = Records<'account.move'>
type MoveVals = Vals<'account.move'>

const paths = [
  'name',
  'state',
  'date',
  'move_type',
  'invoice_date',
  'partner_id',
  'ref',
  'amount_total',
  'payment_reference',
  'company_id',
  'journal_id.code',
  'journal_id.type',
  'journal_id.refund_sequence',
  'journal_id.payment_sequence',
  'origin_payment_id',
  'reversed_entry_id',
  'line_ids.display_type',
  'line_ids.account_id.active',
] as const

const load = (moves: Moves) => moves.sudo().load([...paths])
type Draft = Awaited<ReturnType<typeof load>>[number]

/** Posts drafts under the caller's rights. Throws UserError for entries that are no drafts, or lack something. */
export async function post(moves: Moves): Promise<false> {
  const { env } = moves
  await assertWritable(moves)
  await lockJournals(env, moves.ids)
  const drafts = await load(moves)
  if (drafts.length < new Set(moves.ids).size) throw new MissingError('An entry does not exist any more.')
  for (const one of drafts) assertComplete(one)
  await postAll(moves, drafts)
  return false
}

/** Posts entries that the server made itself, beside the caller's rights. */
export async function postQuietly(moves: Moves): Promise<void> {
  const su = moves.sudo()
  await lockJournals(su.env, su.ids)
  await postAll(su, await load(su))
}

async function postAll(moves: Moves, drafts: readonly Draft[]): Promise<void> {
  const { env } = moves
  const day = today(env.tz, env.now())
  // Amounts follow the day: it is set before anything is posted.
  const undated = drafts.filter((one) => isInvoice(one.move_type) && !one.invoice_date)
  if (undated.length) await moves.browse(undated.map(({ id }) => id)).write({ invoice_date: day })
  const dated = drafts.map((one) => ({ ...one, date: undated.includes(one) ? day : one.date }))
  await assertOpenPeriods(env, dated)
  const names = await namesFor(env, dated)
  const values = new Map<number, MoveVals>()
  for (const one of dated) {
    const name = names.get(one.id) ?? one.name
    const reference = one.move_type === 'out_invoice' && !one.payment_reference ? { payment_reference: name } : {}
    values.set(one.id, { name, state: 'posted', posted_before: true, ...reference })
  }
  await nameInstalments(env, values)
  await moves.writeEach(values)
  const invoices = dated.filter((one) => isInvoice(one.move_type)).map(({ id }) => id)
  if (invoices.length) await raiseRanks(env, invoices)
  const reversed = dated.flatMap((one) => (one.reversed_entry_id ? [[one.id, one.reversed_entry_id.id] as const] : []))
  if (reversed.length) await matchReversals(env, reversed)
  for (const one of dated)
    recordAudit(env, { event: 'entry.post', model: 'account.move', record: one.id, name: (values.get(one.id)?.name as string) ?? null })
}

/** What takes a document back settles it, as far as both are open. */
async function matchReversals(env: Environment, pairs: readonly (readonly [number, number])[]): Promise<void> {
  const items = await env
    .sudo()
    .model('account.move.line')
    .search([
      ['move_id', 'in', pairs.flat()],
      ['account_id.reconcile', '=', true],
      ['reconciled', '=', false],
    ])
  const rows = await items.load(['move_id', 'account_id', 'amount_residual'])
  const groups = pairs.flatMap((pair) => {
    const own = rows.filter((one) => pair.includes(one.move_id.id))
    return [...Map.groupBy(own, (one) => one.account_id?.id).values()].map((group) => group.map(({ id }) => id))
  })
  await reconcileGroups(
    env,
    groups.filter((group) => group.length > 1),
  )
}

function namesFor(env: Environment, drafts: readonly Draft[]): Promise<Map<number, string>> {
  const nameless = drafts.filter((one) => !one.name || one.name === '/')
  const order = nameless.toSorted(
    (a, b) => (a.date ?? '').localeCompare(b.date ?? '') || (a.ref ?? '').localeCompare(b.ref ?? '') || a.id - b.id,
  )
  return nextNames(
    env,
    order.map((one) => ({
      id: one.id,
      date: one.date as string,
      journal: one.journal_id,
      apart: apartOf(one),
    })),
  )
}

function apartOf({ move_type, journal_id: journal, origin_payment_id: payment }: Draft): 'R' | 'P' | '' {
  if (payment && journal.payment_sequence) return 'P'
  return isRefund(move_type) && journal.refund_sequence ? 'R' : ''
}

/** What is owed goes by the reference that payments are to name. */
async function nameInstalments(env: Environment, values: ReadonlyMap<number, MoveVals>): Promise<void> {
  const named = [...values].filter(([, vals]) => vals.payment_reference)
  if (named.length === 0) return
  const su = env.sudo()
  const items = await su.model('account.move.line').search(
    [
      ['move_id', 'in', named.map(([id]) => id)],
      ['display_type', '=', 'payment_term'],
    ],
    { order: 'date_maturity, id' },
  )
  const byMove = Map.groupBy(await items.load(['move_id']), (one) => one.move_id.id)
  const names = new Map<number, Vals<'account.move.line'>>()
  for (const [id, vals] of named) {
    const own = byMove.get(id) ?? []
    for (const [i, one] of own.entries())
      names.set(one.id, { name: own.length > 1 ? `${vals.payment_reference} installment #${i + 1}` : (vals.payment_reference as string) })
  }
  if (names.size) await items.writeEach(names)
}

/** Throws UserError for what cannot be posted. */
function assertComplete(one: Draft): void {
  const named = one.name ?? 'The entry'
  if (one.state !== 'draft') throw new UserError(`${named} is no draft: only drafts can be posted.`)
  const items = one.line_ids.filter((item) => item.account_id !== null || item.display_type === 'product')
  if (items.length === 0) throw new UserError('An entry needs at least one line to be posted.')
  if (items.some((item) => item.account_id === null)) throw new UserError('Every line of an entry needs an account before it is posted.')
  if (items.some((item) => item.account_id?.active === false)) throw new UserError('A line is on an account that is archived.')
  if (!isInvoice(one.move_type)) return
  if (!one.line_ids.some((item) => item.display_type === 'product')) throw new UserError('An invoice needs at least one line to be posted.')
  if (!one.partner_id)
    throw new UserError(isSale(one.move_type) ? 'An invoice needs a customer to be posted.' : 'A bill needs a vendor to be posted.')
  if (isPurchase(one.move_type) && !one.invoice_date) throw new UserError('A bill needs the date that is on it to be posted.')
  if (one.amount_total < 0) throw new UserError('An invoice with a negative total cannot be posted: make a credit note instead.')
}
