// Invoices of many orders: as many statements for a hundred as for ten; cancelling takes drafts along; a copy
// is no invoice of the order.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ordering, type Row } from '../../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../../test/support/selling.ts'
import { statementsOf } from '../../../../test/support/statements.ts'

let shop: Selling
let product: number
before(async () => {
  shop = await openSelling()
  product = await make('product.product', { name: 'Hour', type: 'service', list_price: 10 })
})
after(() => shop?.close())

const { make, makeAll } = ordering(() => shop)

async function confirmed(count: number): Promise<number[]> {
  const partners = await makeAll(
    'res.partner',
    Array.from({ length: count }, (_, n) => ({ name: `Customer ${n}` })),
  )
  const order_line = [[0, 0, { product_id: product, product_uom_qty: 2 }]]
  const ids = await makeAll(
    'sale.order',
    partners.map((partner_id) => ({ partner_id, order_line })),
  )
  await shop.ask('sale.order/action_confirm', { ids })
  return ids
}

async function invoice(ids: readonly number[]): Promise<void> {
  const form = await make('sale.advance.payment.inv', { sale_order_ids: [[6, 0, ids]] })
  await shop.ask('sale.advance.payment.inv/create_invoices', { ids: [form] })
}

test('invoices for 100 orders take as many statements as for 10', async () => {
  await invoice(await confirmed(1))
  const counts: number[] = []
  for (const count of [10, 100]) {
    const ids = await confirmed(count)
    counts.push((await statementsOf(() => invoice(ids))).length)
    const orders = await shop.ask<Row[]>('sale.order/read', {
      ids,
      fields: ['invoice_status', 'invoice_count'],
    })
    assert.ok(orders.every((order) => order.invoice_status === 'invoiced' && order.invoice_count === 1))
  }
  assert.ok((counts[1] as number) <= (counts[0] as number) + 2, `${counts}`)
})

test('a cancelled order takes the drafts of its invoices along; a copy of an invoice is for no order', async () => {
  const [id] = await confirmed(1)
  await invoice([id as number])
  const [order] = await shop.ask<Row[]>('sale.order/read', { ids: [id], fields: ['invoice_ids'] })
  const [invoiceId] = (order?.invoice_ids ?? []) as number[]
  await shop.ask('account.move/copy', { ids: [invoiceId] })
  await shop.ask('sale.order/action_cancel', { ids: [id] })
  const [now] = await shop.ask<Row[]>('sale.order/read', { ids: [id], fields: ['invoice_ids'] })
  assert.deepEqual(now?.invoice_ids, [invoiceId])
  assert.equal(
    (await shop.ask<Row[]>('account.move/read', { ids: [invoiceId], fields: ['state'] }))[0]?.state,
    'cancel',
  )
})

test('credit limits: a quotation beyond the limit of its customer shows a warning, and can be confirmed', async () => {
  const customer = await make('res.partner', { name: 'Limited', credit_limit: 100 })
  const [small, large] = await makeAll(
    'sale.order',
    [2, 20].map((product_uom_qty) => ({
      partner_id: customer,
      order_line: [[0, 0, { product_id: product, product_uom_qty, tax_ids: [[5]] }]],
    })),
  )
  const warnings = async () =>
    (
      await shop.ask<Row[]>('sale.order/read', { ids: [small, large], fields: ['partner_credit_warning'] })
    ).map((row) => row.partner_credit_warning)
  assert.deepEqual(await warnings(), ['', ''])
  await shop.run(async (env) =>
    env.model('res.company').browse([env.companyId]).write({ account_use_credit_limit: true }),
  )
  const [within, beyond] = await warnings()
  assert.equal(within, '')
  assert.match(String(beyond), /Limited has a credit limit of .*100\.00.* would owe .*200\.00/)
  await shop.ask('sale.order/action_confirm', { ids: [large] })
  assert.deepEqual(await warnings(), ['', ''])
})

test('sale.report: counts quantities in the unit of the product, for users who may see the orders', async () => {
  const dozen = await make('uom.uom', {
    name: 'Shift',
    relative_factor: 12,
    relative_uom_id: (
      await shop.ask<Row[]>('product.product/read', { ids: [product], fields: ['uom_id'], load: null })
    )[0]?.uom_id,
  })
  const [partner_id] = await makeAll('res.partner', [{ name: 'Analysed' }])
  const order_line = [
    [0, 0, { product_id: product, product_uom_qty: 2 }],
    [0, 0, { product_id: product, product_uom_qty: 1, product_uom_id: dozen, price_unit: 100, discount: 10 }],
    [0, 0, { display_type: 'line_note', name: 'Not counted' }],
  ]
  const [id] = await makeAll('sale.order', [{ partner_id, order_line }])
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  await invoice([id as number])
  const groups = await shop.ask<Row[]>('sale.report/formatted_read_group', {
    domain: [['partner_id', '=', partner_id]],
    groupby: ['state'],
    aggregates: [
      'product_uom_qty:sum',
      'price_subtotal:sum',
      'qty_invoiced:sum',
      'discount_amount:sum',
      'nbr:sum',
    ],
  })
  assert.deepEqual(
    groups.map((row) => [
      row.state,
      row['product_uom_qty:sum'],
      row['price_subtotal:sum'],
      row['qty_invoiced:sum'],
      row['discount_amount:sum'],
      row['nbr:sum'],
    ]),
    [['sale', 14, 110, 14, 10, 2]],
  )
})

test("deposits are booked on the company's account of deposits, and taken off it again", async () => {
  const [company] = await shop.ask<number[]>('res.company/search', { domain: [], limit: 1 })
  const account = await make('account.account', {
    name: 'Deposits',
    code: '2600',
    account_type: 'liability_current',
  })
  const set = (downpayment_account_id: number | false) =>
    shop.ask('res.company/write', { ids: [company], vals: { downpayment_account_id } })
  await set(account)
  try {
    const ids = await confirmed(1)
    const form = await make('sale.advance.payment.inv', {
      sale_order_ids: [[6, 0, ids]],
      advance_payment_method: 'percentage',
      amount: 50,
    })
    await shop.ask('sale.advance.payment.inv/create_invoices', { ids: [form] })
    await invoice(ids)
    const booked = await shop.ask<Row[]>('account.move.line/search_read', {
      domain: [
        ['account_id', '=', account],
        ['display_type', '=', 'product'],
      ],
      fields: ['quantity', 'price_unit'],
      order: 'id',
    })
    assert.deepEqual(
      booked.map(({ quantity, price_unit }) => [quantity, price_unit]),
      [
        [1, 10],
        [-1, 10],
      ],
    )
  } finally {
    await set(false)
  }
})
