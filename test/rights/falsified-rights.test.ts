// Attempts by users whose rights to a model are there for the actions that write it: what they write
// themselves is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'
import { type Row, type Till, tillOver } from '../support/till.ts'

const people = {
  cashier: ['point_of_sale.group_pos_user'],
  boss: ['point_of_sale.group_pos_manager'],
  biller: ['account.group_account_invoice'],
  clerk: [],
  seller: ['sales_team.group_sale_salesman_all_leads'],
  buyer: ['purchase.group_purchase_user'],
  stocker: ['stock.group_stock_user'],
  keeper: ['stock.group_stock_manager'],
  granter: ['base.group_erp_manager'],
  maker: ['stock.group_stock_user', 'product.group_product_manager'],
} as const

type Role = keyof typeof people

let office: Office<Role>
let till: Till
let product = 0
let partner = 0
before(async () => {
  const names = ['base', 'mail', 'uom', 'product', 'account', 'stock', 'point_of_sale', 'stock_account']
  office = await openOffice([...names, 'sale_stock', 'purchase_stock', 'pos_sale'], people)
  till = await tillOver(office)
  product = await till.make('product.product', { name: 'Thing', is_storable: true, taxes_id: [[5]] })
  partner = await till.make('res.partner', { name: 'Somebody' })
})
after(() => office?.close())

const first = async (model: string, domain: readonly unknown[] = []) =>
  (await till.ask<number[]>(`${model}/search`, { domain, limit: 1 }))[0] as number

const status = async (person: Role | 'admin', path: string, body: object) =>
  (await office.call(person, path, body)).status

async function assertOnly(
  allowed: Role,
  refused: readonly Role[],
  model: string,
  id: number,
  vals: Row,
): Promise<void> {
  const path = `${model}/write`
  const names = Object.keys(vals)
  const stored = async () => JSON.stringify(await till.read(model, id, names))
  const was = await stored()
  for (const person of refused) {
    const answer = await office.call(person, path, { ids: [id], vals })
    assert.equal(answer.status, 403, `${person} ${path} ${names}: ${JSON.stringify(answer.body)}`)
    assert.equal(await stored(), was)
  }
  const answer = await office.call(allowed, path, { ids: [id], vals })
  assert.equal(answer.status, 200, `${allowed} ${path} ${names}: ${JSON.stringify(answer.body)}`)
}

test('rights for actions: quantities of done moves are corrected by stock users alone', async () => {
  const lines = [[0, 0, { product_id: product, product_qty: 10, price_unit: 5 }]]
  const order = await till.make('purchase.order', { partner_id: partner, order_line: lines })
  await till.ask('purchase.order/button_confirm', { ids: [order] })
  const {
    picking_ids: [picking],
  } = (await till.read('purchase.order', order, ['picking_ids'])) as { picking_ids: [number] }
  const { move_ids, move_line_ids } = (await till.read('stock.picking', picking, [
    'move_ids',
    'move_line_ids',
  ])) as { move_ids: [number]; move_line_ids: [number] }
  const others = ['clerk', 'biller', 'cashier', 'seller', 'buyer'] as const
  await assertOnly('stocker', others, 'stock.move.line', move_line_ids[0], { quantity: 9 })
  const added = { picking_id: picking, move_id: move_ids[0], product_id: product, quantity: 2 }
  assert.equal(await status('clerk', 'stock.move.line/create', { vals_list: [added] }), 403)
  assert.equal(await status('clerk', 'stock.move.line/unlink', { ids: move_line_ids }), 403)
  await till.ask('stock.move.line/write', { ids: move_line_ids, vals: { quantity: 10 } })
  await till.ask('stock.picking/button_validate', { ids: [picking] })
  await assertOnly('stocker', others, 'stock.move.line', move_line_ids[0], { quantity: 50 })
  await assertOnly('stocker', others, 'stock.move', move_ids[0], { quantity: 12 })
  const command = { move_line_ids: [[1, move_line_ids[0], { quantity: 70 }]] }
  assert.equal(await status('buyer', 'stock.move/write', { ids: move_ids, vals: command }), 403)
})

test('rights for actions: orders are written by those who sell or buy', async () => {
  const sold = [[0, 0, { product_id: product, product_uom_qty: 3 }]]
  const sale = await till.make('sale.order', { partner_id: partner, order_line: sold })
  await till.ask('sale.order/action_confirm', { ids: [sale] })
  const line = await first('sale.order.line', [['order_id', '=', sale]])
  const others = ['biller', 'stocker', 'keeper', 'boss'] as const
  await assertOnly('seller', others, 'sale.order.line', line, { price_unit: 1 })
  await assertOnly('seller', others, 'sale.order', sale, { client_order_ref: 'x' })
  const bought = [[0, 0, { product_id: product, product_qty: 10, price_unit: 5 }]]
  const purchase = await till.make('purchase.order', { partner_id: partner, order_line: bought })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  const item = await first('purchase.order.line', [['order_id', '=', purchase]])
  await assertOnly('buyer', ['biller'], 'purchase.order.line', item, { price_unit: 99 })
  await assertOnly('buyer', ['biller'], 'purchase.order', purchase, { partner_ref: 'x' })
})

test('rights for actions: journals and their methods of payment are set up by accountants', async () => {
  const journal = await first('account.journal', [['type', '=', 'sale']])
  const account = await first('account.account')
  for (const vals of [{ active: false }, { default_account_id: account }, { code: 'HCK' }])
    assert.equal(await status('keeper', 'account.journal/write', { ids: [journal], vals }), 403)
  const method = await first('account.payment.method.line')
  for (const vals of [{ payment_account_id: account }, { journal_id: journal }, { name: 'x' }])
    assert.equal(await status('biller', 'account.payment.method.line/write', { ids: [method], vals }), 403)
})

test('rights for actions: record rules of a group are set by administrators', async () => {
  const group = await till.run((env) => env.ref('base.group_erp_manager'))
  const rule = await first('ir.rule', [['model_id.model', '=', 'sale.order']])
  const write = (command: unknown[]) =>
    status('granter', 'res.groups/write', { ids: [group], vals: { rule_groups: [command] } })
  assert.equal(await write([4, rule]), 403)
  assert.equal(await write([5]), 403)
  const vals = { name: 'All orders', rule_groups: [[4, rule]] }
  assert.equal(await status('granter', 'res.groups/create', { vals_list: [vals] }), 403)
  assert.equal(await status('granter', 'res.groups/create', { vals_list: [{ name: 'Plain' }] }), 200)
  assert.equal(await status('admin', 'res.groups/write', { ids: [group], vals: { rule_groups: [[5]] } }), 200)
})

test('rights for actions: who buys enters a bill, and users of invoicing post it', async () => {
  const bill = { move_type: 'in_invoice', partner_id: partner, invoice_date: '2026-05-05' }
  const lines = [[0, 0, { product_id: product, quantity: 1, price_unit: 10 }]]
  const id = await till.make('account.move', { ...bill, invoice_line_ids: lines }, 'buyer' as 'boss')
  assert.equal(await status('buyer', 'account.move/action_post', { ids: [id] }), 403)
  assert.equal(await status('biller', 'account.move/action_post', { ids: [id] }), 200)
})

test('rights: the cost of a lot is written by those who write the cost of products', async () => {
  const lot = await till.make('stock.lot', { name: 'L1', product_id: product })
  const cost = { standard_price: 5 }
  await assertOnly('maker', ['stocker', 'keeper'], 'stock.lot', lot, cost)
  await assertOnly('maker', ['stocker', 'keeper'], 'product.product', product, cost)
  const costly = { vals_list: [{ name: 'L2', product_id: product, ...cost }] }
  assert.equal(await status('stocker', 'stock.lot/create', costly), 403)
  const commands = { ids: [lot], vals: { name: 'L1a', ref: 'R', note: '<p>N</p>' } }
  assert.equal(await status('stocker', 'stock.lot/write', commands), 200)
  const defaults = { context: { default_standard_price: 7 } }
  const plain = { vals_list: [{ name: 'L3', product_id: product }], ...defaults }
  assert.equal(await status('stocker', 'stock.lot/create', plain), 403)
  assert.equal(await status('stocker', 'stock.lot/copy', { ids: [lot], default: { name: 'L4' } }), 200)
})
