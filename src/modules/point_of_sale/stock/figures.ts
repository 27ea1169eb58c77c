// Transfers of orders and sessions, as these show them.
import { boolean, computedFields, extend, implement, integer, type Of, one2many } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { readBySql } from '../read-by-sql.ts'

const order = extend('pos.order', {
  fields: {
    picking_ids: one2many('stock.picking', 'pos_order_id', { label: 'Pickings' }),
    picking_count: integer({ label: 'Picking Count', computed: true }),
    failed_pickings: boolean({
      label: 'Failed Pickings',
      computed: true,
      help: 'Some of its transfers are not done.',
    }),
  },
})
const session = extend('pos.session', {
  fields: {
    picking_ids: one2many('stock.picking', 'pos_session_id', { label: 'Pickings' }),
    picking_count: integer({ label: 'Picking Count', computed: true }),
    failed_pickings: boolean({
      label: 'Failed Pickings',
      computed: true,
      help: 'Some of its transfers are not done.',
    }),
  },
})

declare module '#models' {
  interface PosOrder extends Of<typeof order> {}
  interface PosSession extends Of<typeof session> {}
}

type Row = readonly [record: number, transfers: number, failed: boolean]

/** Counts by record, whatever the caller may see of stock. */
function counted<R extends { readonly id: number }>(records: readonly R[], rows: readonly Row[]) {
  const countsById = new Map(rows.map((row) => [row[0], { picking_count: row[1], failed_pickings: row[2] }]))
  return new Map(
    records.map(({ id }) => [id, countsById.get(id) ?? { picking_count: 0, failed_pickings: false }]),
  )
}

export const transfers = [
  implement(order, {
    computed: readBySql(
      computedFields(
        order,
        ['picking_count', 'failed_pickings'],
        ['picking_ids.state'],
        async (orders, env) =>
          counted(
            orders,
            await env.rows(
              sql`SELECT pos_order_id, count(*)::int, COALESCE(bool_or(state <> 'done'), FALSE) FROM stock_picking
          WHERE pos_order_id = ANY(${idList(orders.map(({ id }) => id))}) GROUP BY 1`,
              { reads: ['stock.picking'], row: ['int', 'int', 'bool'] },
            ),
          ),
      ),
      {
        picking_count: (scope) =>
          sql`(SELECT count(*)::int FROM stock_picking p WHERE p.pos_order_id = ${scope.id})`,
        failed_pickings: (scope) =>
          sql`EXISTS (SELECT FROM stock_picking p WHERE p.pos_order_id = ${scope.id} AND p.state <> 'done')`,
      },
    ),
  }),
  implement(session, {
    computed: computedFields(
      session,
      ['picking_count', 'failed_pickings'],
      ['picking_ids.state'],
      async (sessions, env) =>
        counted(
          sessions,
          await env.rows(
            sql`SELECT pos_session_id, count(*)::int, COALESCE(bool_or(state <> 'done'), FALSE) FROM stock_picking
          WHERE pos_session_id = ANY(${idList(sessions.map(({ id }) => id))}) GROUP BY 1`,
            { reads: ['stock.picking'], row: ['int', 'int', 'bool'] },
          ),
        ),
    ),
  }),
] as const
