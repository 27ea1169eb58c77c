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
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { invoicedFields, invoicedOf, invoicedPaths } from '../sale/index.ts'
import { deliveredBy, isMoved } from '../sale_stock/index.ts'

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

interface Sold {
  readonly qty: number
  readonly price_subtotal: number
  readonly price_subtotal_incl: number
  readonly order_id: { readonly state: string }
}

const paid = <S extends Sold>(lines: readonly S[]) =>
  lines.filter(({ order_id: { state } }) => state === 'paid' || state === 'done')
const sum = <S extends Sold>(lines: readonly S[], of: (one: S) => number) =>
  paid(lines).reduce((total, one) => addDecimals(total, of(one)), 0)
/** A quantity of the product's unit in that of the line. */
const inUnit = (
  quantity: number,
  unit: { readonly factor: number } | null,
  own: { readonly factor: number } | undefined,
) => (unit && own ? asDecimal((quantity * own.factor) / unit.factor) : quantity)

const delivered = computedFields(
  line,
  ['qty_delivered'],
  [
    'qty_delivered_method',
    'product_uom_id.factor',
    'product_id.product_tmpl_id.uom_id.factor',
    'move_ids.state',
    'move_ids.quantity',
    'move_ids.product_uom.factor',
    'move_ids.to_refund',
    'move_ids.scrap_id',
    'move_ids.origin_returned_move_id',
    'move_ids.location_id.usage',
    'move_ids.location_dest_id.usage',
    'pos_order_line_ids.qty',
    'pos_order_line_ids.price_subtotal',
    'pos_order_line_ids.price_subtotal_incl',
    'pos_order_line_ids.order_id.state',
  ],
  (lines) =>
    new Map(
      lines.map((one) => {
        // What is typed stands: services are done when somebody says so.
        if (!isMoved(one) || !one.product_uom_id) return [one.id, {}]
        const handed = inUnit(
          sum(one.pos_order_line_ids, ({ qty }) => qty),
          one.product_uom_id,
          one.product_id?.product_tmpl_id.uom_id,
        )
        return [one.id, { qty_delivered: addDecimals(deliveredBy(one.move_ids, one.product_uom_id), handed) }]
      }),
    ),
  { editable: true },
)

const invoiced = computedFields(
  line,
  invoicedFields,
  [
    ...invoicedPaths,
    'product_uom_id.factor',
    'product_id.product_tmpl_id.uom_id.factor',
    'pos_order_line_ids.qty',
    'pos_order_line_ids.price_subtotal',
    'pos_order_line_ids.price_subtotal_incl',
    'pos_order_line_ids.order_id.state',
  ],
  async (lines, env) => {
    const found = await invoicedOf(env, lines)
    return new Map(
      lines.map((one) => {
        const base = found.get(one.id)
        const quantity = inUnit(
          sum(one.pos_order_line_ids, ({ qty }) => qty),
          one.product_uom_id,
          one.product_id?.product_tmpl_id.uom_id,
        )
        return [
          one.id,
          {
            qty_invoiced: addDecimals(base?.qty_invoiced ?? 0, quantity),
            qty_invoiced_posted: addDecimals(base?.qty_invoiced_posted ?? 0, quantity),
            untaxed_amount_invoiced: addDecimals(
              base?.untaxed_amount_invoiced ?? 0,
              sum(one.pos_order_line_ids, (own) => own.price_subtotal),
            ),
            amount_invoiced: addDecimals(
              base?.amount_invoiced ?? 0,
              sum(one.pos_order_line_ids, (own) => own.price_subtotal_incl),
            ),
          },
        ]
      }),
    )
  },
)

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
    const [unit, own] = [row.product_uom_id?.factor ?? 1, row.product_id?.product_tmpl_id.uom_id.factor ?? 1]
    const quantity = (value: number) => asDecimal((value * unit) / own)
    return {
      id: row.id,
      order_id: row.order_id.id,
      name: row.name,
      display_type: row.display_type ?? false,
      is_downpayment: row.is_downpayment,
      product_id: row.product_id?.id ?? false,
      product_uom_id: row.product_id?.product_tmpl_id.uom_id.id ?? false,
      product_uom_qty: quantity(row.product_uom_qty),
      qty_delivered: quantity(row.qty_delivered),
      qty_invoiced: quantity(row.qty_invoiced),
      qty_to_invoice: quantity(row.qty_to_invoice),
      price_unit: asDecimal((row.price_unit * own) / unit),
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
