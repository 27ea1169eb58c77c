// Random actions of bookkeepers on documents: post, pay, credit, reset, unreconcile, and attempts to
// change posted entries.
import fc from 'fast-check'
import { raw } from '../../src/sql/index.ts'
import { between } from '../properties/rounded.ts'
import type { Accounting } from '../support/accounting.ts'
import { type Ledger, ledgerOf } from '../support/ledger.ts'
import { anyDocument, faultsOf, type Masters } from './laws.ts'

/** Posted rows as they are: nothing but posting, resetting and cancelling changes it. */
const fingerprint = (office: Accounting): Promise<string> =>
  office.run(async (env) => {
    const [row] = await env.query(
      raw(`SELECT md5(string_agg(x.row, ',' ORDER BY x.row)) FROM (
        SELECT (m.id, m.name, m.state, m.date, m.journal_id, m.partner_id, m.amount_total)::text AS row FROM account_move m WHERE m.state = 'posted'
        UNION ALL SELECT (l.id, l.move_id, l.account_id, l.balance, l.debit, l.amount_currency, l.parent_state, l.date, l.tax_line_id)::text
        FROM account_move_line l JOIN account_move m ON m.id = l.move_id WHERE m.state = 'posted') x`),
    )
    return String(row?.[0])
  })

/** Ways in which somebody may try to change what is posted: none of them does. */
const attempts = (move: number, line: number): readonly (readonly [string, object])[] => [
  ['account.move/write', { ids: [move], vals: { state: 'draft' } }],
  [
    'account.move/write',
    { ids: [move], vals: { amount_total: 1, amount_residual: 0, payment_state: 'paid' } },
  ],
  ['account.move/write', { ids: [move], vals: { line_ids: [[1, line, { debit: 7 }]] } }],
  ['account.move/write', { ids: [move], vals: { line_ids: [[2, line, 0]] } }],
  ['account.move/write', { ids: [move], vals: { line_ids: [[5]] } }],
  ['account.move/write', { ids: [move], vals: { date: '2020-01-01', name: 'X/1' } }],
  ['account.move/unlink', { ids: [move] }],
  [
    'account.move/load',
    {
      fields: ['.id', 'date', 'line_ids/.id', 'line_ids/debit'],
      data: [[`${move}`, '2020-01-01', `${line}`, '9']],
    },
  ],
  ['account.move/web_save', { ids: [move], vals: { partner_id: false }, specification: {} }],
  ['account.move.line/write', { ids: [line], vals: { balance: 1, account_id: 1 } }],
  [
    'account.move.line/write',
    { ids: [line], vals: { parent_state: 'draft', date: '2020-01-01', reconciled: true } },
  ],
  ['account.move.line/write', { ids: [line], vals: { move_id: false } }],
  ['account.move.line/unlink', { ids: [line] }],
  ['account.move.line/create', { vals_list: [{ move_id: move, name: 'More', price_unit: 5 }] }],
  ['account.move.line/copy', { ids: [line], default: { move_id: move } }],
  [
    'account.partial.reconcile/create',
    { vals_list: [{ debit_move_id: line, credit_move_id: line, amount: 3 }] },
  ],
]

interface Story {
  readonly next: () => number
  readonly operations: number
  readonly bank: number
}

/** The documents and master data that an action may use. */
interface Desk extends Story {
  readonly posted: readonly number[]
  readonly known: Masters
}

const pick = <T>(list: readonly T[], next: () => number): T => list[Math.floor(next() * list.length)] as T

/** A payment of all or a part, in any currency, possibly with a write-off of the rest. */
function howMuch({ next, known: masters }: Desk): object {
  return {
    ...(next() < 0.5 && { amount: Math.round(next() * 50_000) / 100 }),
    ...(next() < 0.3 && { currency_id: pick(masters.currencies, next) }),
    ...(next() < 0.2 && { payment_difference_handling: 'reconcile', writeoff_account_id: masters.costs }),
    ...(next() < 0.3 && { group_payment: next() < 0.5 }),
  }
}

/** One thing that a bookkeeper does to a document; refusals are answers too. */
async function operate(office: Accounting, id: number, desk: Desk): Promise<string | null> {
  const { next } = desk
  const call = async (path: string, body: object): Promise<unknown> => {
    const { status, body: answer } = await office.call('admin', path, body)
    if (status >= 500 || status === 403)
      throw new Error(`${path}: ${status} ${JSON.stringify(answer).slice(0, 200)}`)
    return status === 200 ? answer : null
  }
  // Sometimes several documents are paid by one form.
  const more = next() < 0.3 ? [pick(desk.posted, next), pick(desk.posted, next)] : []
  const context = { active_model: 'account.move', active_ids: [id] }
  const day = pick(['2025-03-01', '2025-04-15', '2025-05-31', '2025-01-31'], next)
  const kind = next()
  if (kind < 0.45) {
    const vals = { journal_id: desk.bank, payment_date: day, ...howMuch(desk) }
    const active_ids = [...new Set([id, ...more])]
    const form = { vals_list: [vals], context: { ...context, active_ids } }
    const ids = await call('account.payment.register/create', form)
    if (ids) await call('account.payment.register/action_create_payments', { ids })
  } else if (kind < 0.6) {
    const ids = await call('account.move.reversal/create', {
      vals_list: [{ date: day, reason: 'back' }],
      context,
    })
    if (ids) await call(`account.move.reversal/${next() < 0.5 ? 'refund_moves' : 'modify_moves'}`, { ids })
  } else if (kind < 0.75) {
    await call('account.move/button_draft', { ids: [id] })
    await call('account.move/action_post', { ids: [id] })
  } else if (kind < 0.83) {
    const payments = await call('account.payment/search', { domain: [['state', '!=', 'draft']], limit: 400 })
    const ids = Array.isArray(payments) && payments.length ? [pick<number>(payments, next)] : []
    await call(`account.payment/${pick(['action_cancel', 'action_draft'], next)}`, { ids })
  } else if (kind < 0.88) {
    const lines = await call('account.move.line/search', {
      domain: [
        ['move_id', '=', id],
        ['display_type', '=', 'payment_term'],
      ],
    })
    if (lines) await call('account.move.line/remove_move_reconcile', { ids: lines })
  } else return changedBy(office, id, next)
  return null
}

/** Tries to change a posted document in every way; gives the way that did. */
async function changedBy(office: Accounting, id: number, next: () => number): Promise<string | null> {
  const { search } = ledgerOf(office)
  const lines = await search(
    'account.move.line',
    [
      ['move_id', '=', id],
      ['parent_state', '=', 'posted'],
    ],
    [],
  )
  if (lines.length === 0) return null
  const before = await fingerprint(office)
  for (const [path, body] of attempts(id, pick(lines, next).id as number)) {
    const { status } = await office.call('admin', path, body)
    if (status >= 500) return `${path} ${JSON.stringify(body)}: ${status}`
  }
  return (await fingerprint(office)) === before ? null : `document ${id} was changed while it was posted`
}

/** Posts documents, 16 at a time; gives those that were posted. */
export async function postTogether(
  office: Accounting,
  ids: readonly number[],
  workers = 16,
): Promise<number[]> {
  const left = [...ids]
  const posted: number[] = []
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const { status, body } = await office.call('admin', 'account.move/action_post', { ids: [id] })
      if (status === 200) posted.push(id)
      else if (status === 409) left.push(id)
      else if (status !== 422)
        throw new Error(`posting ${id}: ${status} ${JSON.stringify(body).slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: workers }, worker))
  return posted
}

/** A story with the documents that it has, and where its numbers begin. */
type Booking = Story & { readonly documents: number; readonly seed: number }

/** Random documents, posted by many at once, and what bookkeepers do to them; gives what changed one. */
export async function keepBooks(
  office: Accounting,
  { documents, ...story }: Booking,
  masters: Masters,
): Promise<string[]> {
  const { makeAll }: Ledger = ledgerOf(office)
  const posted: number[] = []
  const BATCH = 250
  for (let from = 0; from < documents; from += BATCH) {
    const numRuns = Math.min(BATCH, documents - from)
    const entries = await makeAll(
      'account.move',
      fc.sample(anyDocument(masters), { numRuns, seed: story.seed + from }),
    )
    posted.push(...(await postTogether(office, entries)))
  }
  const wrong: string[] = []
  for (let n = 0; n < story.operations && posted.length; n++) {
    const flaw = await operate(office, pick(posted, story.next), { ...story, posted, known: masters })
    if (flaw) wrong.push(flaw)
  }
  return wrong
}

/** As `keepBooks`; gives what does not hold of the books either. */
export async function bookkeeping(office: Accounting, booking: Booking, masters: Masters): Promise<string[]> {
  const wrong = await keepBooks(office, booking, masters)
  return [...wrong, ...(await faultsOf(office)), ...(await between(office)).flaws]
}
