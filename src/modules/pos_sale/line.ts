// Lines of sales orders (sale.order.line): what tills handed over and were paid for counts as delivered and
// invoiced.
import {
  computedFields,
  extend,
  float,
  implement,
  monetary,
  type Of,
  one2many,
  type Records,
  returns,
} from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { invoicedFields, invoicedOf, invoicedPaths } from '../sale/index.ts'
import { deliveredBy, deliveredPaths, isDeliveredByMoves } from '../sale_stock/index.ts'
import { convertPrice, convertQuantity, type UnitFactor } from '../uom/index.ts'

const line = extend('sale.order.line', {
  fields: {
    pos_order_line_ids: one2many('pos.order.line', 'sale_order_line_id', {
      label: 'Order lines Transfered to Point of Sale',
    }),
    qty_delivered: float(),
    qty_invoiced: float(),
    qty_invoiced_posted: float(),
    untaxed_amount_invoiced: monetary(),
    amount_invoiced: monetary(),
  },
  methods: {
    read_converted: {
      doc: "Lines as a till sells them: quantities in the products' own units.",
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
}

interface Line {
  readonly qty: number
  readonly price_subtotal: number
  readonly price_subtotal_incl: number
  readonly order_id: { readonly state: string }
}
interface Sold extends Line {
  readonly refund_orderline_ids: readonly (Line & { readonly sale_order_line_id: object | null })[]
}

/** Paths from an order line to its sales at tills. */
const soldPaths = [
  'product_id.product_tmpl_id.uom_id.factor',
  'pos_order_line_ids.qty',
  'pos_order_line_ids.price_subtotal',
  'pos_order_line_ids.price_subtotal_incl',
  'pos_order_line_ids.order_id.state',
  'pos_order_line_ids.refund_orderline_ids.qty',
  'pos_order_line_ids.refund_orderline_ids.price_subtotal',
  'pos_order_line_ids.refund_orderline_ids.price_subtotal_incl',
  'pos_order_line_ids.refund_orderline_ids.sale_order_line_id',
  'pos_order_line_ids.refund_orderline_ids.order_id.state',
] as const

/**
 * Of what tills sold and took back, what was paid: a till names the line that it takes back, and the
 * order line follows from that one. Refunds that name the order line themselves are among its own.
 */
const paidSum = (lines: readonly Sold[], of: (line: Line) => number) =>
  lines
    .flatMap((line): readonly Line[] => [
      line,
      ...line.refund_orderline_ids.filter((back) => back.sale_order_line_id === null),
    ])
    .filter(({ order_id: { state } }) => state === 'paid' || state === 'done')
    .reduce((total, one) => addDecimals(total, of(one)), 0)

interface Settled {
  readonly product_uom_id: UnitFactor | null
  readonly product_id: { readonly product_tmpl_id: { readonly uom_id: UnitFactor } } | null
  readonly pos_order_line_ids: readonly Sold[]
}

/** Quantity of a line that tills sold, in its unit: tills count in the unit of the product. */
function soldOf({ product_uom_id: unit, product_id: product, pos_order_line_ids: lines }: Settled): number {
  const sold = paidSum(lines, ({ qty }) => qty)
  return unit && product ? convertQuantity(sold, product.product_tmpl_id.uom_id, unit, 'none') : sold
}

const delivered = computedFields(
  line,
  ['qty_delivered'],
  [...deliveredPaths, ...soldPaths],
  (lines) =>
    new Map(
      lines.map((line) => {
        // A quantity that a user entered stays: services are delivered when a user says so.
        if (!isDeliveredByMoves(line) || !line.product_uom_id) return [line.id, {}]
        const moved = deliveredBy(line.move_ids, line.product_uom_id)
        return [line.id, { qty_delivered: addDecimals(moved, soldOf(line)) }]
      }),
    ),
  { editable: true },
)

const invoiced = computedFields(
  line,
  invoicedFields,
  [...invoicedPaths, ...soldPaths, 'product_uom_id.factor'],
  async (lines, env) => {
    const invoiced = await invoicedOf(env, lines)
    return new Map(
      lines.map((record) => {
        const base = invoiced.get(record.id)
        const sold = soldOf(record)
        const sum = (of: (line: Line) => number) => paidSum(record.pos_order_line_ids, of)
        return [
          record.id,
          {
            qty_invoiced: addDecimals(base?.qty_invoiced ?? 0, sold),
            qty_invoiced_posted: addDecimals(base?.qty_invoiced_posted ?? 0, sold),
            untaxed_amount_invoiced: addDecimals(
              base?.untaxed_amount_invoiced ?? 0,
              sum((line) => line.price_subtotal),
            ),
            amount_invoiced: addDecimals(
              base?.amount_invoiced ?? 0,
              sum((line) => line.price_subtotal_incl),
            ),
          },
        ]
      }),
    )
  },
)

/** Of lines without a product: headings and notes. */
const NO_UNIT: UnitFactor = { id: 0, factor: 1 }

const shown = [
  'order_id',
  'name',
  'display_type',
  'is_downpayment',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_uom_id.factor',
  'product_uom_qty',
  'qty_delivered',
  'qty_invoiced',
  'qty_to_invoice',
  'price_unit',
  'price_total',
  'discount',
  'tax_ids',
] as const

async function converted(lines: Records<'sale.order.line'>): Promise<object[]> {
  const rows = await lines.load(shown)
  return rows.map((row) => {
    const productUnit = row.product_id?.product_tmpl_id.uom_id ?? NO_UNIT
    const unit = row.product_uom_id ?? NO_UNIT
    const quantity = (value: number) => convertQuantity(value, unit, productUnit, 'none')
    return {
      id: row.id,
      order_id: row.order_id.id,
      name: row.name,
      display_type: row.display_type ?? false,
      is_downpayment: row.is_downpayment,
      product_id: row.product_id?.id ?? false,
      product_uom_id: productUnit.id || false,
      product_uom_qty: quantity(row.product_uom_qty),
      qty_delivered: quantity(row.qty_delivered),
      qty_invoiced: quantity(row.qty_invoiced),
      qty_to_invoice: quantity(row.qty_to_invoice),
      price_unit: convertPrice(row.price_unit, unit, productUnit),
      price_total: row.price_total,
      discount: row.discount,
      tax_ids: row.tax_ids.map(({ id }) => id),
    }
  })
}

export default implement(line, {
  computed: { ...delivered, ...invoiced },
  methods: { read_converted: converted },
})
