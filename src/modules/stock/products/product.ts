// Variants (product.product): how much of them there is, and the rules that replenish them.
import { computedFields, extend, float, implement, integer, type Of, one2many } from '#models'
import { type Figure, figures, searchable, valuesOf } from './figures.ts'
import { contextKeys, NOTHING, quantitiesOf } from './quantities.ts'

const figure = (label: string, help: string) =>
  float({ label, precision: 'Product Unit', computed: true, help })

const product = extend('product.product', {
  fields: {
    stock_quant_ids: one2many('stock.quant', 'product_id', { label: 'Stock Quant' }),
    stock_move_ids: one2many('stock.move', 'product_id', { label: 'Stock Move' }),
    qty_available: figure(
      'Quantity On Hand',
      'Quantity in all places, in the unit of the product; negative if more left than was recorded.',
    ),
    free_qty: figure('Free To Use Quantity', 'Quantity on hand that is not reserved.'),
    incoming_qty: figure('Incoming', 'Quantity that confirmed moves will bring.'),
    outgoing_qty: figure('Outgoing', 'Quantity that confirmed moves will take.'),
    virtual_available: figure('Forecasted Quantity', 'Quantity on hand plus incoming less outgoing.'),
    orderpoint_ids: one2many('stock.warehouse.orderpoint', 'product_id', { label: 'Minimum Stock Rules' }),
    nbr_reordering_rules: integer({ label: 'Reordering Rules', computed: true }),
  },
})

declare module '#models' {
  interface ProductProduct extends Of<typeof product> {}
}

const names = Object.keys(figures) as Figure[]

const shared = computedFields(
  product,
  names,
  [],
  async (products, env) => {
    const quantities = await quantitiesOf(
      env,
      products.map(({ id }) => id),
    )
    return new Map(products.map(({ id }) => [id, valuesOf(quantities.get(id) ?? NOTHING)]))
  },
  { context: contextKeys },
)

export default implement(product, {
  computed: {
    ...searchable(shared, 'product'),
  },
})
