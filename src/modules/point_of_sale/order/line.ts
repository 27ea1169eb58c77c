// Implementation of lines of orders (pos.order.line). They are left unchanged once their order is paid.

import { randomUUID } from 'node:crypto'
import {
  computed,
  computedFields,
  computedTogether,
  type Environment,
  implement,
  type Records,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { mapTaxes } from '../../account/index.ts'
import { drawGaplessTexts } from '../../base/index.ts'
import { lotWritable, orderLineWritable } from '../writable.ts'
import { line, lot } from './line.contract.ts'

type Lines = Records<'pos.order.line'>
type LineVals = Vals<'pos.order.line'>

/** Fields about money and goods. */
const fixed: readonly string[] = [
  'order_id',
  'product_id',
  'qty',
  'price_unit',
  'discount',
  'tax_ids',
  'price_subtotal',
  'price_subtotal_incl',
  'uuid',
  'refunded_orderline_id',
]

async function assertDraft(lines: Lines): Promise<void> {
  const kept = await lines.env.rows(
    sql`SELECT 1 FROM pos_order_line l JOIN pos_order o ON o.id = l.order_id
    WHERE l.id = ANY(${idList(lines.ids)}) AND o.state NOT IN ('draft', 'cancel') LIMIT 1`,
    { reads: ['pos.order.line', 'pos.order'], row: ['int'] },
  )
  if (kept.length) throw new UserError('Lines of a paid order cannot be changed: refund the order instead.')
}

/** Values with what lines take from their orders. Throws UserError for lines of orders that are paid. */
async function completed(env: Environment, list: readonly LineVals[]): Promise<LineVals[]> {
  const isBare = (vals: LineVals) => !env.su || vals.company_id === undefined
  const bare = list.filter(isBare)
  if (bare.length === 0) return [...list]
  const orders = await env
    .sudo()
    .model('pos.order')
    .browse([...new Set(bare.flatMap(({ order_id: id }) => (isInteger(id) ? [id] : [])))])
    .load(['company_id', 'currency_id', 'state', 'config_id.order_line_seq_id'])
  const orderById = new Map(orders.map((order) => [order.id, order]))
  const counts = new Map<number, number>()
  for (const { order_id } of bare) {
    const order = orderById.get(order_id as number)
    if (order && !env.su && order.state !== 'draft')
      throw new UserError('Lines of a paid order cannot be changed: refund the order instead.')
    const sequence = order?.config_id?.order_line_seq_id?.id
    if (sequence) counts.set(sequence, (counts.get(sequence) ?? 0) + 1)
  }
  const numbers = counts.size ? await drawGaplessTexts(env, counts) : new Map<number, string[]>()
  return list.map((vals) => {
    const order = isBare(vals) ? orderById.get(vals.order_id as number) : undefined
    if (!order) return vals
    return {
      name: numbers.get(order.config_id?.order_line_seq_id?.id ?? 0)?.shift() ?? false,
      ...vals,
      company_id: order.company_id?.id ?? false,
      currency_id: order.currency_id?.id ?? false,
    }
  })
}

/** Goods that came back, by line. */
async function refundedQuantities(env: Environment, lines: readonly number[]): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT l.refunded_orderline_id, COALESCE(-sum(l.qty), 0)::float8 FROM pos_order_line l JOIN pos_order o ON o.id = l.order_id
    WHERE l.refunded_orderline_id = ANY(${idList([...lines])}) AND o.state <> 'cancel' GROUP BY 1`,
    { reads: ['pos.order.line', 'pos.order'], row: ['int', 'float'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

const margins = computedFields(
  line,
  ['margin', 'margin_percent'],
  ['price_subtotal', 'total_cost'],
  (lines) =>
    new Map(
      lines.map(({ id, price_subtotal, total_cost }) => {
        const margin = addDecimals(price_subtotal, -total_cost)
        return [id, { margin, margin_percent: price_subtotal === 0 ? 0 : margin / price_subtotal }]
      }),
    ),
)

export default implement(line, {
  writable: orderLineWritable,
  displayName: computed(
    line,
    ['full_product_name', 'name'],
    (line) => line.full_product_name ?? line.name ?? '',
  ),
  defaults: { uuid: () => randomUUID() },
  computed: {
    ...margins,
    refunded_qty: computedTogether(
      line,
      ['refund_orderline_ids.qty'],
      (lines, env) =>
        refundedQuantities(
          env,
          lines.map(({ id }) => id),
        ),
      {
        searchable: false,
        sql: (
          scope,
        ) => sql`COALESCE((SELECT -sum(r.qty)::float8 FROM pos_order_line r JOIN pos_order o ON o.id = r.order_id
          WHERE r.refunded_orderline_id = ${scope.id} AND o.state <> 'cancel'), 0)`,
      },
    ),
    tax_ids_after_fiscal_position: computedTogether(
      line,
      ['tax_ids', 'order_id.fiscal_position_id'],
      async (lines, env) => {
        const values = new Map<number, readonly number[]>()
        for (const [position, positionLines] of Map.groupBy(
          lines,
          (line) => line.order_id.fiscal_position_id?.id ?? null,
        )) {
          const mapped = await mapTaxes(env, position)
          for (const positionLine of positionLines)
            values.set(positionLine.id, mapped(positionLine.tax_ids.map(({ id }) => id)))
        }
        return values
      },
    ),
  },
  methods: { agreed_prices: () => new Map() },
  wrapCreate: (next) => async (lines, list) => next(lines, await completed(lines.env, list)),
  wrapWrite: (next) => async (lines, changes) => {
    if (!lines.env.su && changes.some(({ vals }) => fixed.some((name) => name in vals)))
      await assertDraft(lines)
    return next(lines, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (lines, params) => {
      if (!lines.env.su) await assertDraft(lines)
      return next(lines, params)
    },
  },
})

export const lots = implement(lot, { writable: lotWritable })
