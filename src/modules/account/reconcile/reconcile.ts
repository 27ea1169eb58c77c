// Matching items: pairs of many groups at once, entries for what rates differ by, and what settles each other
// completely.

import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { partnerTypes } from '../account-types.ts'
import { ratesFor } from '../move/headers.ts'
import { bookDifferences, type Difference } from './exchange.ts'
import { type OpenItem, type Pair, pairUp } from './pairs.ts'

const paths = [
  'account_id.reconcile',
  'account_id.account_type',
  'company_id',
  'company_currency_id.rounding',
  'currency_id.rounding',
  'date',
  'invoice_date',
  'date_maturity',
  'balance',
  'amount_currency',
  'amount_residual',
  'amount_residual_currency',
  'reconciled',
  'parent_state',
  'move_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move.line')
    .browse(ids)
    .load([...paths])
type Row = Awaited<ReturnType<typeof load>>[number]

/**
 * Matches the items of each group with each other, as superuser; items that cannot be matched stay open.
 */
export async function reconcileGroups(
  env: Environment,
  groups: readonly (readonly number[])[],
): Promise<void> {
  const rows = new Map((await load(env, [...new Set(groups.flat())])).map((row) => [row.id, row]))
  const items = await openItems(env, [...rows.values()])
  const pairs = groups.flatMap((group) => pairUp(group.flatMap((id) => items.get(id) ?? [])))
  if (pairs.length === 0) return
  const partials = await makePartials(env, pairs, rows)
  const differences = pairs.flatMap((pair, i) => differenceOf(pair, present(partials[i]), rows))
  if (differences.length) await bookDifferences(env, differences)
  await closeSettled(env, [...rows.keys()])
}

/**
 * Open items, with the rate of any currency among them on the day of each: invoices have that of their date.
 */
async function openItems(env: Environment, rows: readonly Row[]): Promise<Map<number, OpenItem>> {
  const currencies = [...new Set(rows.map((row) => row.currency_id.id))]
  const at = (row: Row) => ({
    company: row.company_id?.id ?? 0,
    companyCurrency: row.company_currency_id?.id ?? 0,
    day: row.invoice_date ?? present(row.date),
  })
  const rates = await ratesFor(
    env,
    rows.flatMap((row) => currencies.map((currency) => ({ ...at(row), currency }))),
  )
  // Where all is in one currency, no rate is asked for, and it does not matter where items come from.
  const payments = currencies.length > 1 ? await ofPayments(env, rows) : new Set<number>()
  return new Map(
    rows.map((row) => {
      const amounts = at(row)
      const item: OpenItem = {
        id: row.id,
        currency: row.currency_id.id,
        step: row.currency_id.rounding,
        due: row.date_maturity ?? row.date ?? '',
        balance: row.balance,
        amountCurrency: row.amount_currency,
        residual: row.amount_residual,
        residualCurrency: row.amount_residual_currency,
        company: { currency: amounts.companyCurrency, step: row.company_currency_id?.rounding ?? 0.01 },
        isPayment: payments.has(row.id),
        isOwedByPartner: partnerTypes.some((type) => type === row.account_id?.account_type),
        rateOf: (currency) => rates({ ...amounts, currency }),
      }
      return [row.id, item]
    }),
  )
}

/** Those of items whose entry is a payment or a line of a bank statement. */
async function ofPayments(env: Environment, rows: readonly Row[]): Promise<ReadonlySet<number>> {
  const moves = await env
    .sudo()
    .model('account.move')
    .browse([...new Set(rows.map((row) => row.move_id.id))])
    .load(['origin_payment_id', 'statement_line_id'])
  const paying = new Set(
    moves.filter((move) => move.origin_payment_id || move.statement_line_id).map(({ id }) => id),
  )
  return new Set(rows.filter((row) => paying.has(row.move_id.id)).map(({ id }) => id))
}

const later = (a: string | null | undefined, b: string | null | undefined) =>
  ((a ?? '') > (b ?? '') ? a : b) ?? null

async function makePartials(
  env: Environment,
  pairs: readonly Pair[],
  rows: ReadonlyMap<number, Row>,
): Promise<readonly number[]> {
  const values = pairs.map(
    (pair): Vals<'account.partial.reconcile'> => ({
      debit_move_id: pair.debit,
      credit_move_id: pair.credit,
      amount: pair.amount,
      debit_amount_currency: pair.debitCurrency,
      credit_amount_currency: pair.creditCurrency,
      max_date: later(rows.get(pair.debit)?.date, rows.get(pair.credit)?.date),
    }),
  )
  return (await env.sudo().model('account.partial.reconcile').create(values)).ids
}

function differenceOf(pair: Pair, partial: number, rows: ReadonlyMap<number, Row>): Difference[] {
  const [debit, credit] = [present(rows.get(pair.debit)), present(rows.get(pair.credit))]
  const parts = [
    { item: debit.id, leftover: pair.debitLeftover },
    { item: credit.id, leftover: pair.creditLeftover },
  ].flatMap(({ item, leftover }) => (leftover ? [{ item, ...leftover }] : []))
  if (parts.length === 0) return []
  const date = present(later(debit.date, credit.date))
  const isDraft = debit.parent_state === 'draft' || credit.parent_state === 'draft'
  return [{ partial, company: debit.company_id?.id ?? 0, date, isDraft, parts }]
}

/** Items whose whole group is settled get one number; the others a preliminary one. */
async function closeSettled(env: Environment, ids: readonly number[]): Promise<void> {
  // Residuals are stored before they are looked at.
  await env.sudo().model('account.move.line').browse(ids).load(['reconciled'])
  const groups = await connected(env, ids)
  const settled = groups
    .filter((group) => group.every((member) => member.done))
    .map((group) => group.map((member) => member.id))
  const su = env.sudo()
  if (settled.length) {
    const fullMatches = await su.model('account.full.reconcile').create(settled.map(() => ({})))
    const rows = settled.flatMap((group, i) => group.map((id) => ({ id, full: present(fullMatches.ids[i]) })))
    await su
      .model('account.move.line')
      .browse(rows.map(({ id }) => id))
      .writeEach(
        new Map(rows.map(({ id, full }) => [id, { full_reconcile_id: full, matching_number: String(full) }])),
      )
    await env.execute(
      sql`UPDATE account_partial_reconcile p SET full_reconcile_id = x.full
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, "full" int) WHERE p.debit_move_id = x.id`,
      { reads: ['account.partial.reconcile'] },
    )
  }
  const open = groups
    .filter((group) => !group.every((member) => member.done))
    .flatMap((group) => group.map(({ id }) => ({ id, root: group[0]?.id })))
  if (open.length)
    await su
      .model('account.move.line')
      .browse(open.map(({ id }) => id))
      .writeEach(new Map(open.map(({ id, root }) => [id, { matching_number: `P${root}` }])))
}

interface Member {
  readonly id: number
  readonly done: boolean
}

/** Groups of items that are matched with one another, however far apart. */
async function connected(env: Environment, ids: readonly number[]): Promise<Member[][]> {
  const rows = await env.rows(
    sql`WITH RECURSIVE reach(root, id) AS (
      SELECT i, i FROM unnest(${idList([...ids])}) AS i
      UNION SELECT r.root, CASE WHEN p.debit_move_id = r.id THEN p.credit_move_id ELSE p.debit_move_id END
      FROM reach r JOIN account_partial_reconcile p ON p.debit_move_id = r.id OR p.credit_move_id = r.id)
    SELECT min(r.root), r.id, l.amount_residual = 0 AND l.amount_residual_currency = 0 FROM reach r JOIN account_move_line l ON l.id = r.id
    WHERE EXISTS (SELECT FROM account_partial_reconcile p WHERE p.debit_move_id = r.id OR p.credit_move_id = r.id) GROUP BY r.id, 3`,
    { reads: ['account.partial.reconcile', 'account.move.line'], row: ['int', 'int', 'bool'] },
  )
  const groups = Map.groupBy(rows, (row) => row[0])
  return [...groups.values()].map((group) => group.map((row) => ({ id: row[1], done: row[2] })))
}

/**
 * Matches items that a person chose. Throws UserError for items that are matched already, not posted, or of
 * different accounts.
 */
export async function reconcileByHand(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await load(env, ids)
  if (rows.some((row) => row.reconciled))
    throw new UserError('An item is already matched: undo its match first.')
  if (rows.some((row) => row.parent_state === 'cancel'))
    throw new UserError('Items of cancelled entries cannot be matched.')
  if (rows.some((row) => !row.account_id?.reconcile && row.account_id?.account_type !== 'asset_cash'))
    throw new UserError('Items of this account cannot be matched.')
  if (new Set(rows.map((row) => row.account_id?.id)).size > 1)
    throw new UserError('Items of different accounts cannot be matched.')
  if (new Set(rows.map((row) => row.company_id?.id)).size > 1)
    throw new UserError('Items of different companies cannot be matched.')
  await reconcileGroups(env, [ids])
}
