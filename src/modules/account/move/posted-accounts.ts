// Items of posted entries on another account: unmatched items outside of tax reports may be moved, such
// as money on the suspense account (recorded).

import { recordAudit } from '#engine'
import type { Records, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { POSTED } from './guards.ts'
import { withoutSettling } from './pending-changes.ts'
import { postUnmatched } from './post-entries.ts'
import { assertNoneSealed } from './sealing.ts'

type Lines = Records<'account.move.line'>

/**
 * Writes changes of items that are all posted and get another account, and no other value that posted items
 * keep: their entries are drafts meanwhile, and keep their numbers. Gives false for other changes, which are
 * not written. Throws UserError for items that are matched or taxed, of payments, owed on documents, or the
 * money of a bank.
 */
export async function moveAccounts(
  lines: Lines,
  changes: readonly WriteChange[],
  write: () => Promise<void>,
): Promise<boolean> {
  if (!changes.every(({ vals }) => Object.keys(vals).join() === 'account_id')) return false
  const rows = await lines
    .sudo()
    .browse([...new Set(changes.flatMap(({ ids }) => ids))])
    .load([
      'parent_state',
      'display_type',
      'move_name',
      'tax_ids',
      'tax_line_id',
      'matched_debit_ids',
      'matched_credit_ids',
      'account_id',
      'journal_id.default_account_id',
      'move_id.origin_payment_id',
      'move_id.statement_line_id',
      'move_id.name',
      'move_id.inalterable_hash',
    ])
  if (rows.length === 0 || rows.some((row) => row.parent_state !== 'posted')) return false
  assertNoneSealed(
    rows.map((row) => row.move_id),
    'booked elsewhere',
  )
  const stays = rows.some(
    (row) =>
      row.tax_line_id ||
      row.tax_ids.length ||
      row.matched_debit_ids.length ||
      row.matched_credit_ids.length ||
      row.display_type === 'payment_term' ||
      row.move_id.origin_payment_id ||
      (row.move_id.statement_line_id && row.account_id?.id === row.journal_id?.default_account_id?.id),
  )
  if (stays) throw new UserError(POSTED)
  const { env } = lines.sudo()
  const entries = env.model('account.move').browse([...new Set(rows.map((row) => row.move_id.id))])
  await withoutSettling(env, async () => {
    await entries.button_draft()
    await write()
    await postUnmatched(entries)
  })
  // The entries were drafts while it was written, so that the log of fields skipped it.
  const accounts = new Map(changes.flatMap(({ ids, vals }) => ids.map((id) => [id, vals.account_id])))
  for (const row of rows)
    recordAudit(lines.env, {
      event: 'record.write',
      model: 'account.move.line',
      record: row.id,
      name: row.move_name ?? '',
      detail: { account_id: [row.account_id?.id ?? null, accounts.get(row.id)] },
    })
  return true
}
