// Entries become posted: their day, their number, their reference, and who did it in the audit log; for many
// in a bounded number of statements.

import { recordAudit } from '#engine'
import type { Environment, Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { bookAnalytics } from '../analytic/booking.ts'
import { issue } from '../print/issued.ts'
import { assertOpenPeriods } from './guards.ts'
import { dueItemName, isInvoice, isSale } from './kinds.ts'
import { lockJournals, nextNames } from './names.ts'
import { paymentReference } from './payment-reference.ts'
import { touchRates, withoutSettling } from './pending-changes.ts'
import { noteSeals } from './sealing.ts'

type Moves = Records<'account.move'>
type MoveVals = Vals<'account.move'>

export const draftPaths = [
  'name',
  'state',
  'auto_post',
  'date',
  'move_type',
  'invoice_date',
  'partner_id.ref',
  'ref',
  'amount_total',
  'payment_reference',
  'payment_state',
  'company_id.currency_id',
  'currency_id',
  'journal_id.code',
  'journal_id.type',
  'journal_id.invoice_reference_type',
  'journal_id.invoice_reference_model',
  'journal_id.refund_sequence',
  'journal_id.payment_sequence',
  'journal_id.restrict_mode_hash_table',
  'origin_payment_id',
  'reversed_entry_id',
  'line_ids.display_type',
  'line_ids.account_id.active',
  'line_ids.account_id.account_type',
  'line_ids.analytic_distribution',
] as const

export const loadMovesToPost = (moves: Moves) => moves.sudo().load([...draftPaths])
export type Draft = Awaited<ReturnType<typeof loadMovesToPost>>[number]

/** Posts entries that the server created itself, as superuser; nothing is matched. */
export async function postUnmatched(moves: Moves): Promise<void> {
  const su = moves.sudo()
  await lockJournals(su.env, su.ids)
  await postDrafts(su, await loadMovesToPost(su))
}

/** Numbers name the years 1900 to 2199: another one would become their prefix for good. Throws UserError. */
function assertYears(drafts: readonly Pick<Draft, 'date'>[]): void {
  const odd = drafts.find(({ date }) => date && (date < '1900' || date >= '2200'))
  if (odd)
    throw new UserError(
      `An entry has the date ${odd.date}: choose a date between 1900 and 2199, and post again.`,
    )
}

/**
 * Throws UserError for documents with a line on an account for what partners owe, or are owed: matched with
 * its own document, it would pay for it.
 */
function assertOwedByTerms(drafts: readonly Draft[]): void {
  for (const { move_type, line_ids } of drafts) {
    if (!isInvoice(move_type)) continue
    const owed = isSale(move_type) ? 'asset_receivable' : 'liability_payable'
    const wrong = line_ids.some(
      ({ display_type, account_id }) => display_type !== 'payment_term' && account_id?.account_type === owed,
    )
    if (wrong)
      throw new UserError(
        isSale(move_type)
          ? 'A line of an invoice uses a receivable account, which only its payment terms may use: choose another account.'
          : 'A line of a bill uses a payable account, which only its payment terms may use: choose another account.',
      )
  }
}

/**
 * Sets days and numbers of entries, and posts them. Other checks ran before; throws UserError for closed
 * periods.
 */
export async function postDrafts(moves: Moves, drafts: readonly Draft[]): Promise<void> {
  const { env } = moves
  assertOwedByTerms(drafts)
  const day = today(env.tz, env.now())
  // Amounts follow the day: it is set before anything is posted.
  const undated = drafts.filter((draft) => isInvoice(draft.move_type) && !draft.invoice_date)
  if (undated.length) {
    await keepAgreedRates(moves, undated)
    await moves.browse(undated.map(({ id }) => id)).write({ invoice_date: day })
  }
  const dated = drafts.map((draft) => ({ ...draft, date: undated.includes(draft) ? day : draft.date }))
  assertYears(dated)
  await assertOpenPeriods(env, dated)
  const names = await namesFor(env, dated)
  const values = new Map<number, MoveVals>()
  for (const entry of dated) {
    const name = names.get(entry.id) ?? entry.name
    const reference =
      entry.move_type === 'out_invoice' && !entry.payment_reference
        ? { payment_reference: paymentReference(entry, name) }
        : {}
    values.set(entry.id, { name, state: 'posted', posted_before: true, checked: true, ...reference })
  }
  await nameInstalments(env, values)
  noteSeals(
    env,
    drafts.flatMap((draft) => (draft.journal_id.restrict_mode_hash_table ? draft.id : [])),
  )
  await moves.sudo().writeEach(values)
  const distributed = drafts.flatMap((draft) =>
    draft.line_ids.flatMap((item) => (item.analytic_distribution ? item.id : [])),
  )
  if (distributed.length) await bookAnalytics(env, distributed)
  const documents = drafts.filter((draft) => isInvoice(draft.move_type))
  issue(
    env,
    documents.map(({ id }) => id),
  )
  moves.browse(documents.map(({ id }) => id)).emit('posted')
  // Documents of zero are paid when they are posted: subscribers of payments learn it now.
  moves.browse(documents.flatMap((document) => (document.amount_total === 0 ? document.id : []))).emit('paid')
  for (const entry of dated)
    recordAudit(env, {
      event: 'entry.post',
      model: 'account.move',
      record: entry.id,
      name: (values.get(entry.id)?.name as string) ?? null,
    })
}

/** A rate that was agreed stays when the day is not said but given by posting. */
async function keepAgreedRates(moves: Moves, drafts: readonly Draft[]): Promise<void> {
  const foreign = drafts.filter((draft) => draft.currency_id.id !== draft.company_id?.currency_id.id)
  if (foreign.length === 0) return
  const rows = await moves
    .browse(foreign.map(({ id }) => id))
    .load(['invoice_currency_rate', 'expected_currency_rate'])
  const agreed = rows.filter((row) => row.invoice_currency_rate !== row.expected_currency_rate)
  touchRates(
    moves.env,
    agreed.map(({ id }) => id),
    'agreed',
  )
}

function namesFor(env: Environment, drafts: readonly Draft[]): Promise<Map<number, string>> {
  const nameless = drafts.filter((draft) => !draft.name || draft.name === '/')
  const order = nameless.toSorted(
    (a, b) =>
      (a.date ?? '').localeCompare(b.date ?? '') || (a.ref ?? '').localeCompare(b.ref ?? '') || a.id - b.id,
  )
  return nextNames(
    env,
    order.map(({ id, date, journal_id, move_type, origin_payment_id }) => ({
      id,
      date: present(date),
      journal: journal_id,
      move_type,
      ofPayment: origin_payment_id !== null,
    })),
  )
}

/** Instalments are named by the reference that payments should name. */
async function nameInstalments(env: Environment, values: ReadonlyMap<number, MoveVals>): Promise<void> {
  const named = [...values].filter(([, vals]) => vals.payment_reference)
  if (named.length === 0) return
  const su = env.sudo()
  const entries = await su
    .model('account.move')
    .browse(named.map(([id]) => id))
    .load(['ref', 'line_ids.display_type', 'line_ids.date_maturity'])
  const names = new Map<number, Vals<'account.move.line'>>()
  for (const { id, ref, line_ids } of entries) {
    const reference = dueItemName(ref, present(values.get(id)).payment_reference as string) ?? ''
    const instalments = line_ids
      .filter((line) => line.display_type === 'payment_term')
      .toSorted((a, b) => (a.date_maturity ?? '9999').localeCompare(b.date_maturity ?? '9999') || a.id - b.id)
    for (const [i, instalment] of instalments.entries())
      names.set(instalment.id, {
        name: instalments.length > 1 ? `${reference} installment #${i + 1}` : reference,
      })
  }
  // Settling would take the names away again: the entry has no reference yet.
  const items = su.model('account.move.line').browse([...names.keys()])
  if (names.size) await withoutSettling(su, () => items.writeEach(names))
}
