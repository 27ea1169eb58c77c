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
  const url = await shop.ask<string>('purchase.order/get_confirm_url', { ids: [id], confirm_type: 'decline' })
  assert.match(url, new RegExp(`^/my/purchase/${id}\\?access_token=[^&]+&confirm=decline$`))
  assert.equal(await shop.ask('purchase.order/get_order_timezone', { ids: [id] }), 'UTC')
})
