// Margins of sales: by line in its unit and currency, by order; hidden from customers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

let shop: Office<'guest'>
before(async () => {
  shop = await openOffice(
    ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_margin'],
    {
      guest: ['base.group_portal'],
    },
  )
})
after(() => shop?.close())

test('what is left of lines and orders, in their units and currencies', async () => {
  const order = await shop.run(async (env) => {
    const dozen = await env.ref('uom.product_uom_dozen')
    const [partner_id, product_id] = [
      (await env.model('res.partner').create([{ name: 'Ann' }])).ensureOne(),
      (
        await env
          .model('product.product')
          .create([{ name: 'Egg', list_price: 1, standard_price: 0.4, taxes_id: [[5]] } as object])
      ).ensureOne(),
    ]
    const createdOrder = await env.model('sale.order').create([
      {
        partner_id,
        order_line: [
          [0, 0, { product_id, product_uom_qty: 10 }],
          [0, 0, { product_id, product_uom_qty: 2, product_uom_id: dozen, price_unit: 6 }],
          [0, 0, { display_type: 'line_note', name: 'Fresh' }],
        ],
      },
    ])
    await env.model('product.product').browse([product_id]).write({ standard_price: 9 })
    return createdOrder.ensureOne()
  })
  const [lines] = await shop.run(async (env) => [
    await (await env.model('sale.order.line').search([['order_id', '=', order]])).load([
      'purchase_price',
      'margin',
      'margin_percent',
    ]),
  ])
  assert.deepEqual(
    lines?.map((line) => [line.purchase_price, line.margin, Number(line.margin_percent.toFixed(4))]),
    [
      [0.4, 6, 0.6],
      [4.8, 2.4, 0.2],
      [0, 0, 0],
    ],
  )
  const read = (person: 'admin' | 'guest') =>
    shop.call(person, 'sale.order/read', { ids: [order], fields: ['margin', 'margin_percent'] })
  const [row] = (await read('admin')).body as [{ margin: number; margin_percent: number }]
  assert.deepEqual([row.margin, Number(row.margin_percent.toFixed(4))], [8.4, 0.3818])
  assert.equal((await read('guest')).status, 403)
})

test('the cost of a line is typed before its order is confirmed, and not afterwards', async () => {
  const order = await shop.run(async (env) => {
    const partner_id = (await env.model('res.partner').create([{ name: 'Baker' }])).ensureOne()
    const product_id = (await env.model('product.product').create([{ name: 'Bun' } as object])).ensureOne()
    const order_line = [[0, 0, { product_id, price_unit: 5 }]]
    return (await env.model('sale.order').create([{ partner_id, order_line } as never])).ensureOne()
  })
  const lines = { domain: [['order_id', '=', order]], fields: ['margin'], load: null }
  const [line] = (await shop.call('admin', 'sale.order.line/search_read', lines)).body as [{ id: number }]
  const type = (purchase_price: number) =>
    shop.call('admin', 'sale.order.line/write', { ids: [line.id], vals: { purchase_price } })
  assert.equal((await type(2)).status, 200)
  await shop.call('admin', 'sale.order/action_confirm', { ids: [order] })
  assert.equal((await type(0)).status, 422)
  const [{ margin }] = (await shop.call('admin', 'sale.order.line/search_read', lines)).body as [
    { margin: number },
  ]
  assert.equal(margin, 3)
})
