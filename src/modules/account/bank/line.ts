// Implementation of lines of bank statements (account.bank.statement.line). Entries: entries.ts;
// amounts: figures.ts.
import { computed, implement, type Records, type WriteChange } from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { assertAllowed, givenVals } from '../../base/index.ts'
import { withoutDerivedValues } from '../move/derived-fields.ts'
import { withoutSettling } from '../move/pending-changes.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { bankLineWritable } from '../writable.ts'
import {
  assertFree,
  assertFreeEntries,
  assertUnexplained,
  bookLines,
  loadBooked,
  makeEntries,
  reopen,
  repost,
} from './entries.ts'
import { lineFigures } from './figures.ts'
import { writeItems } from './items.ts'
import { statementLine } from './line.contract.ts'

type Lines = Records<'account.bank.statement.line'>

/** Fields that the items of a line share. */
const booked = [
  'amount',
  'partner_id',
  'payment_ref',
  'journal_id',
  'foreign_currency_id',
  'amount_currency',
  'counterpart_account_id',
] as const

const idsOfPosted = (
  rows: readonly { readonly id: number; readonly move_id: { readonly state: string } }[],
) => new Set(rows.filter((row) => row.move_id.state === 'posted').map(({ id }) => id))

/**
 * The entries of lines follow what is written; posted ones are posted again. Throws UserError for lines that
 * are matched, and for those that somebody said the purpose of: that is taken back first (recorded).
 */
async function follow(
  lines: Lines,
  changes: readonly WriteChange[],
  write: () => Promise<void>,
): Promise<void> {
  const concerned = changes.filter(({ vals }) => booked.some((field) => field in vals))
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return moveDates(lines, changes, write)
  await assertAllowed(lines.browse(ids), 'write')
  const { env } = lines.sudo()
  const before = await loadBooked(env, ids)
  assertFree(before)
  const rebooked = new Set(
    concerned.flatMap((record) => ('counterpart_account_id' in record.vals ? [] : record.ids)),
  )
  assertUnexplained(before.filter((row) => rebooked.has(row.id)))
  await withoutSettling(env, async () => {
    await reopen(env, before)
    await write()
    await bookLines(env, ids, idsOfPosted(before))
  })
}

/** Entries of lines count on the day that is written; what they were matched with stays. */
async function moveDates(
  lines: Lines,
  changes: readonly WriteChange[],
  write: () => Promise<void>,
): Promise<void> {
  const ids = changes.filter(({ vals }) => 'date' in vals).flatMap((change) => change.ids)
  if (ids.length === 0) return write()
  await assertAllowed(lines.browse(ids), 'write')
  const { env } = lines.sudo()
  const before = await loadBooked(env, ids)
  await withoutSettling(env, async () => {
    await reopen(env, before)
    await write()
    await repost(env, before)
  })
}

/** Writes values of lines, and the items of those that say what their money was for. */
async function writeLines(
  lines: Lines,
  changes: readonly WriteChange[],
  write: (changes: readonly WriteChange[]) => Promise<void>,
): Promise<void> {
  const plain = changes.map(({ ids, vals: { line_ids: _, ...vals } }) => ({ ids, vals }))
  const plainChanges = plain.filter(({ vals }) => Object.keys(vals).length > 0)
  if (plainChanges.length) await follow(lines, plainChanges, () => write(plainChanges))
  for (const { ids, vals } of changes)
    if ('line_ids' in vals && Array.isArray(vals.line_ids) && vals.line_ids.length)
      await writeItems(lines.browse(ids), vals.line_ids)
}

/** Lines are unmatched, and the other side of their money is unknown again. */
async function undoReconciliation(lines: Lines): Promise<null> {
  await assertAllowed(lines, 'write')
  const { env } = lines.sudo()
  const before = await loadBooked(env, lines.ids)
  if (before.length < new Set(lines.ids).size)
    throw new MissingError('A statement line no longer exists: reload the list.')
  await undoMatches(
    env,
    before.flatMap((row) => row.move_id.line_ids.map(({ id }) => id)),
  )
  await withoutSettling(env, async () => {
    await reopen(env, before)
    await env.model('account.bank.statement.line').browse(lines.ids).write({ counterpart_account_id: false })
    await bookLines(env, lines.ids, idsOfPosted(before), 'suspense')
  })
  return null
}

/**
 * Removes lines with their entries, whatever these were matched with. Throws UserError for lines of a
 * statement that is whole.
 */
async function remove(lines: Lines, unlink: () => Promise<unknown>): Promise<unknown> {
  if (lines.length === 0) return unlink()
  await assertAllowed(lines, 'unlink')
  const { env } = lines.sudo()
  const rows = await env
    .model('account.bank.statement.line')
    .browse(lines.ids)
    .load(['statement_id.is_complete', 'statement_id.is_valid'])
  if (rows.some((row) => row.statement_id?.is_complete && row.statement_id.is_valid))
    throw new UserError(
      'A line of a complete and valid statement cannot be deleted: delete the statement first.',
    )
  const before = await loadBooked(env, lines.ids)
  await undoMatches(
    env,
    before.flatMap((row) => row.move_id.line_ids.map(({ id }) => id)),
  )
  return withoutSettling(env, async () => {
    await reopen(env, before)
    const answer = await unlink()
    await env
      .model('account.move')
      .browse(before.map((row) => row.move_id.id))
      .unlink()
    return answer
  })
}

export default implement(statementLine, {
  writable: bankLineWritable,
  displayName: computed(
    statementLine,
    ['move_id.name', 'payment_ref', 'id'],
    (statementLine) => statementLine.move_id.name ?? statementLine.payment_ref ?? String(statementLine.id),
  ),
  computed: lineFigures,
  checks: {
    'The foreign currency of a line must differ from the currency of its journal.': computed(
      statementLine,
      ['foreign_currency_id', 'journal_id.currency_id', 'company_id.currency_id'],
      (statementLine) =>
        !statementLine.foreign_currency_id ||
        statementLine.foreign_currency_id.id !==
          (statementLine.journal_id?.currency_id ?? statementLine.company_id?.currency_id)?.id,
    ),
    'An amount in a foreign currency requires the currency, and the currency requires an amount.': computed(
      statementLine,
      ['foreign_currency_id', 'amount_currency', 'amount'],
      (statementLine) =>
        statementLine.foreign_currency_id
          ? statementLine.amount_currency !== 0 || statementLine.amount === 0
          : statementLine.amount_currency === 0,
    ),
    'Both amounts of a line must have the same sign.': computed(
      statementLine,
      ['amount_currency', 'amount'],
      (statementLine) => statementLine.amount * statementLine.amount_currency >= 0,
    ),
  },
  methods: { action_undo_reconciliation: undoReconciliation },
  wrapWrite: (next) => (lines, changes) =>
    writeLines(lines, changes, (plainChanges) => next(lines, plainChanges)),
  wrapGeneric: {
    create: (next) => async (lines, params) => {
      const { env } = lines
      return withoutSettling(env, async () => {
        const valsList = givenVals(params.vals_list).map((vals) =>
          withoutDerivedValues('account.bank.statement.line', vals),
        )
        await assertFreeEntries(env, valsList)
        const vals_list = await makeEntries(env, valsList)
        const createdLines = (await next(lines, { ...params, vals_list })) as Lines
        await bookLines(env, createdLines.ids, new Set(createdLines.ids))
        return createdLines
      })
    },
    unlink: (next) => (lines, params) => remove(lines, () => next(lines, params)),
  },
})
