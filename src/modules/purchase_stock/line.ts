// Lines of purchase orders (purchase.order.line): the moves that bring their goods, how much came, and
// receipts that follow changes.
import {
  boolean,
  computed,
  computedFields,
  extend,
  float,
  idsWhere,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { refuse } from '../base/index.ts'
import { convertQuantity, type UnitFactor } from '../uom/index.ts'
import { followQuantities, settleReceipts } from './receipts.ts'
import { unitCostsNow } from './unit-costs.ts'

const line = extend('purchase.order.line', {
  fields: {
    move_ids: one2many('stock.move', 'purchase_line_id', { label: 'Reservation', copy: false }),
    move_dest_ids: many2many('stock.move', {
      label: 'Downstream moves',
      copy: false,
      relation: {
        table: 'stock_move_created_purchase_line_rel',
        column: 'created_purchase_line_id',
        other: 'move_id',
      },
      help: 'Moves that wait for the goods.',
    }),
    orderpoint_id: many2one('stock.warehouse.orderpoint', {
      label: 'Orderpoint',
      copy: false,
      index: 'set',
      ondelete: 'set null',
      help: 'The reordering rule that the goods are bought for.',
    }),
    propagate_cancel: boolean({
      label: 'Propagate cancellation',
      default: true,
      help: 'Moves that wait for the goods are cancelled with the order.',
    }),
    qty_received_method: selection({ manual: 'Manual', stock_moves: 'Stock Moves' }),
    qty_received: float(),
  },
})

declare module '#models' {
  // Its choices are more than those of the field it extends.
  interface PurchaseOrderLine extends Omit<Of<typeof line>, 'qty_received_method'> {}
}

interface Moved {
  readonly state: string | null
  readonly quantity: number
  readonly to_refund: boolean
  readonly product_uom: UnitFactor
  readonly location_id: { readonly usage: string | null }
  readonly location_dest_id: { readonly usage: string | null }
}

/**
 * Received quantity of a move for a line, in its unit: goods from outside, less those that went back.
 */
function counted(move: Moved, unit: UnitFactor): number {
  if (move.state !== 'done') return 0
  const quantity = convertQuantity(move.quantity, move.product_uom, unit, 'half-up')
  if (move.location_dest_id.usage === 'supplier') return move.to_refund ? -quantity : 0
  return move.location_id.usage === 'supplier' ? quantity : 0
}

/** Goods are counted by their moves, services by hand. */
const received = {
  qty_received_method: computed(line, ['display_type', 'product_id.product_tmpl_id.type'], (line) => {
    if (line.display_type) return null
    return line.product_id?.product_tmpl_id.type === 'consu' ? ('stock_moves' as const) : ('manual' as const)
  }),
  ...computedFields(
    line,
    ['qty_received'],
    [
      'qty_received_method',
      'qty_received_manual',
      'product_uom_id.factor',
      'move_ids.state',
      'move_ids.quantity',
      'move_ids.to_refund',
      'move_ids.product_uom.factor',
      'move_ids.location_id.usage',
      'move_ids.location_dest_id.usage',
    ],
    (lines) =>
      new Map(
        lines.map((line) => {
          if (line.qty_received_method === 'manual')
            return [line.id, { qty_received: line.qty_received_manual }]
          const { product_uom_id: unit } = line
          const moves = unit ? line.move_ids.map((move) => counted(move, unit)) : []
          return [line.id, { qty_received: moves.reduce(addDecimals, 0) }]
        }),
      ),
    { editable: true },
  ),
}

export default implement(line, {
  computed: received,
  wrapCreate: (next) => async (lines, list) => {
    const createdLines = await next(lines, list)
    if (list.some((vals) => vals.qty_received)) await assertReceivedByMoves(createdLines, () => 0)
    // Lines that join a confirmed order are expected at once.
    await settleReceipts(lines.env, createdLines.ids)
    return createdLines
  },
  wrapWrite: (next) => async (lines, changes) => {
    const typed = new Map(
      changes.flatMap(({ ids, vals }) =>
        'qty_received' in vals ? ids.map((id) => [id, vals.qty_received || 0] as const) : [],
      ),
    )
    if (typed.size) await assertReceivedByMoves(lines.browse([...typed.keys()]), (id) => typed.get(id))
    const changed = idsWhere(
      changes,
      (vals) => 'product_qty' in vals || 'product_uom_id' in vals || 'product_id' in vals,
    )
    await next(lines, changes)
    if (changed.length) await followQuantities(lines.env, changed)
    const agreed = idsWhere(changes, (vals) =>
      ['date_planned', 'price_unit', 'discount', 'tax_ids'].some((field) => field in vals),
    )
    if (agreed.length) await followTerms(lines.browse(agreed))
    const priced = idsWhere(changes, (vals) =>
      ['price_unit', 'discount', 'product_qty', 'product_uom_id'].some((field) => field in vals),
    )
    if (priced.length) await followPrices(lines.browse(priced))
  },
})

/**
 * Throws UserError for lines of goods whose received quantity is not `expected`: that of moves for new lines,
 * which have none, or the value that is written.
 */
async function assertReceivedByMoves(
  lines: Records<'purchase.order.line'>,
  expected: (id: number) => unknown,
): Promise<void> {
  const rows = await lines.sudo().load(['qty_received', 'qty_received_method'])
  if (rows.some((row) => row.qty_received_method !== 'manual' && row.qty_received !== expected(row.id)))
    await refuse(
      lines,
      'write',
      'Received quantities of goods cannot be edited: receive or return the goods with a transfer.',
    )
}

/** Receipts that are open are expected on the days of their lines, at their prices. */
async function followTerms(lines: Records<'purchase.order.line'>): Promise<void> {
  const rows = (await lines.sudo().load(['state', 'date_planned', 'move_ids.state'])).filter(
    (line) => line.state === 'purchase',
  )
  const costs = await unitCostsNow(
    lines.env,
    rows.map(({ id }) => id),
  )
  const values = new Map(
    rows.flatMap((row) => {
      const values = {
        price_unit: costs.get(row.id) ?? 0,
        ...(row.date_planned ? { date: row.date_planned } : {}),
      }
      return row.move_ids.flatMap((move) =>
        move.state === 'done' || move.state === 'cancel' ? [] : [[move.id, values] as const],
      )
    }),
  )
  if (values.size) await lines.env.sudo().model('stock.move').writeEach(values)
}

/**
 * Goods that came already are worth what the line says now. Taxes that change wait for the bill (recorded),
 * as other values of what came do.
 */
async function followPrices(lines: Records<'purchase.order.line'>): Promise<void> {
  const rows = await lines.sudo().load(['state', 'move_ids.state'])
  const done = rows.flatMap((row) =>
    row.state === 'purchase' ? row.move_ids.flatMap((move) => (move.state === 'done' ? [move.id] : [])) : [],
  )
  if (done.length) await lines.env.sudo().model('stock.move').browse(done).invoke('documents_changed', {})
}
