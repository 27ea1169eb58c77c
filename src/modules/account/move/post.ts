// Posting: what a draft must have; what takes a document back settles it. All entries of a call or none.
import type { Environment, Records } from '#models'
import { AccessError, MissingError, UserError, ValidationError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'
import { raiseRanks } from '../partner-figures.ts'
import { postWaitingDifferences } from '../reconcile/exchange.ts'
import { reconcileGroups } from '../reconcile/reconcile.ts'
import { taxPaths } from '../taxes.ts'
import { itemPaths, movePaths } from './drafts.ts'
import { lockPaths } from './guards.ts'
import { headerPaths } from './headers.ts'
import { isInvoice, isPurchase, isSale } from './kinds.ts'
import { lockJournals, takeNumberTurns } from './names.ts'
import { patternOf } from './number-pattern.ts'
import { type Draft, draftPaths, loadMovesToPost, postDrafts } from './post-entries.ts'
import { draftNext, isRecurring } from './recurring.ts'

type Moves = Records<'account.move'>

/** Fields that posting reads and changes: they are read at once. */
const paths = [
  ...draftPaths,
  ...headerPaths,
  ...movePaths,
  ...lockPaths.map((path) => `company_id.${path}`),
  'partner_id.customer_rank',
  'partner_id.supplier_rank',
  'commercial_partner_id.customer_rank',
  'commercial_partner_id.supplier_rank',
  'commercial_partner_id.property_account_receivable_id',
  'commercial_partner_id.property_account_payable_id',
  'sequence_prefix',
  'sequence_number',
  'sequence_form',
  'line_ids.date_maturity',
  'line_ids.move_name',
  'line_ids.parent_state',
  'line_ids.is_downpayment',
  'line_ids.invoice_date',
  'line_ids.date',
  'line_ids.account_id.reconcile',
  'line_ids.account_id.account_type',
]
/** Of lines, with taxes that are archived. */
const linePaths = [...itemPaths, 'is_stocked', ...taxPaths.map((path) => `tax_ids.${path}`)].map(
  (path) => `line_ids.${path}`,
)

/** Brings what posting is going to look at. */
const bring = (moves: Moves) =>
  Promise.all([moves.prefetch(paths), moves.withContext({ active_test: false }).prefetch(linePaths)])

/**
 * Posts drafts under the caller's rights. Throws UserError for entries that are not drafts, or lack
 * something.
 */
export async function post(moves: Moves): Promise<false> {
  const { env } = moves
  await takeNumberTurns(env, moves.ids)
  await assertAllowed(moves, 'write')
  if (!env.su && !env.hasGroup('account.group_account_invoice'))
    throw new AccessError('You may not post entries: ask a user with invoicing rights to post it.')
  await lockJournals(env, moves.ids)
  await bring(moves)
  const drafts = await loadMovesToPost(moves)
  if (drafts.length < new Set(moves.ids).size)
    throw new MissingError('An entry no longer exists: reload the list.')
  for (const draft of drafts) {
    assertComplete(draft)
    assertNumberOfPeriod(draft, today(env.tz, env.now()))
  }
  await postDrafts(moves, drafts)
  const recurring = drafts.filter((draft) => isRecurring(draft.auto_post)).map(({ id }) => id)
  if (recurring.length) await draftNext(moves.browse(recurring))
  const invoices = drafts.filter((draft) => isInvoice(draft.move_type)).map(({ id }) => id)
  if (invoices.length) await raiseRanks(env, invoices)
  const reversed = drafts.flatMap((draft) =>
    draft.reversed_entry_id ? [[draft.id, draft.reversed_entry_id.id] as const] : [],
  )
  if (reversed.length) await matchReversals(env, reversed)
  const paid = drafts.filter((draft) => draft.payment_state !== 'not_paid').map(({ id }) => id)
  await postWaitingDifferences(env, paid)
  return false
}

/** Matches reversals with their documents, as far as both are open. */
export async function matchReversals(
  env: Environment,
  pairs: readonly (readonly [number, number])[],
): Promise<void> {
  const items = await env
    .sudo()
    .model('account.move.line')
    .search([
      ['move_id', 'in', pairs.flat()],
      ['account_id.reconcile', '=', true],
      ['reconciled', '=', false],
    ])
  const rows = await items.load(['move_id', 'account_id', 'amount_residual'])
  const groups = pairs.flatMap((pair) => {
    const pairItems = rows.filter((row) => pair.includes(row.move_id.id))
    return [...Map.groupBy(pairItems, (pairItem) => pairItem.account_id?.id).values()].map((group) =>
      group.map(({ id }) => id),
    )
  })
  await reconcileGroups(
    env,
    groups.filter((group) => group.length > 1),
  )
}

/**
 * Throws ValidationError for a number that names another year or month than the entry's: it would count
 * among the numbers of a period that the entry is not in (recorded: field report 06). An invoice without a
 * date gets today's.
 */
function assertNumberOfPeriod({ name, date, move_type, invoice_date }: Draft, day: string): void {
  const bookingDay = isInvoice(move_type) && !invoice_date ? day : date
  if (!name || !bookingDay || !patternOf(name, bookingDay)?.excludes(bookingDay)) return
  throw new ValidationError(
    `The number ${name} does not match the period of ${bookingDay}: clear the number to get a new one, or change the date.`,
  )
}

/** Throws UserError for what cannot be posted. */
function assertComplete(draft: Draft): void {
  const named = draft.name ?? 'The entry'
  if (draft.state !== 'draft') throw new UserError(`${named} is not a draft: only drafts can be posted.`)
  const items = draft.line_ids.filter((item) => item.account_id !== null || item.display_type === 'product')
  if (items.length === 0) throw new UserError('An entry needs at least one line to be posted.')
  if (items.some((item) => item.account_id === null))
    throw new UserError('Every line of an entry needs an account before it is posted.')
  if (items.some((item) => item.account_id?.active === false))
    throw new UserError('A line uses an archived account: choose another account, or restore it.')
  if (!isInvoice(draft.move_type)) return
  if (!draft.line_ids.some((item) => item.display_type === 'product'))
    throw new UserError('An invoice needs at least one line to be posted.')
  if (!draft.partner_id)
    throw new UserError(
      isSale(draft.move_type)
        ? 'An invoice needs a customer to be posted.'
        : 'A bill needs a vendor to be posted.',
    )
  if (isPurchase(draft.move_type) && !draft.invoice_date)
    throw new UserError('A bill needs its bill date to be posted.')
  if (draft.amount_total < 0)
    throw new UserError('An invoice with a negative total cannot be posted: create a credit note instead.')
}
