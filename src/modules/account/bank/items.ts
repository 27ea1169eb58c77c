// Counterparts of statement lines, written through their items: the usual way of integrators, who have
// no screen for it (recorded).
import type { Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { assertAllowed } from '../../base/index.ts'
import { loadBooked, reopen, repost } from './entries.ts'

type Row = Awaited<ReturnType<typeof loadBooked>>[number]

const CREATE = 0

/**
 * Writes commands for the items of lines; posted entries are posted again. Throws UserError where the money
 * of a line would change, where an item that is matched would, and where the entry would not balance.
 */
export async function writeItems(
  lines: Records<'account.bank.statement.line'>,
  commands: readonly unknown[],
): Promise<void> {
  await assertAllowed(lines, 'write')
  const { env } = lines.sudo()
  const before = await loadBooked(env, lines.ids)
  const named = new Set(
    commands.flatMap((command) =>
      Array.isArray(command) && command[0] !== CREATE && isInteger(command[1]) ? [command[1]] : [],
    ),
  )
  for (const row of before) assertWritable(row, named)
  await reopen(env, before)
  const changes = before.map((row): [number, Vals<'account.move'>] => [
    row.move_id.id,
    { line_ids: commands.map((command) => inCompanyCurrency(command, row)) as never },
  ])
  await lines.env
    .model('account.move')
    .browse(changes.map(([entry]) => entry))
    .writeEach(new Map(changes))
  const after = await loadBooked(env, lines.ids)
  for (const row of after)
    if (moneyOf(row).length !== 1)
      throw new UserError('The entry of a statement line must have exactly one item on its money account.')
  await repost(env, before)
}

const moneyOf = (row: Row) =>
  row.move_id.line_ids.filter((item) => item.account_id?.id === row.journal_id?.default_account_id?.id)

function assertWritable(row: Row, named: ReadonlySet<number>): void {
  if (moneyOf(row).some((item) => named.has(item.id)))
    throw new UserError('Change the amount on the statement line itself, not on the item of its entry.')
  const isMatched = (item: Row['move_id']['line_ids'][number]) =>
    item.matched_debit_ids.length > 0 || item.matched_credit_ids.length > 0
  if (row.move_id.line_ids.some((item) => named.has(item.id) && isMatched(item)))
    throw new UserError('Amounts of a matched line cannot be changed: undo the matching first.')
}

/** New items are in the company's currency by default. */
function inCompanyCurrency(command: unknown, row: Row): unknown {
  if (!Array.isArray(command) || command[0] !== CREATE) return command
  const currency_id = present(row.company_id).currency_id.id
  return [CREATE, 0, { currency_id, ...(command[2] as object | undefined) }]
}
