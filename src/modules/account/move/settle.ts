// Keeping entries in step: what is booked for the lines of drafts follows from them, for many entries in a
// bounded number of statements.
import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { expectedItems, type Wanted } from './draft-items.ts'
import { type Draft, loadDrafts, type StoredItem } from './drafts.ts'
import { settleEntryAmounts } from './entry-amounts.ts'
import { loadHeaders } from './headers.ts'
import { isInvoice, isRefund } from './kinds.ts'
import { withRate } from './other-rate.ts'
import type { RateChange } from './pending-changes.ts'
import { sides } from './sides.ts'

type ItemVals = Vals<'account.move.line'>

/**
 * Brings the items of entries up to date with their lines and headers. Throws UserError for entries that do
 * not balance.
 */
export async function settleMoves(
  env: Environment,
  ids: readonly number[],
  rates: ReadonlyMap<number, RateChange>,
): Promise<void> {
  const su = env.sudo()
  const headers = await loadHeaders(su, ids)
  const drafts = [...headers.values()].filter((header) => header.state === 'draft')
  const invoices = drafts.filter((draft) => isInvoice(draft.move_type))
  if (invoices.length) {
    const loaded = await loadDrafts(su, invoices)
    await settleInvoices(
      su,
      loaded.map((draft) => withRate(draft, rates.get(draft.header.id))),
    )
  }
  const entries = drafts.filter((draft) => !isInvoice(draft.move_type))
  if (entries.length) await settleEntryAmounts(su, entries)
  await assertBalanced(su, [...headers.keys()])
}

async function settleInvoices(env: Environment, drafts: readonly Draft[]): Promise<void> {
  const changes: Changes = { made: [], changed: new Map(), gone: [] }
  const due = new Map<number, Vals<'account.move'>>()
  for (const draft of drafts) {
    const wanted = expectedItems(draft)
    const lines = new Map(draft.lines.map((line) => [line.id, line]))
    const is_storno = takesBackByStorno(draft)
    for (const { id, ...vals } of wanted.lines) change(changes, lines.get(id), { ...vals, is_storno })
    match(changes, draft, wanted.generated)
    if (wanted.due !== draft.due) due.set(draft.header.id, { invoice_date_due: wanted.due })
    if (draft.header.rate !== draft.currencyRate)
      due.set(draft.header.id, { ...due.get(draft.header.id), invoice_currency_rate: draft.header.rate })
  }
  await freeChanged(env, changes, drafts)
  const items = env.model('account.move.line')
  if (changes.gone.length) await items.browse(changes.gone).unlink()
  if (changes.changed.size) await items.browse([...changes.changed.keys()]).writeEach(changes.changed)
  if (changes.made.length) await items.create(changes.made)
  if (due.size)
    await env
      .model('account.move')
      .browse([...due.keys()])
      .writeEach(due)
}

const takesBackByStorno = ({ header }: Draft): boolean => header.usesStorno && isRefund(header.move_type)

/** Fields of an item owed by or to a partner that may not change while it is matched. */
const matchedFields = ['balance', 'amount_currency', 'date_maturity', 'account_id', 'partner_id'] as const

/**
 * Items that are owed otherwise than before are open again: payments and credit notes that were matched with
 * them too (recorded).
 */
async function freeChanged(env: Environment, changes: Changes, drafts: readonly Draft[]): Promise<void> {
  const owed = new Set(
    drafts.flatMap(({ generated }) =>
      generated.flatMap((item) => (item.display_type === 'payment_term' ? [item.id] : [])),
    ),
  )
  const concerned = [
    ...changes.gone,
    ...[...changes.changed].flatMap(([id, vals]) =>
      matchedFields.some((field) => field in vals) ? [id] : [],
    ),
  ].filter((id) => owed.has(id))
  await undoMatches(env, concerned)
}

interface Changes {
  readonly made: ItemVals[]
  readonly changed: Map<number, ItemVals>
  readonly gone: number[]
}

/**
 * Items that are there go on as those that are wanted, by what they stand for: what was matched with them
 * stays.
 */
function match(changes: Changes, draft: Draft, wanted: readonly Wanted[]): void {
  const free = Map.groupBy(draft.generated, (item) => item.display_type)
  const is_storno = takesBackByStorno(draft)
  for (const { key, vals } of wanted) {
    const candidates = free.get(vals.display_type as string) ?? []
    // Instalments are told apart by their order alone.
    const at =
      vals.display_type === 'payment_term' ? 0 : candidates.findIndex((candidate) => candidate.key === key)
    const [stored] = at >= 0 ? candidates.splice(at, 1) : []
    if (stored) change(changes, stored, { ...vals, is_storno })
    else changes.made.push({ ...vals, ...(is_storno && { is_storno }), move_id: draft.header.id })
  }
  for (const leftovers of free.values()) changes.gone.push(...leftovers.map((leftover) => leftover.id))
}

/** Collects the values of an item that changed, with both sides of its balance. */
function change(
  changes: Changes,
  item: StoredItem | undefined,
  vals: ItemVals & { readonly is_storno: boolean },
): void {
  if (!item) return
  const fresh = Object.fromEntries(
    Object.entries(vals).filter(([name, value]) => !same(item.stored[name], value)),
  )
  if (Object.keys(fresh).length === 0) return
  if ('balance' in fresh || 'is_storno' in fresh)
    Object.assign(fresh, sides(vals.balance as number, vals.is_storno))
  changes.changed.set(item.id, fresh as ItemVals)
}

function same(stored: unknown, value: unknown): boolean {
  if (Array.isArray(value))
    return JSON.stringify((value[0] as readonly unknown[])[2]) === JSON.stringify(stored)
  return (
    (stored ?? null) === (value ?? null) || ((stored === null || stored === undefined) && value === false)
  )
}

/** Throws UserError for an entry whose debits are not its credits. */
async function assertBalanced(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT sum(l.debit)::text, sum(l.credit)::text FROM account_move_line l
    WHERE l.move_id = ANY(${idList([...ids])}) GROUP BY l.move_id HAVING round(sum(l.balance), 6) <> 0 LIMIT 1`,
    { reads: ['account.move.line'], row: ['text?', 'text?'] },
  )
  const [row] = rows
  if (row) throw new UserError(`The entry is not balanced: its debits are ${row[0]}, its credits ${row[1]}.`)
}
