// Further fields and methods of purchase orders: totals as printed, addresses for the vendor,
// duplicates.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'

let shop: Buying
before(async () => {
  shop = await openBuying()
})
after(() => shop?.close())

type Row = Record<string, unknown>
const read = async (id: number, fields: readonly string[]) =>
  (await shop.ask<Row[]>('purchase.order/read', { ids: [id], fields, load: null }))[0] as Row

test('purchase orders: show totals, duplicates by reference and addresses for the vendor', async () => {
  const tax = await shop.make('account.tax', { name: 'Eighth', amount: 8, type_tax_use: 'purchase' })
  const partner_id = await shop.make('res.partner', { name: 'Dyer' })
  const product_id = await shop.make('product.product', {
    name: 'Indigo',
    supplier_taxes_id: [[6, 0, [tax]]],
  })
  const vals = {
    partner_id,
    partner_ref: 'VR-9',
    order_line: [[0, 0, { product_id, product_qty: 5, price_unit: 11 }]],
  }
  const [id, twin] = [await shop.make('purchase.order', vals), await shop.make('purchase.order', vals)]
  const row = await read(id, ['tax_totals', 'duplicated_order_ids', 'lock_confirmed_po', 'acknowledged'])
  assert.equal((row.tax_totals as Row).total_amount, 59.4)
  assert.deepEqual(
    [row.duplicated_order_ids, row.lock_confirmed_po, row.acknowledged],
    [[twin], 'edit', false],
  )
  await shop.ask('purchase.order/button_confirm', { ids: [id] })
  await shop.ask('purchase.order/action_acknowledge', { ids: [id] })
  assert.equal((await read(id, ['acknowledged'])).acknowledged, true)
  const { company_id, message_ids: messages } = await read(id, ['company_id', 'message_ids'])
  const noted = await shop.ask<Row[]>('mail.tracking.value/search_read', {
    domain: [['mail_message_id', 'in', messages]],
    fields: ['old_value_char', 'new_value_char'],
  })
  assert.partialDeepStrictEqual(noted, [{ old_value_char: 'RFQ', new_value_char: 'Purchase Order' }])
  const posted = await shop.ask<number[]>('purchase.order/message_post', { ids: [id], body: 'Blue' })
  const [message] = await shop.ask<Row[]>('mail.message/read', {
    ids: posted,
    fields: ['record_company_id'],
    load: null,
  })
  assert.equal(message?.record_company_id, company_id)
  const url = await shop.ask<string>('purchase.order/get_confirm_url', { ids: [id], confirm_type: 'decline' })
  assert.match(url, new RegExp(`^/my/purchase/${id}\\?access_token=[^&]+&confirm=decline$`))
  assert.equal(await shop.ask('purchase.order/get_order_timezone', { ids: [id] }), 'UTC')
})

test('action_merge: requests of one vendor become one, others are refused', async () => {
  const partner_id = await shop.make('res.partner', { name: 'Weaver' })
  const [wool, silk] = [
    await shop.make('product.product', { name: 'Wool' }),
    await shop.make('product.product', { name: 'Silk' }),
  ]
  const request = (product_id: number, product_qty: number, more: object = {}) =>
    shop.make('purchase.order', {
      partner_id,
      order_line: [
        [0, 0, { product_id, product_qty, price_unit: 3, tax_ids: [], date_planned: '2030-01-05 10:00:00' }],
      ],
      ...more,
    })
  const ids = [
    await request(wool, 2, { origin: 'A' }),
    await request(wool, 5, { origin: 'B' }),
    await request(silk, 1, { partner_ref: 'V1' }),
  ]
  const alone = await request(wool, 1, { partner_id: await shop.make('res.partner', { name: 'Potter' }) })
  const call = (path: string, body: object) => shop.call('admin', path, body)
  assert.match(
    JSON.stringify((await call('purchase.order/action_merge', { ids: [ids[0], alone] })).body),
    /two requests at least of the same vendor/,
  )
  await shop.ask('purchase.order/action_merge', { ids })
  const rows = await Promise.all(
    ids.map((id) => read(id, ['state', 'origin', 'partner_ref', 'amount_total'])),
  )
  assert.deepEqual(
    rows.map((row) => [row.state, row.amount_total]),
    [
      ['draft', 24],
      ['cancel', 15],
      ['cancel', 3],
    ],
  )
  assert.deepEqual([rows[0]?.origin, rows[0]?.partner_ref], ['A, B', 'V1'])
  assert.match(
    JSON.stringify((await call('purchase.order/action_merge', { ids })).body),
    /confirmed or cancelled/,
  )
  const { all_to_send, my_to_send } = await shop.ask<Row>('purchase.order/retrieve_dashboard', {})
  assert.ok(Number(all_to_send) >= 2 && Number(my_to_send) <= Number(all_to_send))
})

test('purchase orders: a file becomes an order of the vendor in the context, and lines open the catalog', async () => {
  const partner_id = await shop.make('res.partner', { name: 'Smith' })
  const file = await shop.make('ir.attachment', { name: 'offer.txt', raw: 'Nails' })
  const body = { ids: [], attachment_ids: [file] }
  const refused = await shop.call('admin', 'purchase.order/create_document_from_attachment', body)
  assert.equal(refused.status, 422)
  const context = { default_partner_id: partner_id }
  const gone = await shop.call('admin', 'purchase.order/create_document_from_attachment', {
    ids: [],
    attachment_ids: [999_999],
    context,
  })
  assert.equal(gone.status, 404, JSON.stringify(gone.body))
  const { res_id } = await shop.ask<Row>('purchase.order/create_document_from_attachment', {
    ...body,
    context,
  })
  const [attachment] = await shop.ask<Row[]>('ir.attachment/read', {
    ids: [file],
    fields: ['res_model', 'res_id'],
  })
  assert.deepEqual([attachment?.res_model, attachment?.res_id], ['purchase.order', res_id])
  const catalog = await shop.ask<{ context: Row }>('purchase.order.line/action_add_from_catalog', {
    ids: [],
    context: { order_id: res_id },
  })
  assert.equal(catalog.context.product_catalog_order_id, res_id)
})
