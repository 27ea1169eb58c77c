// What entries and items say of themselves follows from what is done with them: nobody writes it, whatever
// rights they have.
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

const followed = { 'account.move': ofMoves, 'account.move.line': ofItems } as const
type Followed = keyof typeof followed

/** Values to create with: what follows from the rest is worked out, whatever is said of it. */
export function withoutFollowed(
  model: Followed,
  vals: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(vals).filter(
      ([name]) => name === 'state' || !(followed[model] as readonly string[]).includes(name),
    ),
  )
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
        throw new UserError(
          'State, totals and what is open of an entry follow from posting, resetting and matching it: they are not written.',
        )
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
