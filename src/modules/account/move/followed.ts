// What entries, items, payments and lines of statements say of themselves follows from what is done with
// them: nobody writes it, whatever rights they have.
import type { Records, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'

const ofMoves = [
  'state',
  'posted_before',
  'payment_state',
  'amount_untaxed',
  'amount_tax',
  'amount_total',
  'amount_residual',
  'amount_untaxed_signed',
  'amount_tax_signed',
  'amount_total_signed',
  'amount_residual_signed',
  'amount_total_in_currency_signed',
  'amount_untaxed_in_currency_signed',
  'sequence_prefix',
  'sequence_number',
] as const

const ofItems = [
  'parent_state',
  'date',
  'journal_id',
  'company_id',
  'company_currency_id',
  'move_name',
  'amount_residual',
  'amount_residual_currency',
  'reconciled',
  'full_reconcile_id',
  'matching_number',
] as const

const ofPayments = ['stage', 'state', 'is_reconciled', 'is_matched', 'move_id'] as const

const ofStatementLines = ['is_reconciled', 'amount_residual', 'internal_index', 'move_id'] as const

/** What is left out of values to create with. A state may be told to an entry, which is asked for it elsewhere. */
const followed = {
  'account.move': ofMoves.filter((name) => name !== 'state'),
  'account.move.line': ofItems,
  'account.payment': ofPayments,
  'account.bank.statement.line': ofStatementLines.filter((name) => name !== 'move_id'),
} as const
type Followed = keyof typeof followed

/** Values to create with: what follows from the rest is worked out, whatever is said of it. */
export function withoutFollowed(
  model: Followed,
  vals: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const left: readonly string[] = followed[model]
  return Object.fromEntries(Object.entries(vals).filter(([name]) => !left.includes(name)))
}

/** References are told by their ids, nothing in several ways. */
const plain = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null) return 'id' in value ? value.id : value
  return value || null
}

/**
 * Throws UserError for what follows from the rest, written by people. Values that are there already may come
 * along, as where a record is sent back whole.
 */
async function assertFollowed(
  changes: readonly WriteChange[],
  fields: readonly string[],
  load: (ids: readonly number[]) => Promise<readonly { readonly id: number }[]>,
  refusal = 'State, totals and what is open of an entry follow from posting, resetting and matching it: they are not written.',
): Promise<void> {
  const concerned = changes.filter(({ vals }) => fields.some((name) => name in vals))
  if (concerned.length === 0) return
  const known = new Map((await load(concerned.flatMap(({ ids }) => ids))).map((row) => [row.id, row]))
  for (const { ids, vals } of concerned) {
    const told = Object.entries(vals).filter(([name]) => fields.includes(name))
    for (const row of ids.flatMap((id) => known.get(id) ?? []))
      if (
        told.some(
          ([name, value]) => plain(value) !== plain(Object.entries(row).find(([own]) => own === name)?.[1]),
        )
      )
        throw new UserError(refusal)
  }
}

/** As `assertFollowed`, of entries. */
export async function assertMoveFigures(
  moves: Records<'account.move'>,
  changes: readonly WriteChange[],
): Promise<void> {
  if (!moves.env.su) await assertFollowed(changes, ofMoves, (ids) => moves.sudo().browse(ids).load(ofMoves))
}

/** As `assertFollowed`, of items. */
export async function assertItemFigures(
  lines: Records<'account.move.line'>,
  changes: readonly WriteChange[],
): Promise<void> {
  if (!lines.env.su) await assertFollowed(changes, ofItems, (ids) => lines.sudo().browse(ids).load(ofItems))
}

/** As `assertFollowed`, of payments. */
export async function assertPaymentFigures(
  payments: Records<'account.payment'>,
  changes: readonly WriteChange[],
): Promise<void> {
  if (payments.env.su) return
  const load = (ids: readonly number[]) => payments.sudo().browse(ids).load(ofPayments)
  await assertFollowed(
    changes,
    ofPayments,
    load,
    'Payments are posted, validated and cancelled by their buttons.',
  )
}

/** As `assertFollowed`, of lines of bank statements. */
export async function assertStatementFigures(
  lines: Records<'account.bank.statement.line'>,
  changes: readonly WriteChange[],
): Promise<void> {
  if (!lines.env.su)
    await assertFollowed(changes, ofStatementLines, (ids) => lines.sudo().browse(ids).load(ofStatementLines))
}
