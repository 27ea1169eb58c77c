// What clients read and open of orders beside their amounts: totals as printed, warnings, sections, the
// customer's page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering } from '../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../test/support/selling.ts'

let shop: Selling
before(async () => {
  shop = await openSelling()
})
after(() => shop?.close())

const { make, order, read } = ordering(() => shop)

test('orders: totals by group of taxes, warnings and sections follow from their lines', async () => {
  const tax = await make('account.tax', { name: 'Tenth', amount: 10 })
  const partner_id = await make('res.partner', { name: 'Theatre', sale_warn_msg: 'Pays late' })
  const product_id = await make('product.product', {
    name: 'Curtain',
    list_price: 1,
    taxes_id: [[6, 0, [tax]]],
    sale_line_warn_msg: 'Fragile',
  })
  const id = await order({
    partner_id,
    order_line: [
      [0, 0, { display_type: 'line_section', name: 'Stage' }],
      [0, 0, { product_id, product_uom_qty: 3, price_unit: 110, discount: 5, is_optional: true }],
    ],
  })
  const row = await read('sale.order', id, ['tax_totals', 'sale_warning_text', 'access_url', 'order_line'])
  const { subtotals, total_amount } = row.tax_totals as {
    total_amount: number
    subtotals: { tax_groups: { involved_tax_ids: number[]; tax_amount: number }[] }[]
  }
  assert.equal(total_amount, 344.85)
  assert.deepEqual(
    subtotals.map(({ tax_groups: groups }) => groups.map((one) => [one.involved_tax_ids, one.tax_amount])),
    [[[[tax], 31.35]]],
  )
  assert.equal(row.sale_warning_text, 'Theatre - Pays late\nCurtain - Fragile')
  assert.equal(row.access_url, `/my/orders/${id}`)
  const [section, line] = row.order_line as number[]
  assert.deepEqual(await shop.ask('sale.order.line/get_parent_section_line', { ids: [line] }), [section])
  const facts = await read('sale.order.line', line as number, ['is_optional', 'is_product_archived'])
  assert.deepEqual([facts.is_optional, facts.is_product_archived], [true, false])
})
