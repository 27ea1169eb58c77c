// Attempts by what comes with a call: defaults that privileged code would take over, companies of others,
// keys of a context that code passes to itself, and ids that are named twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { sql } from '../../src/sql/index.ts'
import { openTill, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till
let product = 0
before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_stock', 'purchase', 'purchase_stock'])
  product = await till.make('product.product', { name: 'Thing', is_storable: true, taxes_id: [[5]] })
})
after(() => till?.close())

const order = async () =>
  till.make('sale.order', {
    partner_id: await till.make('res.partner', { name: 'Somebody' }),
    order_line: [[0, 0, { product_id: product, product_uom_qty: 1, price_unit: 10 }]],
  })

async function synced(n: number, context = {}): Promise<number> {
  const orders = [till.order({ n, lines: [{ product, price: 10 }] })]
  const answer = await till.ask<{ 'pos.order': [{ id: number }] }>(
    'pos.order/sync_from_ui',
    { orders, context },
    'cashier',
  )
  return answer['pos.order'][0].id
}

async function actionOn(model: string, code: string): Promise<number> {
  const [model_id] = await till.ask<number[]>('ir.model/search', { domain: [['model', '=', model]] })
  return till.make('ir.actions.server', { name: 'Action', model_id, state: 'code', code })
}

test('contexts: defaults of a caller are no values of what an action creates without their rights', async () => {
  const id = await order()
  const context = {
    default_note: 'falsified',
    default_origin: 'falsified',
    default_description_picking: 'falsified',
    default_scheduled_date: '2001-01-01 00:00:00',
  }
  await till.ask('sale.order/action_confirm', { ids: [id], context })
  const { picking_ids } = await till.read('sale.order', id, ['picking_ids'])
  const [picking] = picking_ids as [number]
  const transfer = await till.read('stock.picking', picking, ['note', 'origin', 'scheduled_date', 'move_ids'])
  assert.equal(transfer.note, false)
  assert.doesNotMatch(JSON.stringify(transfer), /falsified|2001/)
  const sold = await synced(1, { default_general_customer_note: 'falsified', default_email: 'f@x' })
  const stored = await till.read('pos.order', sold, ['general_customer_note', 'email'])
  assert.doesNotMatch(JSON.stringify(stored), /falsified|f@x/)
})

test('contexts: neither a default nor a copy leads a line into a document that is closed', async () => {
  const line = { product_id: product, product_qty: 1, price_unit: 1 }
  const purchase = await till.make('purchase.order', { partner_id: 1, order_line: [[0, 0, line]] })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  await till.ask('purchase.order/button_lock', { ids: [purchase] })
  const lines = { vals_list: [line] }
  const context = { default_order_id: purchase }
  await assertRefused(till, 'admin', 'purchase.order.line/create', { ...lines, context })
  const { order_line } = await till.read('purchase.order', purchase, ['order_line'])
  await assertRefused(till, 'admin', 'purchase.order.line/copy', { ids: order_line })
  const preset = { model_name: 'purchase.order.line', field_name: 'order_id', value: purchase }
  await till.ask('ir.default/set', preset)
  await assertRefused(till, 'admin', 'purchase.order.line/create', lines)
})

test('contexts: privileged work of an action is for no company that the caller does not have', async () => {
  await till.run(async (env) => {
    const person = environmentOf(env.unit, { ...env.user, companyIds: [1] }, env.context)
    const caller = person.withContext({ allowed_company_ids: [2] })
    assert.throws(() => caller.sudo().withContext({ active_test: false }).companyIds, /invalid companies/)
    assert.deepEqual(person.sudo().withCompany(2).companyIds, [2, 1])
  })
})

test('contexts: keys that the server passes to itself are refused', async () => {
  const invoice = await till.make('account.move', {
    move_type: 'out_invoice',
    partner_id: 1,
    invoice_line_ids: [[0, 0, { price_unit: 5 }]],
  })
  for (const context of [{ 'server:keeps_orders': true }, { 'server:settle_variants_later': 1 }])
    await assertRefused(till, 'admin', 'account.move/copy', { ids: [invoice], context })
  await assertRefused(till, 'admin', 'account.move/web_read', {
    ids: [invoice],
    specification: { line_ids: { fields: { name: {} }, context: { 'server:keeps_orders': true } } },
  })
})

test('ids: an action is done once for a document that a call names twice', async () => {
  const thing = await till.make('product.product', { name: 'Counted', is_storable: true })
  const line = { product_id: thing, product_qty: 2, price_unit: 1 }
  const purchase = await till.make('purchase.order', { partner_id: 1, order_line: [[0, 0, line]] })
  await till.ask('purchase.order/button_confirm', { ids: [purchase, purchase] })
  const { picking_ids } = await till.read('purchase.order', purchase, ['picking_ids'])
  const [picking] = picking_ids as [number]
  await till.ask('stock.picking/button_validate', { ids: [picking, picking] })
  assert.equal((await till.read('product.product', thing, ['qty_available'])).qty_available, 2)
  await till.ask('purchase.order/action_create_invoice', { ids: [purchase, purchase] })
  const billed = { domain: [['purchase_line_id.order_id', '=', purchase]], fields: ['quantity'] }
  const lines = await till.ask<{ quantity: number }[]>('account.move.line/search_read', billed)
  assert.deepEqual(
    lines.map(({ quantity }) => quantity),
    [2],
  )
})

test('ids: a server action is done once for a document that active_ids name twice', async () => {
  const thing = await till.make('product.product', { name: 'Chosen', is_storable: true })
  const line = { product_id: thing, product_qty: 3, price_unit: 1 }
  const purchase = await till.make('purchase.order', { partner_id: 1, order_line: [[0, 0, line]] })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  const { picking_ids } = await till.read('purchase.order', purchase, ['picking_ids'])
  const [picking] = picking_ids as [number]
  const action = await actionOn('stock.picking', 'records.button_validate()')
  const context = { active_model: 'stock.picking', active_ids: [picking, picking] }
  await till.ask('ir.actions.server/run', { ids: [action], context })
  assert.equal((await till.read('product.product', thing, ['qty_available'])).qty_available, 3)
})

test('writes: JSON sent back to a closed document is no change, whatever the order of its members', async () => {
  const id = await order()
  const { order_line } = await till.read('sale.order', id, ['order_line'])
  const ids = order_line as number[]
  const stored = { discounts: [{ rate: 1, name: 'x' }], tax: 2 }
  await till.run((env) =>
    env.execute(sql`UPDATE sale_order_line SET extra_tax_data = ${JSON.stringify(stored)}::jsonb`),
  )
  const back = { tax: 2, discounts: [{ name: 'x', rate: 1 }] }
  await till.ask('sale.order.line/write', { ids, vals: { extra_tax_data: stored } })
  await till.ask('sale.order.line/write', { ids, vals: { extra_tax_data: back } })
  const vals = { extra_tax_data: { ...back, tax: 3 } }
  await assertRefused(till, 'admin', 'sale.order.line/write', { ids, vals })
})

test('server actions: values that the text of an action gives are judged', async () => {
  const id = await order()
  await till.ask('sale.order/action_confirm', { ids: [id] })
  const context = { active_model: 'sale.order', active_ids: [id] }
  const locking = await actionOn('sale.order', "records.write(vals={'locked': True})")
  await assertRefused(till, 'admin', 'ir.actions.server/run', { ids: [locking], context })
  const noting = await actionOn('sale.order', "records.write(vals={'note': 'agreed'})")
  await till.ask('ir.actions.server/run', { ids: [noting], context })
  const { locked, note } = await till.read('sale.order', id, ['locked', 'note'])
  assert.deepEqual([locked, note], [false, '<p>agreed</p>'])
})

test('defaults and copies: stored values that the server computes follow from others', async () => {
  const stranger = await till.make('res.partner', { name: 'Shop', is_company: true })
  const vals = { commercial_partner_id: stranger }
  const commercial = async (id: number) =>
    (await till.read('res.partner', id, ['commercial_partner_id'])).commercial_partner_id
  const context = { default_commercial_partner_id: stranger }
  const [named] = await till.ask<[number]>('res.partner/name_create', { name: 'Ann', context })
  assert.equal(await commercial(named), named)
  await assertRefused(till, 'admin', 'res.partner/copy', { ids: [named], default: vals })
  const lines = { child_ids: [[0, 0, { name: 'Bob', ...vals }]] }
  await assertRefused(till, 'admin', 'res.partner/copy', { ids: [named], default: lines })
  const kept = { model_name: 'res.partner', field_name: 'commercial_partner_id', value: stranger }
  await till.ask('ir.default/set', kept)
  const id = await till.make('res.partner', { name: 'Cid' })
  assert.equal(await commercial(id), id)
})
