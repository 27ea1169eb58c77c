// Items of posted entries on another account: unmatched items outside of tax reports may be moved, such
// as money on the suspense account (recorded).

import { recordAudit } from '#engine'
import type { Records, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { POSTED } from './guards.ts'
import { postQuietly } from './post-entries.ts'
import { assertNoneSealed } from './sealing.ts'
import { quietly } from './working.ts'

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
  if (rows.length === 0 || rows.some((one) => one.parent_state !== 'posted')) return false
  assertNoneSealed(
    rows.map((one) => one.move_id),
    'booked elsewhere',
  )
  const stays = rows.some(
    (one) =>
      one.tax_line_id ||
      one.tax_ids.length ||
      one.matched_debit_ids.length ||
      one.matched_credit_ids.length ||
      one.display_type === 'payment_term' ||
      one.move_id.origin_payment_id ||
      (one.move_id.statement_line_id && one.account_id?.id === one.journal_id?.default_account_id?.id),
  )
  if (stays) throw new UserError(POSTED)
  const { env } = lines.sudo()
  const entries = env.model('account.move').browse([...new Set(rows.map((one) => one.move_id.id))])
  await quietly(env, async () => {
    await entries.button_draft()
    await write()
    await postQuietly(entries)
  })
  // The entries were drafts while it was written, so that the log of fields skipped it.
  const accounts = new Map(changes.flatMap(({ ids, vals }) => ids.map((id) => [id, vals.account_id])))
  for (const one of rows)
    recordAudit(lines.env, {
      event: 'record.write',
      model: 'account.move.line',
      record: one.id,
      name: one.move_name ?? '',
      detail: { account_id: [one.account_id?.id ?? null, accounts.get(one.id)] },
    })
  return true
}
