// Analytic lines of posted items: one for each account of a distribution. Percentages of a plan are rounded
// together, so that they come to the amount of the item.
import type { Environment, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { isPurchase, isSale } from '../move/kinds.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import { analyticAccountsById } from './plan.ts'
import { accountsIn, type Share, sharesOf } from './shares.ts'

type LineVals = Vals<'account.analytic.line'>

const itemPaths = [
  'name',
  'ref',
  'date',
  'balance',
  'quantity',
  'analytic_distribution',
  'partner_id.name',
  'product_id',
  'product_uom_id',
  'account_id',
  'company_id.currency_id.rounding',
  'move_id.move_type',
  'move_id.invoice_user_id',
] as const

const loadItems = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move.line')
    .browse(ids)
    .load([...itemPaths])
type Item = Awaited<ReturnType<typeof loadItems>>[number]

/** Root plans by analytic account. Throws UserError for accounts that are gone. */
async function plansOf(env: Environment, items: readonly Item[]): Promise<Map<number, number | null>> {
  const ids = items.flatMap((item) => accountsIn(item.analytic_distribution))
  const accounts = await analyticAccountsById(env.sudo(), ids)
  const missing = ids.find((id) => !accounts.has(id))
  if (missing !== undefined)
    throw new UserError(
      `An item is distributed to the analytic account ${missing}, which does not exist: choose another account.`,
    )
  return new Map([...accounts].map(([id, row]) => [id, row.root_plan_id?.id ?? null]))
}

/** Makes the analytic lines of posted items, in the place of those that there are. */
export async function bookAnalytics(env: Environment, ids: readonly number[]): Promise<void> {
  const items = await loadItems(env, ids)
  const plans = await plansOf(env, items)
  const lines = env.sudo().model('account.analytic.line')
  await (await lines.search([['move_line_id', 'in', [...ids]]])).unlink()
  const vals = items.flatMap((item) => linesOf(item, plans, env.uid))
  if (vals.length) await lines.create(vals)
}

/** Removes the analytic lines of entries that do not count any more. */
export async function removeAnalytics(env: Environment, moves: readonly number[]): Promise<void> {
  if (moves.length === 0) return
  const lines = await env
    .sudo()
    .model('account.analytic.line')
    .search([['move_line_id.move_id', 'in', [...moves]]])
  if (lines.length) await lines.unlink()
}

function linesOf(item: Item, plans: ReadonlyMap<number, number | null>, uid: number): LineVals[] {
  const type = item.move_id.move_type
  const shared: LineVals = {
    name: item.name ?? `${item.ref ?? '/'} -- ${item.partner_id?.name ?? '/'}`,
    date: item.date ?? false,
    unit_amount: item.quantity,
    partner_id: item.partner_id?.id ?? false,
    product_id: item.product_id?.id ?? false,
    product_uom_id: item.product_uom_id?.id ?? false,
    general_account_id: item.account_id?.id ?? false,
    ref: item.ref ?? false,
    move_line_id: item.id,
    user_id: item.move_id.invoice_user_id?.id ?? uid,
    company_id: item.company_id?.id,
    category: isSale(type) ? 'invoice' : isPurchase(type) ? 'vendor_bill' : 'other',
  }
  return amountsOf(item, plans).map(({ account, amount }) => ({ ...shared, account_id: account, amount }))
}

/** Amounts by account; each rounds the sum of its plan so far, so that no cent is lost. */
function amountsOf(item: Item, plans: ReadonlyMap<number, number | null>) {
  const step = exact(item.company_id?.currency_id.rounding ?? 0.01)
  const upTo = (percent: number) => roundTo(exact(-item.balance).times(exact(percent)).div(100), step)
  const percents = new Map<number | null, number>()
  return sharesOf(item.analytic_distribution).flatMap(({ accounts, percent }: Share) =>
    accounts.map((account) => {
      const plan = plans.get(account) ?? null
      const before = percents.get(plan) ?? 0
      percents.set(plan, before + percent)
      return { account, amount: toNumber(upTo(before + percent).minus(upTo(before))) }
    }),
  )
}
