// Implementation of journal items (account.move.line). From products: line-product.ts; generated ones:
// settle.ts; what is open: ../reconcile/residual.ts.

import { computed, computedFields, implement } from '#models'
import { isInteger } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { assertAllowed, givenVals } from '../../base/index.ts'
import { withoutSentAmounts, withTrustedAmounts } from '../fixed-amounts.ts'
import { reconcileByHand } from '../reconcile/reconcile.ts'
import { residual } from '../reconcile/residual.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { itemWritable } from '../writable.ts'
import { withoutDerivedValues } from './derived-fields.ts'
import { withSides } from './entry-amounts.ts'
import { assertNonePosted } from './guards.ts'
import { headersOf } from './headers.ts'
import { isInvoice } from './kinds.ts'
import { line } from './line.contract.ts'
import { lineAccount, lineName, linePrice, lineTaxes, lineUnit } from './line-product.ts'
import { isSettling, touch, withSettledEntries } from './pending-changes.ts'
import { moveAccounts } from './posted-accounts.ts'
import { protectBooks } from './protection.ts'
import { settleMoves } from './settle.ts'
import { markStorno, withWrittenSides } from './storno.ts'

/**
 * Items of invoices are in the currency of the invoice; those of entries are in the company's by
 * default.
 */
const lineCurrency = computedFields(
  line,
  ['currency_id'],
  ['move_id.currency_id'],
  async (lines, env, fresh) => {
    const headers = await headersOf(env, lines)
    return new Map(
      lines.map((line) => {
        const header = headers.get(line.move_id.id)
        if (!header || (!fresh && !isInvoice(header.move_type))) return [line.id, {}]
        return [line.id, { currency_id: header.currency }]
      }),
    )
  },
  { editable: true },
)

/** Items carry the commercial company of the entry's partner; those of sealed entries are left unchanged. */
const linePartner = computedFields(
  line,
  ['partner_id'],
  ['move_id.commercial_partner_id', 'move_id.move_type', 'move_id.inalterable_hash'],
  (lines) =>
    new Map(
      lines.map(({ id, move_id: { commercial_partner_id: partner, move_type, inalterable_hash: seal } }) => [
        id,
        seal === null && (partner || isInvoice(move_type)) ? { partner_id: partner } : {},
      ]),
    ),
  { editable: true },
)

/** Text has no quantity. */
const completed = (vals: Record<string, unknown>) =>
  withSides(
    typeof vals.display_type === 'string' && vals.display_type.startsWith('line_')
      ? { quantity: 0, ...vals }
      : vals,
  )

export default implement(line, {
  writable: itemWritable,
  // Entries have their table by now too.
  init: protectBooks,
  // A payment term is named by its document alone, as its own name repeats the reference.
  displayName: computed(line, ['move_id.name', 'move_id.ref', 'name', 'display_type'], (line) =>
    [
      line.move_id.name,
      line.move_id.ref && `(${line.move_id.ref})`,
      line.display_type === 'payment_term' ? null : line.name,
    ]
      .filter(Boolean)
      .join(' '),
  ),
  computed: {
    ...lineName,
    ...lineUnit,
    ...lineAccount,
    ...lineTaxes,
    ...linePrice,
    ...lineCurrency,
    ...linePartner,
    ...residual,
    // Modules that keep goods in the books know better.
    is_stocked: computed(line, [], () => false, { sql: () => sql`false` }),
  },
  methods: {
    delivered_goods: async () => new Map(),
    cost_of_sales: async (_lines, { sales }) => sales.map(() => null),
    reconcile: async (lines) => {
      await assertAllowed(lines, 'write')
      await reconcileByHand(lines.env, lines.ids)
      return null
    },
    remove_move_reconcile: async (lines) => {
      await assertAllowed(lines, 'write')
      await undoMatches(lines.env, lines.ids)
      return null
    },
  },
  wrapWrite: (next) => async (lines, changes) => {
    const { env } = lines
    if (isSettling(env)) return next(lines, changes)
    if (await moveAccounts(lines, changes, () => next(lines, changes))) return
    await withSettledEntries(
      env,
      async () => {
        const before = await lines.sudo().load(['move_id'])
        const trusted = changes.map(({ ids, vals }) => ({ ids, vals: withoutSentAmounts(vals) }))
        await next(lines, await withWrittenSides(lines, trusted))
        touch(
          env,
          before.map((row) => row.move_id.id),
        )
        touch(
          env,
          changes.flatMap(({ vals }) => (isInteger(vals.move_id) ? [vals.move_id] : [])),
        )
      },
      (ids, rates) => settleMoves(env, ids, rates),
    )
  },
  wrapGeneric: {
    copy_data: (next) => async (lines, params) =>
      withTrustedAmounts((await next(lines, params)) as Record<string, unknown>[]),
    create: (next) => async (lines, params) => {
      const { env } = lines
      const isTrusted = env.su || isSettling(env)
      const itemVals = givenVals(params.vals_list).map((vals) =>
        withoutSentAmounts(isTrusted ? { ...vals } : withoutDerivedValues('account.move.line', vals)),
      )
      if (isSettling(env)) return next(lines, { ...params, vals_list: itemVals.map(completed) })
      const vals_list = (await markStorno(env, itemVals)).map(completed)
      const moves = vals_list.flatMap(({ move_id }) => (isInteger(move_id) ? [move_id] : []))
      await assertNonePosted(env, moves)
      return withSettledEntries(
        env,
        async () => {
          const createdLines = (await next(lines, { ...params, vals_list })) as typeof lines
          touch(env, moves)
          return createdLines
        },
        (ids, rates) => settleMoves(env, ids, rates),
      )
    },
    unlink: (next) => async (lines, params) => {
      const { env } = lines
      if (isSettling(env) || lines.length === 0) return next(lines, params)
      const moves = (await lines.sudo().load(['move_id'])).map((line) => line.move_id.id)
      await assertNonePosted(env, moves)
      return withSettledEntries(
        env,
        async () => {
          const answer = await next(lines, params)
          touch(env, moves)
          return answer
        },
        (ids, rates) => settleMoves(env, ids, rates),
      )
    },
  },
})
