// Attempts by many roles, one call each: cashiers, sellers, buyers, bookkeepers, people of the warehouse and
// of Access Rights. Each is refused in words, and all of them together change nothing.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'
import { type Row, type Till, tillOver } from '../support/till.ts'
import { standingOf } from './attempts.ts'

const people = {
  cashier: ['point_of_sale.group_pos_user'],
  boss: ['point_of_sale.group_pos_manager'],
  biller: ['account.group_account_invoice'],
  clerk: [],
  seller: ['sales_team.group_sale_salesman'],
  buyer: ['purchase.group_purchase_user'],
  stocker: ['stock.group_stock_user'],
  keeper: ['stock.group_stock_manager'],
  granter: ['base.group_erp_manager'],
} as const

type Role = keyof typeof people
type Attempt = readonly [person: Role, path: string, body: Row]

let office: Office<Role>
let till: Till
before(async () => {
  const names = ['base', 'mail', 'uom', 'product', 'account', 'stock', 'point_of_sale']
  const more = ['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock', 'pos_sale']
  office = await openOffice([...names, ...more], people)
  till = await tillOver(office)
})
after(() => office?.close())

const first = async (model: string, domain: readonly unknown[] = []) =>
  (await till.ask<number[]>(`${model}/search`, { domain, limit: 1 }))[0] as number
const write = (person: Role, model: string, id: number, ...list: readonly Row[]): Attempt[] =>
  list.map((vals) => [person, `${model}/write`, { ids: [id], vals }])
const create = (person: Role, model: string, vals: Row): Attempt => [
  person,
  `${model}/create`,
  { vals_list: [vals] },
]

async function atTills(product: number): Promise<Attempt[]> {
  const { body } = await till.sync([till.order({ n: 1, lines: [{ product, price: 10 }] })])
  const [{ id }] = (body as { 'pos.order': [{ id: number }] })['pos.order']
  const { session, config, card } = till
  const boss = await first('res.users', [['login', '=', 'boss']])
  const drawer = (amount: unknown, _type = 'in') => ({
    ...{ ids: [session], _type, amount, reason: 'x', extras: {} },
  })
  return [
    ...write('cashier', 'pos.order', id, { uuid: 'x' }, { is_tipped: true, tip_amount: 5 }),
    ...write('cashier', 'product.product', product, { list_price: 1 }),
    ...write('boss', 'pos.payment.method', card, { split_transactions: true }, { active: false }),
    ...write('boss', 'pos.config', config, { active: false }, { payment_method_ids: [[3, card]] }),
    ['cashier', 'pos.order/action_pos_order_cancel', { ids: [id] }],
    ['cashier', 'pos.order/add_payment', { ids: [id], data: { amount: -5, payment_method_id: card } }],
    ['cashier', 'pos.session/try_cash_in_out', drawer(-100)],
    ['cashier', 'pos.session/try_cash_in_out', drawer('NaN')],
    ['cashier', 'pos.session/try_cash_in_out', drawer(5, 'both')],
    ['cashier', 'pos.session/post_closing_cash_details', { ids: [session], counted_cash: 1e308 }],
    ['cashier', 'pos.session/delete_opening_control_session', { ids: [session] }],
    ['cashier', 'res.users/set_pos_pin', { ids: [boss], pin: '834512' }],
    create('cashier', 'pos.approval', { config_id: config, kind: 'refund' }),
    ['clerk', 'pos.order/action_pos_order_invoice', { ids: [id] }],
  ]
}

async function ofOrders(product: number, partner_id: number): Promise<Attempt[]> {
  const line = { product_id: product, product_uom_qty: 5 }
  const sale = await till.make('sale.order', { partner_id, order_line: [[0, 0, line]] })
  await till.ask('sale.order/action_confirm', { ids: [sale] })
  const bought = { product_id: product, product_qty: 5, price_unit: 1 }
  const purchase = await till.make('purchase.order', { partner_id, order_line: [[0, 0, bought]] })
  await till.ask('purchase.order/button_confirm', { ids: [purchase] })
  const bill = { advance_payment_method: 'delivered', sale_order_ids: [[6, 0, [sale]]] }
  const [pricelist_id, company] = [await first('product.pricelist'), await first('res.company')]
  return [
    ...write('seller', 'sale.order', sale, { note: 'x' }, { user_id: 1 }),
    ['seller', 'sale.order/action_cancel', { ids: [sale] }],
    create('seller', 'sale.advance.payment.inv', bill),
    create('seller', 'product.pricelist.item', { pricelist_id, compute_price: 'fixed', fixed_price: 0.01 }),
    ...write('seller', 'res.partner', partner_id, { credit_limit: 1e9 }),
    ...write('buyer', 'purchase.order', purchase, { date_approve: '2020-01-01 00:00:00' }),
    ...write('buyer', 'purchase.order', purchase, { partner_id: 1 }, { invoice_status: 'invoiced' }),
    ...write('buyer', 'res.company', company, { po_double_validation_amount: 1e9 }),
    ...write('buyer', 'product.product', product, { standard_price: 0 }),
    create('buyer', 'purchase.order', { partner_id, state: 'purchase' }),
    create('buyer', 'res.partner.bank', { partner_id, acc_number: 'X1' }),
    create('biller', 'res.partner.bank', { partner_id, acc_number: 'X1' }),
  ]
}

async function ofBooks(product: number, partner_id: number): Promise<Attempt[]> {
  const lines = [[0, 0, { product_id: product, quantity: 1, price_unit: 10 }]]
  const dated = { move_type: 'out_invoice', invoice_date: '2026-05-05', invoice_line_ids: lines }
  const invoice = await till.make('account.move', { partner_id, ...dated })
  await till.ask('account.move/action_post', { ids: [invoice] })
  const payment = { partner_id, amount: 5, payment_type: 'outbound', partner_type: 'supplier' }
  const paid = await till.make('account.payment', payment)
  await till.ask('account.payment/action_post', { ids: [paid] })
  const tax = await first('account.tax')
  const print = { name: 'x.pdf', raw: 'x', res_model: 'account.move', res_id: invoice, sealed: true }
  return [
    ...write('biller', 'account.move', invoice, { reversed_entry_id: invoice }),
    ...write('biller', 'account.move', invoice, { invoice_partner_display_name: 'x' }),
    ...write('biller', 'account.payment', paid, { partner_id: 1 }, { payment_type: 'inbound' }),
    ...write('biller', 'account.payment', paid, { state: 'draft' }, { is_reconciled: true }),
    ...write('biller', 'account.tax', tax, { amount: 99 }),
    ['biller', 'account.move/action_switch_move_type', { ids: [invoice] }],
    ['biller', 'account.move/copy', { ids: [invoice], default: { posted_before: true } }],
    create('biller', 'account.payment', { ...payment, amount: -5 }),
    create('biller', 'account.payment', { ...payment, state: 'paid' }),
    create('biller', 'account.payment', { ...payment, move_id: invoice }),
    create('biller', 'ir.attachment', print),
    create('biller', 'res.currency.rate', { currency_id: 2, rate: 99, name: '2020-01-01' }),
  ]
}

async function ofGoods(product: number): Promise<Attempt[]> {
  const place = await first('stock.location', [['usage', '=', 'internal']])
  const lost = await first('stock.location', [['usage', '=', 'inventory']])
  const count = { product_id: product, location_id: place }
  const quant = await till.make('stock.quant', { ...count, inventory_quantity: 5 })
  await till.ask('stock.quant/action_apply_inventory', { ids: [quant] })
  const moved = { product_id: product, product_uom_qty: 1, location_id: place, location_dest_id: lost }
  return [
    create('stocker', 'stock.quant', { ...count, quantity: 500 }),
    create('stocker', 'stock.scrap', { product_id: product, scrap_qty: -5, scrap_location_id: lost }),
    ...write('stocker', 'stock.quant', quant, { inventory_quantity_auto_apply: 99 }),
    ...write('keeper', 'stock.quant', quant, { quantity: 99 }, { reserved_quantity: -5 }),
    ...write('keeper', 'stock.quant', quant, { in_date: '2020-01-01 00:00:00' }, { location_id: lost }),
    ...write('stocker', 'stock.location', place, { usage: 'inventory' }),
    create('keeper', 'stock.move', { ...moved, state: 'done' }),
  ]
}

async function ofAccess(): Promise<Attempt[]> {
  const [admin, boss, ownUser] = [
    await first('res.users', [['login', '=', 'admin']]),
    await first('res.users', [['login', '=', 'boss']]),
    await first('res.users', [['login', '=', 'granter']]),
  ]
  const { partner_id } = await till.read('res.users', admin, ['partner_id'])
  const managers = await till.run((env) => env.ref('point_of_sale.group_pos_manager'))
  return [
    ...write('granter', 'res.users', ownUser, { group_ids: [[4, managers]] }, { partner_id }),
    ...write('granter', 'res.users', boss, { new_password: 'correct horse battery' }, { login: 'x' }),
    ...write('granter', 'res.users', admin, { active: false }, { group_ids: [[5]] }),
    ['granter', 'res.users/copy', { ids: [boss], default: { login: 'boss2' } }],
    ['granter', 'res.users/make_pos_badge', { ids: [boss] }],
    ['granter', 'res.users/reset_second_factor', { ids: [boss] }],
    ...write('granter', 'res.company', 1, { hard_lock_date: '2199-01-01' }),
    create('granter', 'ir.actions.server', { name: 'x', model_id: 1, state: 'code', code: 'x' }),
    create('granter', 'ir.rule', { name: 'x', model_id: 1, domain_force: '[]' }),
    create('granter', 'comptoir.audit', { event: 'x' }),
  ]
}

test('roles: calls that many roles try are rejected with a message, without any change', async () => {
  const product = await till.make('product.product', {
    ...{ name: 'Thing', is_storable: true, available_in_pos: true, taxes_id: [[5]], list_price: 10 },
  })
  const partner_id = await till.make('res.partner', { name: 'Somebody' })
  const attempts = [
    ...(await atTills(product)),
    ...(await ofOrders(product, partner_id)),
    ...(await ofBooks(product, partner_id)),
    ...(await ofGoods(product)),
    ...(await ofAccess()),
  ]
  assert.ok(attempts.length > 60)
  const was = await standingOf(till)
  for (const [person, path, body] of attempts) {
    const { status, body: answer } = await office.call(person, path, body)
    const words = `${person} ${path} ${JSON.stringify(body)}: ${status} ${JSON.stringify(answer).slice(0, 200)}`
    assert.ok(status === 403 || status === 422, words)
  }
  assert.equal(await standingOf(till), was)
})
