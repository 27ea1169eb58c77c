// Purchase orders of bills (account.move): how many, which, and whether bills are for orders only.
import {
  boolean,
  char,
  computed,
  computedFields,
  type Environment,
  extend,
  implement,
  integer,
  type Of,
  text,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { actionMethod, assertAllowed, shownRecords } from '../../base/index.ts'

const move = extend('account.move', {
  fields: {
    purchase_order_count: integer({ label: 'Purchase Order Count', computed: true }),
    purchase_order_name: char({
      label: 'Purchase Order Name',
      computed: true,
      help: 'The number of the order, where there is one.',
    }),
    is_purchase_matched: boolean({
      label: 'Is Purchase Matched',
      computed: true,
      help: 'Every line with a product is for an order.',
    }),
  },
  methods: {
    action_view_source_purchase_orders: actionMethod(
      'The action that shows the purchase orders that bills are for.',
    ),
  },
})

const item = extend('account.move.line', {
  fields: {
    purchase_line_warn_msg: text({
      label: 'Purchase Line Warn Msg',
      computed: true,
      groups: 'base.group_user',
    }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
  interface AccountMoveLine extends Of<typeof item> {}
}

const ordersOf = (env: Environment, moves: readonly number[]) =>
  env.rows(
    sql`SELECT DISTINCT l.move_id, p.id, p.name FROM account_move_line l JOIN purchase_order_line o ON o.id = l.purchase_line_id
    JOIN purchase_order p ON p.id = o.order_id WHERE l.move_id = ANY(${idList([...moves])}) ORDER BY 1, 2`,
    {
      reads: ['account.move.line', 'purchase.order.line', 'purchase.order'],
      row: ['int', 'int', 'text'],
    },
  )

const sources = computedFields(
  move,
  ['purchase_order_count', 'purchase_order_name', 'is_purchase_matched'],
  ['move_type', 'line_ids.display_type', 'line_ids.purchase_line_id'],
  async (moves, env) => {
    const rows = await ordersOf(
      env,
      moves.map(({ id }) => id),
    )
    const orders = Map.groupBy(rows, (row) => row[0])
    return new Map(
      moves.map((move) => {
        const moveOrders = orders.get(move.id) ?? []
        const lines = move.line_ids.filter((line) => line.display_type === 'product')
        return [
          move.id,
          {
            purchase_order_count: moveOrders.length,
            purchase_order_name: moveOrders.length === 1 ? (moveOrders[0]?.[2] ?? null) : null,
            is_purchase_matched:
              move.move_type.startsWith('in_') &&
              lines.length > 0 &&
              lines.every((line) => line.purchase_line_id !== null),
          },
        ]
      }),
    )
  },
)

export const billSources = implement(move, {
  computed: sources,
  methods: {
    action_view_source_purchase_orders: async (moves) => {
      await assertAllowed(moves, 'read')
      const rows = await ordersOf(moves.env, moves.ids)
      return shownRecords('Source Purchase Orders', 'purchase.order', [...new Set(rows.map((row) => row[1]))])
    },
  },
})
export const billedItem = implement(item, {
  computed: {
    purchase_line_warn_msg: computed(
      item,
      ['product_id.product_tmpl_id.purchase_line_warn_msg'],
      (item) => item.product_id?.product_tmpl_id.purchase_line_warn_msg ?? '',
    ),
  },
})
