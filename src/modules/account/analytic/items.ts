// Analytic distributions of journal items (account.move.line), and what entries (account.move) do with them.
import {
  boolean,
  computed,
  computedFields,
  computedTogether,
  type Environment,
  extend,
  idsWhere,
  implement,
  json,
  many2many,
  type Of,
  one2many,
  type Records,
  writable,
} from '#models'
import { ValidationError } from '../../../errors.ts'
import { BOOKKEEPERS } from '../account-types.ts'
import { headersOf } from '../move/headers.ts'
import { isInvoice, isPurchase, isSale } from '../move/kinds.ts'
import { isSettling } from '../move/pending-changes.ts'
import { bookAnalytics } from './booking.ts'
import { proposalsFor } from './distribution-model.ts'
import { analyticAccountsById, type Distributed, mandatoryPlans } from './plan.ts'
import { accountsIn, assertDistribution, sharesOf } from './shares.ts'

const line = extend('account.move.line', {
  fields: {
    analytic_distribution: json({
      label: 'Analytic Distribution',
      computed: true,
      stored: true,
      precompute: true,
      readonly: false,
      copy: true,
      help: 'Percentages by analytic account, as {"7": 75, "8": 25}.',
    }),
    analytic_line_ids: one2many('account.analytic.line', 'move_line_id', {
      label: 'Analytic Lines',
      groups: BOOKKEEPERS,
    }),
    distribution_analytic_account_ids: many2many('account.analytic.account', {
      label: 'Distribution Analytic Account',
      computed: true,
      groups: BOOKKEEPERS,
    }),
    has_invalid_analytics: boolean({
      label: 'Has Invalid Analytics',
      computed: true,
      help: 'A mandatory plan is not distributed to 100 percent.',
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof line> {}
}

/** Distributions say which purposes costs and revenues are for: they change no figure of the books. */
const itemsWritable = writable<'account.move.line'>({
  later: { posted: ['analytic_distribution'], cancel: ['analytic_distribution'] },
  server: ['analytic_line_ids'],
})

/** New and changed lines of drafts of invoices get what models propose; all others keep what they have. */
const proposed = computedFields(
  line,
  ['analytic_distribution'],
  ['product_id', 'account_id', 'partner_id', 'display_type', 'move_id'],
  async (lines, env) => {
    const headers = await headersOf(env, lines)
    const open = lines.filter((row) => {
      const header = headers.get(row.move_id.id)
      return (
        header?.proposesAnalytics &&
        isInvoice(header.move_type) &&
        header.state === 'draft' &&
        row.display_type === 'product'
      )
    })
    if (open.length === 0) return new Map()
    const facts = await factsOf(env, open)
    const proposals = await proposalsFor(
      env,
      open.map((row) => ({
        id: row.id,
        company: headers.get(row.move_id.id)?.company ?? env.companyId,
        ...facts(row),
      })),
    )
    return new Map([...proposals].map(([id, analytic_distribution]) => [id, { analytic_distribution }]))
  },
  { editable: true },
)

type Link = { readonly id: number } | null

interface Linked {
  readonly product_id: Link
  readonly account_id: Link
  readonly partner_id: Link
}

/** Gives the product with its category, the account's code and the partner with its tags, of lines. */
async function factsOf(env: Environment, lines: readonly Linked[]) {
  const su = env.sudo()
  const idsOf = (name: keyof Linked) => [...new Set(lines.flatMap((row) => row[name]?.id ?? []))]
  const products = await su
    .model('product.product')
    .browse(idsOf('product_id'))
    .load(['product_tmpl_id.categ_id'])
  const accounts = await su.model('account.account').browse(idsOf('account_id')).load(['code'])
  const partners = await su.model('res.partner').browse(idsOf('partner_id')).load(['category_id'])
  const byId = <R extends { readonly id: number }>(rows: readonly R[]) =>
    new Map(rows.map((row) => [row.id, row]))
  const [productRows, accountRows, partnerRows] = [byId(products), byId(accounts), byId(partners)]
  return ({ product_id: product, account_id: account, partner_id: partner }: Linked) => ({
    product: product?.id ?? null,
    productCategory: productRows.get(product?.id ?? 0)?.product_tmpl_id.categ_id?.id ?? null,
    account: accountRows.get(account?.id ?? 0)?.code ?? null,
    partner: partner?.id ?? null,
    partnerCategories: partnerRows.get(partner?.id ?? 0)?.category_id.map(({ id }) => id) ?? [],
  })
}

const domainOf = (type: string): Distributed['domain'] =>
  isSale(type) ? 'invoice' : isPurchase(type) ? 'bill' : 'general'

/** Whether a mandatory plan lacks its 100 percent, by line of a document or an entry. */
const invalid = computedTogether(
  line,
  [
    'display_type',
    'analytic_distribution',
    'account_id.code',
    'product_id.product_tmpl_id.categ_id',
    'company_id',
    'move_id.move_type',
  ],
  async (lines, env) => {
    const mandatoryOf = await mandatoryPlans(env.model('account.analytic.plan'))
    const asking = lines.map((row) => ({
      row,
      plans:
        row.display_type === 'product'
          ? mandatoryOf({
              domain: domainOf(row.move_id.move_type),
              account: row.account_id?.code ?? null,
              category: row.product_id?.product_tmpl_id.categ_id?.id ?? null,
              company: row.company_id?.id ?? env.companyId,
            })
          : [],
    }))
    const named = asking.flatMap(({ row, plans }) =>
      plans.length ? accountsIn(row.analytic_distribution) : [],
    )
    const accounts = await analyticAccountsById(env.sudo(), named)
    return new Map(
      asking.map(({ row, plans }) => {
        const shares = sharesOf(row.analytic_distribution)
        const percentOf = (plan: number) =>
          shares
            .filter((share) =>
              share.accounts.some((account) => accounts.get(account)?.root_plan_id?.id === plan),
            )
            .reduce((sum, { percent }) => sum + percent, 0)
        return [row.id, plans.some((plan) => Math.abs(percentOf(plan) - 100) > 1e-6)]
      }),
    )
  },
)

/** Items of posted entries among some. */
async function postedAmong(lines: Records<'account.move.line'>): Promise<number[]> {
  const rows = await lines.sudo().load(['parent_state'])
  return rows.flatMap(({ id, parent_state: state }) => (state === 'posted' ? id : []))
}

export const distributedItem = implement(line, {
  writable: itemsWritable,
  prepare: assertDistribution,
  computed: {
    ...proposed,
    has_invalid_analytics: invalid,
    distribution_analytic_account_ids: computed(
      line,
      ['analytic_distribution'],
      ({ analytic_distribution: distribution }) => accountsIn(distribution),
    ),
  },
  wrapWrite: (next) => async (lines, changes) => {
    await next(lines, changes)
    const distributed = idsWhere(changes, (vals) => 'analytic_distribution' in vals)
    if (distributed.length === 0 || isSettling(lines.env)) return
    const posted = await postedAmong(lines.browse(distributed))
    if (posted.length) await bookAnalytics(lines.env, posted)
  },
})

const move = extend('account.move', { fields: {} })

/** A client that asks for it has posting refuse lines without the distribution that a plan wants. */
export const distributedMove = implement(move, {
  wrap: {
    action_post: (next) => async (moves, params) => {
      if (moves.env.context.validate_analytic) await assertDistributed(moves)
      return next(moves, params)
    },
  },
})

async function assertDistributed(moves: Records<'account.move'>): Promise<void> {
  const rows = await moves.load(['line_ids.has_invalid_analytics'])
  if (rows.some((row) => row.line_ids.some((item) => item.has_invalid_analytics)))
    throw new ValidationError(
      'A line lacks the 100 percent of a mandatory analytic plan: complete its analytic distribution.',
    )
}
