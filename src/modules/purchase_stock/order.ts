// Purchase orders (purchase.order): how receipts follow them. The moves: receipts.ts; cancelling: cancel.ts.
import { computed, computedFields, computedTogether, type Environment, idsWhere, implement } from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { shownRecords } from '../base/index.ts'
import { cancelReceipts } from './cancel.ts'
import { order } from './order.contract.ts'
import { settleReceipts } from './receipts.ts'

/** The first kind of operation by which goods arrive in each of the companies. */
async function arrivals(env: Environment, companies: readonly number[]): Promise<Map<number, number>> {
  const incoming = await env
    .sudo()
    .model('stock.picking.type')
    .search([
      ['code', '=', 'incoming'],
      ['company_id', 'in', [...new Set(companies)]],
      ['warehouse_id', '!=', false],
    ])
  const types = await incoming.load(['company_id', 'warehouse_id.sequence'])
  return new Map(
    types.toSorted((a, b) => rank(b) - rank(a)).map((type) => [type.company_id.id, type.id] as const),
  )
}

const arrival = computedFields(
  order,
  ['picking_type_id'],
  ['company_id'],
  async (orders, env) => {
    const first = await arrivals(
      env,
      orders.map((order) => order.company_id.id),
    )
    return new Map(
      orders.map((order) => [order.id, { picking_type_id: first.get(order.company_id.id) ?? null }]),
    )
  },
  { editable: true },
)

const rank = (type: { readonly id: number; readonly warehouse_id: { readonly sequence: number } | null }) =>
  (type.warehouse_id?.sequence ?? 0) * 1e6 + type.id

/** Transfers with moves for lines of the orders, returns too. */
async function receiptsOf(
  env: Environment,
  orders: readonly { readonly id: number }[],
): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT l.order_id, array_agg(DISTINCT m.picking_id) FROM purchase_order_line l
    JOIN stock_move m ON m.purchase_line_id = l.id WHERE m.picking_id IS NOT NULL AND l.order_id = ANY(${idList(orders.map(({ id }) => id))})
    GROUP BY l.order_id`,
    { reads: ['purchase.order.line', 'stock.move'], row: ['int', 'ints'] },
  )
  const receipts = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(orders.map(({ id }) => [id, receipts.get(id) ?? []]))
}

/** Receipt status of an order by its transfers, without cancelled ones. */
function receiptStatus(states: readonly (string | null)[]): 'pending' | 'partial' | 'full' | null {
  const alive = states.filter((state) => state !== null && state !== 'cancel')
  if (alive.length === 0) return null
  if (alive.every((state) => state === 'done')) return 'full'
  return alive.includes('done') ? 'partial' : 'pending'
}

export default implement(order, {
  wrapGeneric: {
    // Of an order that is made, it follows the order's company; a form begins with the caller's.
    default_get: (next) => async (orders, params) => {
      const values = (await next(orders, params)) as Record<string, unknown>
      if (values.picking_type_id !== undefined || !(params.fields as unknown[]).includes('picking_type_id'))
        return values
      const type = (await arrivals(orders.env, [orders.env.companyId])).get(orders.env.companyId)
      return type === undefined ? values : { ...values, picking_type_id: type }
    },
  },
  computed: {
    ...arrival,
    picking_ids: computedTogether(order, [], (orders, env) => receiptsOf(env, orders), {
      search: (operator, value) => [['order_line.move_ids.picking_id', operator, value]],
    }),
    incoming_picking_count: computedTogether(
      order,
      [],
      async (orders, env) =>
        new Map([...(await receiptsOf(env, orders))].map(([id, ids]) => [id, ids.length])),
    ),
    receipt_status: computed(order, ['order_line.move_ids.picking_id.state'], (order) =>
      receiptStatus(
        order.order_line.flatMap((line) => line.move_ids.map((move) => move.picking_id?.state ?? null)),
      ),
    ),
    effective_date: computed(
      order,
      ['order_line.move_ids.state', 'order_line.move_ids.date', 'order_line.move_ids.location_dest_id.usage'],
      (order) => {
        const done = order.order_line.flatMap((line) =>
          line.move_ids.filter((move) => move.state === 'done' && move.location_dest_id.usage !== 'supplier'),
        )
        return done.map((move) => move.date).toSorted()[0] ?? null
      },
    ),
  },
  methods: {
    action_view_picking: async (orders) => {
      const ids = (await orders.load(['picking_ids'])).flatMap((order) =>
        order.picking_ids.map(({ id }) => id),
      )
      return shownRecords('Receipts', 'stock.picking', ids)
    },
  },
  wrap: {
    action_merge: (next) => async (orders, params) => {
      const rows = await orders.load(['picking_type_id'])
      if (new Set(rows.map((row) => row.picking_type_id?.id)).size > 1)
        throw new UserError(
          'Requests with different delivery locations cannot be merged: choose requests with the same one.',
        )
      return next(orders, params)
    },
    button_cancel: (next) => async (orders, params) => {
      const answer = await next(orders, params)
      await cancelReceipts(orders)
      return answer
    },
  },
  wrapWrite: (next) => async (orders, changes) => {
    await next(orders, changes)
    // However an order is confirmed, its goods are expected from now on.
    const confirmed = idsWhere(changes, (vals) => vals.state === 'purchase')
    if (confirmed.length === 0) return
    const lines = await orders.env
      .sudo()
      .model('purchase.order.line')
      .search([['order_id', 'in', confirmed]])
    await settleReceipts(orders.env, lines.ids)
  },
})
