// Guards of entries: posted ones keep their lines, dates, partners and amounts, and none goes into a
// closed period.

import { type Environment, idsWhere, type Records, type WriteChange } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { locksInForce } from '../lock-exception.ts'
import { isPurchase, isSale, journalTypesOf } from './kinds.ts'
import { assertNoneSealed } from './sealing.ts'

type Moves = Records<'account.move'>

export const POSTED = 'A posted entry keeps its lines, dates, partner and amounts: reset it to draft first.'

/** SQL: whether a printed copy of the entry `m` is kept. */
export const isPrinted = sql`EXISTS (SELECT FROM ir_attachment a WHERE a.res_model = 'account.move' AND a.res_id = m.id AND a.sealed)`

/**
 * Throws UserError where the number of an entry that was posted, the journal of one that was printed, or the
 * reference of a sealed one would change. Code may renumber and move entries, and changes no sealed one. The
 * number that an entry leaves in its journal would be the next one there, and stand for two documents.
 */
export async function assertHeadersKept(moves: Moves, changes: readonly WriteChange[]): Promise<void> {
  const names = moves.env.direct ? ['name', 'journal_id', 'ref'] : ['ref']
  const ids = idsWhere(changes, (vals) => names.some((name) => name in vals))
  if (ids.length === 0) return
  const rows = await moves
    .sudo()
    .browse(ids)
    .load(['name', 'journal_id', 'ref', 'posted_before', 'inalterable_hash'])
  const entries = new Map(rows.map((entry) => [entry.id, entry]))
  const moved: number[] = []
  for (const { ids: entryIds, vals } of changes)
    for (const entry of entryIds.flatMap((id) => entries.get(id) ?? [])) {
      if ('ref' in vals && (vals.ref || null) !== entry.ref)
        assertNoneSealed([entry], 'given another reference')
      if (!moves.env.direct || !entry.posted_before) continue
      if ('name' in vals && entry.name !== vals.name)
        throw new UserError(`${entry.name} was posted: it keeps its number.`)
      if ('journal_id' in vals && vals.journal_id !== entry.journal_id?.id) moved.push(entry.id)
    }
  await assertNonePrinted(moves.env, moved)
}

/** Throws UserError where one of entries that go into another journal was printed. */
async function assertNonePrinted(env: Environment, moves: readonly number[]): Promise<void> {
  if (moves.length === 0) return
  const [printed] = await env.rows(
    sql`SELECT m.name FROM account_move m WHERE m.id = ANY(${idList(moves)}) AND ${isPrinted}`,
    { reads: ['account.move', 'ir.attachment'], row: ['text?'] },
  )
  if (printed)
    throw new UserError(
      `${printed[0]} was printed, so its journal and number cannot change. Cancel or reverse it, and create another entry.`,
    )
}

/** Throws UserError when one of the entries is posted. */
export async function assertNonePosted(env: Environment, moves: readonly number[]): Promise<void> {
  if (moves.length === 0) return
  const entries = await env.sudo().model('account.move').browse(moves).load(['state'])
  if (entries.some((one) => one.state === 'posted')) throw new UserError(POSTED)
}

/**
 * Throws UserError for posted entries, and for those whose numbers others follow: only accounting
 * managers may leave a gap.
 */
export async function assertMovesRemovable(moves: Moves): Promise<void> {
  const { env } = moves
  const ids = idList(moves.ids)
  const rows = await env.rows(
    sql`SELECT m.name, m.state = 'posted', p.printed, m.inalterable_hash, p.kept FROM account_move m
    CROSS JOIN LATERAL (SELECT ${isPrinted} AS printed, m.posted_before AND EXISTS (SELECT FROM res_company c
      WHERE c.id = m.company_id AND c.restrictive_audit_trail) AS kept) p
    WHERE m.id = ANY(${ids}) AND (m.state = 'posted' OR p.printed OR p.kept OR m.sequence_number > 0 AND EXISTS (SELECT FROM account_move o
      WHERE o.journal_id = m.journal_id AND o.sequence_form = m.sequence_form
        AND o.sequence_number > m.sequence_number AND o.id <> ALL(${ids})))`,
    {
      reads: ['account.move', 'ir.attachment', 'res.company'],
      row: ['text?', 'bool?', 'bool', 'text?', 'bool?'],
    },
  )
  assertNoneSealed(
    rows.map(([name, , , inalterable_hash]) => ({ name, inalterable_hash })),
    'deleted',
  )
  const posted = rows.find((row) => row[1])
  if (posted)
    throw new UserError(`${posted[0]} is posted: a posted entry cannot be deleted. Reset it to draft first.`)
  const [name] = rows.find((row) => row[4]) ?? []
  if (name)
    throw new UserError(
      `${name} was posted before, and the company keeps its audit trail: cancel it instead of deleting it.`,
    )
  const numbered = rows.find((row) => row[2])
  if (numbered && !env.su)
    throw new UserError(
      `${numbered[0]} was printed, so its number cannot be used again. Cancel or reverse it instead of deleting it.`,
    )
  if (rows.length && !env.su && !env.hasGroup('account.group_account_manager'))
    throw new UserError(
      `${rows[0]?.[0]} leaves a gap in the numbers of its journal: cancel or reverse it instead of deleting it.`,
    )
}

/**
 * Throws ValidationError for documents in journals of another type, UserError if there is no suitable
 * journal.
 */
export async function assertJournals(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env
    .sudo()
    .model('account.move')
    .browse(ids)
    .load(['move_type', 'journal_id.type', 'journal_id.name'])
  for (const { move_type, journal_id: journal } of rows) {
    const types = journalTypesOf(move_type)
    if (!journal)
      throw new UserError(
        `The company has no journal for this type of document (${(types ?? ['general']).join()}): create one first.`,
      )
    if (types && !types.includes(journal.type))
      throw new ValidationError(
        `The journal ${journal.name} does not accept this type of document: choose another journal.`,
      )
  }
}

/** Up to when the books of a company are closed. */
export const lockPaths = [
  'fiscalyear_lock_date',
  'hard_lock_date',
  'tax_lock_date',
  'sale_lock_date',
  'purchase_lock_date',
] as const

interface Dated {
  readonly id: number
  readonly date: string | null
  readonly move_type: string
  readonly name: string | null
  readonly company_id: { readonly id: number } | null
}

/**
 * Throws UserError for entries in a period that is closed: for all of them, for those of sales or purchases,
 * or for those with taxes.
 */
export async function assertOpenPeriods(env: Environment, moves: readonly Dated[]): Promise<void> {
  const closed = await closedDays(env, moves)
  const first = moves.find(({ id }) => closed.has(id))
  if (first)
    throw new UserError(
      `${first.name ?? 'The entry'} has the date ${first.date}, but the books are closed up to ${closed.get(first.id)}: choose a later date.`,
    )
}

/** Days up to which the books are closed for the caller, by entry; of entries in an open period none. */
export async function closedDays(
  env: Environment,
  moves: readonly Dated[],
): Promise<ReadonlyMap<number, string>> {
  const companies = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(moves.flatMap((move) => move.company_id?.id ?? []))])
    .load([...lockPaths])
  const byId = new Map(companies.map((company) => [company.id, company]))
  const taxed = await withTaxes(
    env,
    moves.filter(
      (move) => move.date && move.date <= (byId.get(move.company_id?.id ?? 0)?.tax_lock_date ?? ''),
    ),
  )
  const locked = moves.flatMap((move) => {
    const locks = byId.get(move.company_id?.id ?? 0)
    const closing = locksOf(move, taxed.has(move.id)).flatMap((field) =>
      locks && move.date && move.date <= (locks[field] ?? '') ? [{ field, day: locks[field] }] : [],
    )
    return closing.length ? [{ move, company: locks?.id ?? 0, closing }] : []
  })
  if (locked.length === 0) return new Map()
  const inForce = await locksInForce(
    env,
    locked.map(({ company }) => company),
  )
  return new Map(
    locked.flatMap(({ move, company, closing }) => {
      const last = closing
        .flatMap(({ field, day }) => inForce(company, field, day) ?? [])
        .sort()
        .at(-1)
      return last && move.date && move.date <= last ? [[move.id, last] as const] : []
    }),
  )
}

/** The lock dates that hold for an entry. */
function locksOf({ move_type }: Dated, taxed: boolean): (typeof lockPaths)[number][] {
  return [
    'fiscalyear_lock_date',
    'hard_lock_date',
    ...(taxed ? (['tax_lock_date'] as const) : []),
    ...(isSale(move_type) ? (['sale_lock_date'] as const) : []),
    ...(isPurchase(move_type) ? (['purchase_lock_date'] as const) : []),
  ]
}

/** Those of entries that the tax report counts. */
async function withTaxes(env: Environment, moves: readonly Dated[]): Promise<ReadonlySet<number>> {
  if (moves.length === 0) return new Set()
  const rows = await env.rows(
    sql`SELECT DISTINCT l.move_id FROM account_move_line l WHERE l.move_id = ANY(${idList(moves.map(({ id }) => id))})
    AND (l.tax_line_id IS NOT NULL OR EXISTS (SELECT FROM account_move_line_account_tax_rel r WHERE r.account_move_line_id = l.id))`,
    { reads: ['account.move.line'], row: ['int'] },
  )
  return new Set(rows.map((row) => row[0]))
}
