// Lines of orders: prices that were typed stay until what they follow changes, combos, discounts that are
// exact under taxes, units and taxes brought up to date.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering, type Row } from '../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../test/support/selling.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

const { linesOf, make, makeAll, order, product, read, statusOf } = ordering(() => shop)

test('typed values stay until what they follow changes', async () => {
  const [soap, brush] = [await product('Soap', 4, { description_sale: 'Mild' }), await product('Brush', 9)]
  const [buyer, other] = await makeAll('res.partner', [{ name: 'Buyer' }, { name: 'Other' }])
  const id = await order({
    partner_id: buyer,
    partner_invoice_id: other,
    order_line: [[0, 0, { product_id: soap, name: 'Typed' }]],
  })
  const [line] = (await linesOf(id, ['name', 'price_unit'])) as [Row]
  assert.deepEqual([line.name, line.price_unit], ['Typed', 4])
  assert.equal((await read('sale.order', id, ['partner_invoice_id'])).partner_invoice_id, other)
  await shop.ask('sale.order/write', {
    ids: [id],
    vals: { order_line: [[1, line.id, { product_uom_qty: 3 }]] },
  })
  assert.equal((await linesOf(id, ['name']))[0]?.name, 'Typed')
  await shop.ask('sale.order.line/write', { ids: [line.id], vals: { product_id: brush } })
  const [changed] = (await linesOf(id, ['name', 'price_unit', 'price_total'])) as [Row]
  assert.deepEqual([changed.name, changed.price_unit, changed.price_total], ['Brush', 9, 27])
  await shop.ask('sale.order/write', { ids: [id], vals: { partner_id: other } })
  const moved = await read('sale.order', id, ['partner_invoice_id', 'partner_shipping_id'])
  assert.deepEqual([moved.partner_invoice_id, moved.partner_shipping_id], [other, other])
})

test('combos: copied with their order, and refuse products that are not among their choices', async () => {
  const [tea, cake, water] = [await product('Tea', 3), await product('Cake', 6), await product('Water', 1)]
  const choices = await makeAll('product.combo', [
    { name: 'Drink', combo_item_ids: [[0, 0, { product_id: tea }]] },
    { name: 'Bite', combo_item_ids: [[0, 0, { product_id: cake, extra_price: 0.5 }]] },
  ])
  const menu = await product('Menu', 8, { type: 'combo', combo_ids: [[6, 0, choices]] })
  const items = await shop.ask<Row[]>('product.combo.item/search_read', {
    domain: [['combo_id', 'in', choices]],
    fields: ['product_id'],
    load: null,
  })
  const item = (of: number) => items.find((item) => item.product_id === of)?.id
  const id = await order({
    partner_id: await make('res.partner', { name: 'Guest' }),
    order_line: [[0, 0, { product_id: menu, sequence: 1 }]],
  })
  const [top] = (await linesOf(id, ['price_unit'])) as [Row]
  const part = (product_id: number, combo: unknown) => ({
    order_id: id,
    product_id,
    combo_item_id: combo,
    linked_line_id: top.id,
    sequence: 2,
  })
  await makeAll('sale.order.line', [part(tea, item(tea)), part(cake, item(cake))])
  assert.equal(
    await statusOf('admin', 'sale.order.line/create', { vals_list: [part(water, item(tea))] }),
    422,
  )
  const shown = ['product_id', 'price_unit', 'combo_item_id']
  const before = (await linesOf(id, shown)).map(({ id: _, ...row }) => row)
  assert.deepEqual(
    before.map((row) => row.price_unit),
    [0, 2.67, 5.83],
  )
  const copy = (await shop.ask<number[]>('sale.order/copy', { ids: [id] }))[0] as number
  const after = await linesOf(copy, [...shown, 'linked_line_id'])
  assert.deepEqual(
    after.map(({ id: _, linked_line_id: __, ...row }) => row),
    before,
  )
  assert.deepEqual(
    after.map((row) => row.linked_line_id),
    [false, after[0]?.id, after[0]?.id],
  )
})

test('a share off is an exact decimal', async () => {
  const product_id = await product('Fan', 12)
  const id = await order({
    partner_id: await make('res.partner', { name: 'Sharer' }),
    order_line: [[0, 0, { product_id }]],
  })
  const wizard = await make('sale.order.discount', {
    sale_order_id: id,
    discount_type: 'so_discount',
    discount_percentage: 0.1,
  })
  await shop.ask('sale.order.discount/action_apply_discount', { ids: [wizard] })
  // In binary fractions it would be 1.2000000000000002.
  assert.deepEqual(
    (await linesOf(id, ['price_unit'])).map((row) => row.price_unit),
    [12, -1.2],
  )
})

test('a sum off leaves exactly what was asked, also where prices hold their taxes', async () => {
  const [net, gross] = await makeAll('account.tax', [
    { name: 'On top', amount: 7 },
    { name: 'Held', amount: 19, price_include_override: 'tax_included' },
  ])
  const partner_id = await make('res.partner', { name: 'Haggler' })
  for (const [tax, price, quantity] of [
    [gross, 33.33, 3],
    [net, 0.57, 7],
  ] as const) {
    const id = await order({
      partner_id,
      order_line: [
        [
          0,
          0,
          {
            product_id: await product('Piece', price, { taxes_id: [[6, 0, [tax]]] }),
            product_uom_qty: quantity,
          },
        ],
        [0, 0, { product_id: await product('Free of tax', 10) }],
      ],
    })
    const before = (await read('sale.order', id, ['amount_total'])).amount_total as number
    const wizard = await make('sale.order.discount', {
      sale_order_id: id,
      discount_type: 'amount',
      discount_amount: 5,
    })
    await shop.ask('sale.order.discount/action_apply_discount', { ids: [wizard] })
    assert.equal(
      (await read('sale.order', id, ['amount_total'])).amount_total,
      Number((before - 5).toFixed(2)),
    )
    const [discount] = (await linesOf(id, ['product_id', 'price_unit', 'name'])).filter(
      (row) => (row.price_unit as number) < 0,
    ) as [Row]
    // Its price was made for the order: a quantity does not turn it into the product's.
    await shop.ask('sale.order.line/write', { ids: [discount.id], vals: { product_uom_qty: 2 } })
    assert.equal(
      (await linesOf(id, ['price_unit'])).find((row) => row.id === discount.id)?.price_unit,
      discount.price_unit,
    )
  }
})

test('lines of a confirmed order do not leave it for another one', async () => {
  const partner_id = await make('res.partner', { name: 'Mover' })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id: await product('Piano', 900) }],
      [0, 0, { display_type: 'line_note', name: 'Heavy' }],
    ],
  })
  const [piano, note] = (await linesOf(id, ['name'])).map((row) => row.id) as [number, number]
  const other = await order({ partner_id })
  const move = (line: number, to: number) =>
    statusOf('admin', 'sale.order.line/write', { ids: [line], vals: { order_id: to } })
  assert.deepEqual([await move(piano, other), await move(piano, id)], [200, 200])
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  assert.equal(await move(piano, other), 422)
  assert.equal(
    await statusOf('admin', 'sale.order/write', { ids: [other], vals: { order_line: [[4, piano]] } }),
    422,
  )
  assert.equal(await move(note, other), 422)
  assert.equal((await read('sale.order', id, ['amount_untaxed'])).amount_untaxed, 900)
})

test('sale.order: lines of a cancelled order may change and be added, because it can be a quotation again', async () => {
  const product_id = await product('Stool', 30)
  const id = await order({
    partner_id: await make('res.partner', { name: 'Undecided' }),
    order_line: [[0, 0, { product_id, product_uom_qty: 2 }]],
  })
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await shop.ask('sale.order/action_cancel', { ids: [id] })
  const [line] = await linesOf(id, ['name'])
  await shop.ask('sale.order.line/write', { ids: [line?.id], vals: { product_uom_qty: 3 } })
  await shop.ask('sale.order.line/create', { vals_list: [{ order_id: id, product_id, price_unit: 10 }] })
  const { amount_untaxed, state } = await read('sale.order', id, ['amount_untaxed', 'state'])
  assert.deepEqual([amount_untaxed, state], [100, 'cancel'])
})

test('a product that was sold keeps its unit where others were used, and its company', async () => {
  const [unit, dozen, kilo] = await Promise.all(
    ['uom.product_uom_unit', 'uom.product_uom_dozen', 'uom.product_uom_kgm'].map((name) =>
      shop.run((env) => env.ref(name)),
    ),
  )
  const [nail, screw] = [await product('Nail', 3), await product('Screw', 5)]
  const partner_id = await make('res.partner', { name: 'Builder' })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id: nail, product_uom_qty: 4 }],
      [0, 0, { product_id: screw, product_uom_id: dozen, product_uom_qty: 2 }],
    ],
  })
  const set = (product: number, vals: object) =>
    statusOf('admin', 'product.product/write', { ids: [product], vals })
  assert.deepEqual([await set(screw, { uom_id: unit }), await set(screw, { uom_id: kilo })], [200, 422])
  assert.equal(await set(nail, { uom_id: kilo }), 200)
  const lines = await linesOf(id, ['product_uom_id', 'product_uom_qty', 'price_unit'])
  assert.deepEqual(lines[0], { id: lines[0]?.id, product_uom_id: kilo, product_uom_qty: 4, price_unit: 3 })
  const elsewhere = await make('res.company', { name: 'Ironmonger' })
  const branch = await make('res.company', { name: 'Branch of the first', parent_id: 1 })
  assert.deepEqual(
    [
      await set(nail, { company_id: elsewhere }),
      await set(nail, { company_id: branch }),
      await set(nail, { company_id: 1 }),
    ],
    [422, 422, 200],
  )
})

test('a price that is given with a line stands, whatever attribute values come along in the same call', async () => {
  const attribute = await make('product.attribute', { name: 'Engraving', create_variant: 'no_variant' })
  const values = await makeAll('product.attribute.value', [
    { name: 'None', attribute_id: attribute },
    { name: 'Name', attribute_id: attribute, is_custom: true },
  ])
  const template = await make('product.template', {
    name: 'Ring',
    list_price: 100,
    taxes_id: [[5]],
    attribute_line_ids: [[0, 0, { attribute_id: attribute, value_ids: [[6, 0, values]] }]],
  })
  const [none, name] = await shop.ask<number[]>('product.template.attribute.value/search', {
    domain: [['product_tmpl_id', '=', template]],
    order: 'id',
  })
  await shop.ask('product.template.attribute.value/write', { ids: [name], vals: { price_extra: 10 } })
  const [product_id] = await shop.ask<number[]>('product.product/search', {
    domain: [['product_tmpl_id', '=', template]],
  })
  const partner_id = await make('res.partner', { name: 'Engraved' })
  const engraved = {
    product_no_variant_attribute_value_ids: [[6, 0, [name]]],
    product_custom_attribute_value_ids: [
      [0, 0, { custom_product_template_attribute_value_id: name, custom_value: 'Ann' }],
    ],
  }
  const prices = (id: number) =>
    linesOf(id, ['price_unit']).then((lines) => lines.map((line) => line.price_unit))
  const createdOrders = await order({
    partner_id,
    order_line: [
      [0, 0, { product_id, ...engraved }],
      [0, 0, { product_id, price_unit: 100, ...engraved }],
      [0, 0, { product_id, price_unit: 7, ...engraved }],
      [0, 0, { product_id, price_unit: 0, ...engraved }],
    ],
  })
  assert.deepEqual(await prices(createdOrders), [110, 100, 7, 0])
  const plain = await order({ partner_id, order_line: [1, 2, 3].map(() => [0, 0, { product_id }]) })
  const [first, second, third] = (await linesOf(plain, [])).map(({ id }) => id as number)
  assert.deepEqual(await prices(plain), [100, 100, 100])
  await shop.ask('sale.order.line/write', { ids: [first], vals: { ...engraved, price_unit: 100 } })
  await shop.ask('sale.order.line/write', {
    ids: [second],
    vals: { price_unit: 55, product_no_variant_attribute_value_ids: [[6, 0, [name]]] },
  })
  await shop.ask('sale.order.line/write', {
    ids: [third],
    vals: { product_no_variant_attribute_value_ids: [[6, 0, [name]]] },
  })
  assert.deepEqual(await prices(plain), [100, 55, 110])
  await shop.ask('sale.order/write', {
    ids: [plain],
    vals: {
      order_line: [[1, third, { price_unit: 110, product_no_variant_attribute_value_ids: [[6, 0, [none]]] }]],
    },
  })
  assert.deepEqual(await prices(plain), [100, 55, 110])
})

test('quantities that change: a typed price stays and gets the discount of the rule, a line without a product has no price to stay', async () => {
  const settings = await make('res.config.settings', { group_discount_per_so_line: true })
  await shop.ask('res.config.settings/execute', { ids: [settings] })
  const list = {
    name: 'By the dozen',
    item_ids: [[0, 0, { compute_price: 'percentage', percent_price: 20, min_quantity: 12 }]],
  }
  const pricelist_id = await make('product.pricelist', list)
  const partner_id = await make('res.partner', { name: 'Many' })
  const product_id = await product('Tile', 5)
  const order_line = [
    [0, 0, { product_id, product_uom_qty: 1 }],
    [0, 0, { name: 'Typed with the line', product_uom_qty: 1, price_unit: 7 }],
    [0, 0, { name: 'Typed later', product_uom_qty: 1, price_unit: 7 }],
  ]
  const id = await order({ partner_id, pricelist_id, order_line })
  const lines = (await linesOf(id, ['id'])).map((line) => line.id as number)
  await shop.ask('sale.order.line/write', { ids: [lines[0], lines[2]], vals: { price_unit: 6 } })
  await shop.ask('sale.order.line/write', { ids: lines, vals: { product_uom_qty: 12 } })
  const now = await linesOf(id, ['price_unit', 'discount'])
  assert.deepEqual(
    now.map((row) => [row.price_unit, row.discount]),
    [
      [6, 20],
      [0, 0],
      [6, 0],
    ],
  )
})

test('taxes brought up to date: lines without a product lose theirs; the discount of every line is that of headings too', async () => {
  const partner_id = await make('res.partner', { name: 'Taxed' })
  const tax = await make('account.tax', { name: 'Typed tax', amount: 4 })
  const order_line = [
    [0, 0, { display_type: 'line_section', name: 'Heading' }],
    [0, 0, { name: 'Only a name', price_unit: 7, tax_ids: [[6, 0, [tax]]] }],
  ]
  const id = await order({ partner_id, order_line })
  await shop.ask('sale.order/action_update_taxes', { ids: [id] })
  const form = await make('sale.order.discount', {
    sale_order_id: id,
    discount_type: 'sol_discount',
    discount_percentage: 0.1,
  })
  await shop.ask('sale.order.discount/action_apply_discount', { ids: [form] })
  const now = await linesOf(id, ['tax_ids', 'discount'])
  assert.deepEqual(
    now.map((row) => [row.tax_ids, row.discount]),
    [
      [[], 10],
      [[], 10],
    ],
  )
})
