// Sales orders as tills load them (sale.order), once somebody chooses one to settle.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { UserError } from '../../errors.ts'
import { assertAllowedAndExisting } from '../base/index.ts'
import { loadRecords } from '../point_of_sale/index.ts'

const order = extend('sale.order', {
  fields: {},
  methods: {
    load_sale_order_from_pos: {
      doc: 'Orders with their lines, products and customers, as load_data gives them to tills.',
      readonly: true,
      params: { config_id: required<number>('integer', { doc: 'The point of sale', annotation: 'int' }) },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

/** Throws UserError for orders of another company than the point of sale. */
async function load(orders: Records<'sale.order'>, config: number): Promise<object> {
  await assertAllowedAndExisting(orders, 'read')
  const { env } = orders
  const configs = env.model('pos.config').browse([config])
  await assertAllowedAndExisting(configs, 'read')
  const { company_id: company } = await configs.one(['company_id'])
  const rows = await orders.load([
    'company_id',
    'partner_id',
    'partner_invoice_id',
    'partner_shipping_id',
    'order_line.product_id.product_tmpl_id',
  ])
  if (rows.some((row) => row.company_id.id !== company.id))
    throw new UserError('The order belongs to another company than the point of sale: choose another order.')
  const lines = rows.flatMap((row) => row.order_line)
  const products = lines.flatMap((line) => line.product_id ?? [])
  return loadRecords(env, config, [
    ['sale.order', orders.ids],
    ['sale.order.line', lines.map(({ id }) => id)],
    ['product.template', products.map((product) => product.product_tmpl_id.id)],
    ['product.product', products.map(({ id }) => id)],
    [
      'res.partner',
      rows.flatMap((row) =>
        [row.partner_id, row.partner_invoice_id, row.partner_shipping_id].flatMap(
          (partner) => partner?.id ?? [],
        ),
      ),
    ],
  ])
}

export default implement(order, {
  methods: { load_sale_order_from_pos: (orders, { config_id }) => load(orders, config_id) },
})
