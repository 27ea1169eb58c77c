// Facts about deliveries that clients read on orders (sale.order and its lines): terms, lateness, when
// goods are expected.
import {
  boolean,
  char,
  computed,
  datetime,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  optional,
  required,
  returns,
  text,
  writable,
} from '#models'
import { MissingError } from '../../errors.ts'
import { assertAllowed } from '../base/index.ts'
import { convertQuantity } from '../uom/index.ts'

const company = extend('res.company', {
  fields: {
    security_lead: float({
      label: 'Sales Safety Days',
      required: true,
      default: 0,
      help: 'Days by which deliveries are planned before the promised date.',
    }),
  },
})

const order = extend('sale.order', {
  fields: {
    incoterm: many2one('account.incoterms', {
      label: 'Incoterm',
      ondelete: 'restrict',
      help: 'Trade terms: which party pays freight and bears risks up to which place.',
    }),
    incoterm_location: char({ label: 'Incoterm Location' }),
    late_availability: boolean({
      label: 'Late Availability',
      computed: true,
      help: 'Goods of a delivery will be there later than planned.',
    }),
    stock_reference_ids: many2many('stock.reference', {
      label: 'References',
      copy: false,
      relation: { table: 'stock_reference_sale_rel', column: 'sale_id', other: 'reference_id' },
    }),
    show_json_popover: boolean({ label: 'Has late picking', computed: true }),
    json_popover: text({
      label: 'Late Deliveries as JSON',
      computed: true,
      help: 'The transfers whose goods come later than planned, as a form shows them.',
    }),
  },
})

const line = extend('sale.order.line', {
  fields: {
    forecast_expected_date: datetime({
      label: 'Forecast Expected Date',
      computed: true,
      help: 'When the goods that are missing are expected.',
    }),
    display_qty_widget: boolean({ label: 'Shows What Is There', computed: true }),
  },
  methods: {
    compute_uom_qty: {
      doc: 'A quantity of the line in the unit of one of its moves.',
      readonly: true,
      params: {
        new_qty: required<number>('number', { annotation: 'float' }),
        stock_move: required<number>('integer', { annotation: 'int' }),
        rounding: optional<boolean>('boolean', true, { annotation: 'bool' }),
      },
      returns: returns<number>('number', 'float'),
    },
    has_valued_move_ids: {
      doc: 'Whether the line has stock moves, done or planned.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

const report = extend('sale.report', {
  fields: {
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      related: 'order_id.warehouse_id',
      asStored: true,
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
  interface SaleOrder extends Of<typeof order> {}
  interface SaleOrderLine extends Of<typeof line> {}
  interface SaleReport extends Of<typeof report> {}
}

/** Transfers of an order whose goods come later than planned. */
const lateOf = <P extends { readonly delay_alert_date: string | null }>(record: {
  readonly picking_ids: readonly P[]
}): P[] => record.picking_ids.filter((picking) => picking.delay_alert_date)

export const soldFrom = implement(report)
export const sellingCompany = implement(company)
export const deliveredOrder = implement(order, {
  writable: writable<'sale.order'>({ later: { sale: ['incoterm', 'incoterm_location'] } }),
  computed: {
    late_availability: computed(order, ['picking_ids.products_availability_state'], (order) =>
      order.picking_ids.some((picking) => picking.products_availability_state === 'late'),
    ),
    show_json_popover: computed(order, ['picking_ids.delay_alert_date'], (order) => lateOf(order).length > 0),
    json_popover: computed(order, ['picking_ids.delay_alert_date', 'picking_ids.name'], (order) => {
      const late = lateOf(order).map(
        ({ id, name }) => `{"id": ${id}, "name": ${JSON.stringify(name)}, "model": "stock.picking"}`,
      )
      return `{"popoverTemplate": "sale_stock.DelayAlertWidget", "late_elements": [${late.join(', ')}]}`
    }),
  },
})
export const expectedLine = implement(line, {
  computed: {
    display_qty_widget: computed(
      line,
      ['state', 'is_storable', 'product_uom_id', 'qty_to_deliver'],
      (line) =>
        line.state !== 'cancel' &&
        line.is_storable &&
        line.product_uom_id !== null &&
        line.qty_to_deliver > 0,
    ),
    forecast_expected_date: computed(
      line,
      ['move_ids.state', 'move_ids.forecast_expected_date'],
      (line) =>
        line.move_ids
          .flatMap((move) =>
            ['done', 'cancel'].includes(move.state ?? '') ? [] : (move.forecast_expected_date ?? []),
          )
          .sort()
          .at(-1) ?? null,
    ),
  },
  methods: {
    compute_uom_qty: async (lines, { new_qty, stock_move, rounding }) => {
      const { product_uom_id: unit } = await lines.one(['product_uom_id.factor'])
      const [move] = await lines.env.model('stock.move').browse([stock_move]).load(['product_uom.factor'])
      if (!move) throw new MissingError(`Stock move ${stock_move} not found.`)
      return unit ? convertQuantity(new_qty, unit, move.product_uom, rounding ? 'up' : 'none') : new_qty
    },
    has_valued_move_ids: async (lines) => {
      await assertAllowed(lines, 'read')
      const rows = await lines.sudo().load(['move_ids.state'])
      return rows.some((line) => line.move_ids.some((move) => move.state !== 'cancel'))
    },
  },
})
