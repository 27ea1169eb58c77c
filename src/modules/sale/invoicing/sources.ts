// Sales orders of invoices (account.move): their number, and the action that shows them.
import { computedTogether, type Environment, extend, implement, integer, type Of } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { entriesOfOrders } from '../../account/index.ts'
import { actionMethod, assertAllowed, shownRecords } from '../../base/index.ts'
import { assertCustomers } from './move-line.ts'

const move = extend('account.move', {
  fields: {
    sale_order_count: integer({ label: 'Sale Order Count', computed: true }),
  },
  methods: {
    action_view_source_sale_orders: actionMethod(
      'The action that shows the orders that documents were made for.',
    ),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

/** Orders by document, in their order: one statement. */
async function ordersOf(env: Environment, moves: readonly number[]): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT DISTINCT l.move_id, o.order_id FROM account_move_line l
    JOIN sale_order_line_invoice_rel r ON r.invoice_line_id = l.id JOIN sale_order_line o ON o.id = r.order_line_id
    WHERE l.move_id = ANY(${idList([...moves])}) ORDER BY 1, 2`,
    { reads: ['account.move.line', 'sale.order.line'], row: ['int', 'int'] },
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row[0])].map(([id, orders]) => [id, orders.map((row) => row[1])]),
  )
}

export default implement(move, {
  ...entriesOfOrders('sale_line_ids', assertCustomers),
  computed: {
    sale_order_count: computedTogether(move, [], async (moves, env) => {
      const orders = await ordersOf(
        env,
        moves.map(({ id }) => id),
      )
      return new Map(moves.map(({ id }) => [id, orders.get(id)?.length ?? 0]))
    }),
  },
  methods: {
    action_view_source_sale_orders: async (moves) => {
      await assertAllowed(moves, 'read')
      const orders = await ordersOf(moves.env, moves.ids)
      return shownRecords('Source Orders', 'sale.order', [...new Set([...orders.values()].flat())])
    },
  },
})
