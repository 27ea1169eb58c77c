// Availability of the goods of order lines (sale.order.line): the warehouse's for quotations, for confirmed
// lines the share that their deliveries have of it.
import { computedFields, extend, float, implement, type Of } from '#models'
import { quantitiesOf } from '../stock/index.ts'
import { convertQuantity, type UnitFactor } from '../uom/index.ts'
import { directionPaths, headingOf } from './delivered.ts'

const line = extend('sale.order.line', {
  fields: {
    qty_available_today: float({ label: 'Qty Available Today', computed: true }),
    free_qty_today: float({ label: 'Free Qty Today', precision: 'Product Unit', computed: true }),
    virtual_available_at_date: float({
      label: 'Virtual Available At Date',
      precision: 'Product Unit',
      computed: true,
    }),
  },
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
}

const movePaths = [
  'move_ids.quantity',
  'move_ids.forecast_availability',
  'move_ids.state',
  'move_ids.product_uom.factor',
  ...directionPaths,
  'move_ids.location_final_id.usage',
] as const

type Delivering = Parameters<typeof headingOf>[0] & {
  readonly quantity: number
  readonly forecast_availability: number
  readonly product_uom: UnitFactor
}

/** Quantities that open moves of a confirmed line have reserved and will have, in the unit of the line. */
function promised(moves: readonly Delivering[], unit: UnitFactor) {
  const open = moves.filter(
    (move) => move.state !== 'done' && move.state !== 'cancel' && headingOf(move) === 1,
  )
  const sum = (of: (line: Delivering) => number) =>
    Number(
      open
        .reduce((total, row) => total + convertQuantity(of(row), row.product_uom, unit, 'half-up'), 0)
        .toFixed(6),
    )
  return {
    qty_available_today: sum((one) => one.quantity),
    free_qty_today: sum((one) => one.forecast_availability),
    virtual_available_at_date: 0,
  }
}

export default implement(line, {
  computed: computedFields(
    line,
    ['qty_available_today', 'free_qty_today', 'virtual_available_at_date'],
    ['product_id', 'warehouse_id', 'scheduled_date', 'state', 'product_uom_id.factor', ...movePaths],
    async (lines, env) => {
      const values = new Map<number, ReturnType<typeof promised>>()
      for (const line of lines)
        if (line.state === 'sale' && line.product_uom_id)
          values.set(line.id, promised(line.move_ids, line.product_uom_id))
      const quoted = lines.filter((line) => !values.has(line.id))
      // One question a warehouse: orders are delivered from few.
      for (const [warehouse, group] of Map.groupBy(quoted, (line) => line.warehouse_id?.id)) {
        const warehouseEnv = env.sudo().withContext({ warehouse_id: warehouse ?? false })
        const quantities = await quantitiesOf(warehouseEnv, [
          ...new Set(group.flatMap((line) => line.product_id?.id ?? [])),
        ])
        for (const line of group) {
          const stock = quantities.get(line.product_id?.id ?? 0)
          values.set(line.id, {
            qty_available_today: stock?.onHand ?? 0,
            free_qty_today: stock?.free ?? 0,
            virtual_available_at_date: stock?.forecast ?? 0,
          })
        }
      }
      return values
    },
  ),
})
