// Reports about money, goods and tills that no other test holds: each result is reckoned by hand.
// Begins first: it takes 6 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWires, type Wires } from '../support/three-wires.ts'

type Row = Record<string, unknown>

let wires: Wires
let partner: number
let service: number
let goods: number
let taxes: readonly number[]

const ask = async <T = number[]>(path: string, body: object): Promise<T> => {
  const { result, error } = await wires.json2(path, body)
  assert.equal(error, undefined, `${path}: ${error?.message}`)
  return result as T
}
const make = async (model: string, vals: object) =>
  (await ask(`${model}/create`, { vals_list: [vals] }))[0] as number
const read = async (model: string, id: number, ...fields: string[]) =>
  (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row
const valuesOf = async (model: string, id: number, ...fields: string[]) => {
  const row = await read(model, id, ...fields)
  return fields.map((field) => row[field])
}
const first = async (model: string, domain: readonly unknown[] = []) =>
  (await ask(`${model}/search`, { domain, limit: 1 }))[0] as number

before(async () => {
  wires = await openWires()
  partner = await make('res.partner', { name: 'Somebody' })
  service = await make('product.product', { name: 'Hour', type: 'service', taxes_id: [[5]] })
  goods = await make('product.product', {
    name: 'Goods',
    is_storable: true,
    invoice_policy: 'delivery',
    taxes_id: [[5]],
  })
  taxes = await ask('account.tax/create', {
    vals_list: [
      { name: 'On top', amount: 21 },
      { name: 'Within', amount: 21, price_include_override: 'tax_included' },
    ],
  })
})
after(() => wires?.close())

async function count(product_id: number, inventory_quantity: number, location_id: unknown): Promise<void> {
  const vals_list = [{ product_id, location_id, inventory_quantity }]
  const ids = await ask('stock.quant/create', { vals_list, context: { inventory_mode: true } })
  await ask('stock.quant/action_apply_inventory', { ids })
}

async function currency(name: string, ...rates: readonly (readonly [day: string, rate: number])[]) {
  const id = await make('res.currency', { name, symbol: name })
  for (const [day, rate] of rates) await make('res.currency.rate', { currency_id: id, name: day, rate })
  return id
}

async function posted(vals: object, line: object = {}): Promise<number> {
  const invoice_line_ids = [[0, 0, { product_id: service, price_unit: 100, tax_ids: [[5]], ...line }]]
  const head = { move_type: 'out_invoice', partner_id: partner, invoice_date: '2026-03-10' }
  const id = await make('account.move', { ...head, ...vals, invoice_line_ids })
  await ask('account.move/action_post', { ids: [id] })
  return id
}

/** Pays as the form proposes, but for what is given. Answers what the form proposed. */
async function pay(id: number, vals: object = {}): Promise<unknown> {
  const context = { active_model: 'account.move', active_ids: [id] }
  const form = await makeOver('account.payment.register', vals, context)
  const { amount } = await read('account.payment.register', form, 'amount')
  await ask('account.payment.register/action_create_payments', { ids: [form], context })
  return amount
}
/** A form over what the context names. */
const makeOver = async (model: string, vals: object, context: object) =>
  (await ask(`${model}/create`, { vals_list: [vals], context }))[0] as number

const open = (id: number) => valuesOf('account.move', id, 'amount_residual', 'amount_residual_signed')

async function move(picking: number, quantity: number): Promise<void> {
  const id = await first('stock.move', [['picking_id', '=', picking]])
  await ask('stock.move/write', { ids: [id], vals: { quantity, picked: true } })
  await ask('stock.picking/button_validate', { ids: [picking], context: { skip_backorder: true } })
}

test('invoices: a credit note with a mixed early discount mirrors the invoice, with its terms', async () => {
  const invoice_payment_term_id = await make('account.payment.term', {
    name: 'Early',
    early_discount: true,
    discount_percentage: 10,
    discount_days: 10,
    early_pay_discount_computation: 'mixed',
    line_ids: [[0, 0, { value: 'percent', value_amount: 100, nb_days: 30 }]],
  })
  const id = await posted({ invoice_payment_term_id }, { price_unit: 1000, tax_ids: [[6, 0, [taxes[0]]]] })
  const { journal_id } = await read('account.move', id, 'journal_id')
  const context = { active_model: 'account.move', active_ids: [id] }
  const form = await makeOver('account.move.reversal', { journal_id }, context)
  const { res_id } = await ask<{ res_id: number }>('account.move.reversal/refund_moves', {
    ids: [form],
    context,
  })
  const figures = ['amount_untaxed', 'amount_tax', 'amount_total', 'invoice_payment_term_id'] as const
  assert.deepEqual(await valuesOf('account.move', id, ...figures), [1000, 189, 1189, invoice_payment_term_id])
  assert.deepEqual(await valuesOf('account.move', res_id, ...figures), [
    1000,
    189,
    1189,
    invoice_payment_term_id,
  ])
})

test('invoices: instalments are proposed one after the other, also after a reset to draft', async () => {
  const invoice_payment_term_id = await make('account.payment.term', {
    name: '30/70',
    line_ids: [30, 70].map((value_amount) => [
      0,
      0,
      { value: 'percent', value_amount, nb_days: value_amount },
    ]),
  })
  const id = await posted({ invoice_payment_term_id, invoice_date: '2026-11-28' }, { price_unit: 100.01 })
  await ask('account.move/button_draft', { ids: [id] })
  await ask('account.move/action_post', { ids: [id] })
  assert.deepEqual([await pay(id), await pay(id), await open(id)], [30, 70.01, [0, 0]])
})

test('account.payment.register: the form says which instalments it proposes, and switches to the whole', async () => {
  const invoice_payment_term_id = await make('account.payment.term', {
    name: '40/60',
    line_ids: [40, 60].map((value_amount) => [
      0,
      0,
      { value: 'percent', value_amount, nb_days: value_amount },
    ]),
  })
  const terms = { invoice_payment_term_id, invoice_date: '2026-10-01' }
  const id = await posted(terms, { price_unit: 100 })
  const context = { active_model: 'account.move', active_ids: [id] }
  const fields = ['amount', 'installments_mode', 'installments_switch_amount'] as const
  const shown = async (vals: object) =>
    valuesOf('account.payment.register', await makeOver('account.payment.register', vals, context), ...fields)
  const early = { payment_date: '2026-10-05' }
  assert.deepEqual(await shown(early), [40, 'next', 100])
  assert.deepEqual(await shown({ payment_date: '2026-11-20' }), [40, 'overdue', 100])
  assert.deepEqual(await shown({ ...early, amount: 100 }), [100, 'full', 40])
  assert.deepEqual(await shown({ ...early, installments_mode: 'full' }), [100, 'full', 40])
  const form = await makeOver('account.payment.register', early, context)
  await ask('account.payment.register/write', { ids: [form], vals: { installments_mode: 'full' } })
  assert.deepEqual(await valuesOf('account.payment.register', form, ...fields), [100, 'full', 40])

  const whole = await posted({ invoice_date: '2026-10-01' }, { price_unit: 50 })
  const other = await makeOver(
    'account.payment.register',
    { amount: 20 },
    { ...context, active_ids: [whole] },
  )
  assert.deepEqual(await valuesOf('account.payment.register', other, ...fields), [20, 'full', 0])
})

test('invoices: an exchange difference is dated at the end of the month, and is removed with its cancelled payment', async () => {
  const currency_id = await currency('RPA', ['2026-03-01', 2], ['2026-03-20', 1.6])
  const id = await posted({ currency_id })
  await pay(id, { payment_date: '2026-03-25' })
  assert.deepEqual(await open(id), [0, 0])
  const booked = await ask<Row[]>('account.move/search_read', {
    domain: [
      ['journal_id.code', '=', 'EXCH'],
      ['line_ids.currency_id', '=', currency_id],
    ],
    fields: ['date'],
  })
  assert.deepEqual(
    booked.map(({ date }) => date),
    ['2026-03-31'],
  )
  const payment = await first('account.payment', [['currency_id', '=', currency_id]])
  await ask('account.payment/action_draft', { ids: [payment] })
  await ask('account.payment/action_cancel', { ids: [payment] })
  assert.deepEqual(await open(id), [100, 50])
})

test('sales: the amount left to invoice excludes the included tax and the discount', async () => {
  const line = {
    product_id: service,
    product_uom_qty: 3,
    price_unit: 121,
    discount: 10,
    tax_ids: [[6, 0, [taxes[1]]]],
  }
  const id = await make('sale.order', { partner_id: partner, order_line: [[0, 0, line]] })
  await ask('sale.order/action_confirm', { ids: [id] })
  const figures = ['price_subtotal', 'untaxed_amount_to_invoice', 'amount_to_invoice']
  const rows = await ask<Row[]>('sale.order.line/search_read', {
    domain: [['order_id', '=', id]],
    fields: figures,
  })
  assert.deepEqual(
    figures.map((field) => rows[0]?.[field]),
    [270, 270, 326.7],
  )
})

test('purchases: returned goods are to be billed until the refund exists', async () => {
  const product_id = await make('product.product', {
    name: 'Back',
    is_storable: true,
    purchase_method: 'receive',
  })
  const line = { product_id, product_qty: 10, price_unit: 7.77, tax_ids: [[5]] }
  const id = await make('purchase.order', { partner_id: partner, order_line: [[0, 0, line]] })
  await ask('purchase.order/button_confirm', { ids: [id] })
  const picking = await first('stock.picking', [['purchase_id', '=', id]])
  await move(picking, 10)
  const bill = async () => {
    await ask('purchase.order/action_create_invoice', { ids: [id] })
    const domain = [
      ['state', '=', 'draft'],
      ['line_ids.purchase_line_id.order_id', '=', id],
    ]
    const ids = await ask('account.move/search', { domain })
    await ask('account.move/write', { ids, vals: { invoice_date: '2026-11-11' } })
    await ask('account.move/action_post', { ids })
    return valuesOf('account.move', ids[0] as number, 'move_type', 'amount_total')
  }
  const status = async () => (await valuesOf('purchase.order', id, 'invoice_status'))[0]
  assert.deepEqual([await bill(), await status()], [['in_invoice', 77.7], 'invoiced'])
  const form = await make('stock.return.picking', { picking_id: picking })
  const back = await first('stock.return.picking.line', [['wizard_id', '=', form]])
  await ask('stock.return.picking.line/write', { ids: [back], vals: { quantity: 4 } })
  const { res_id } = await ask<{ res_id: number }>('stock.return.picking/action_create_returns', {
    ids: [form],
  })
  await ask('stock.picking/button_validate', { ids: [res_id] })
  assert.equal(await status(), 'to invoice')
  assert.deepEqual([await bill(), await status()], [['in_refund', 31.08], 'invoiced'])
})

test('stock: a receipt is ready with any quantity, reserved or not', async () => {
  const picking_type_id = await first('stock.picking.type', [['code', '=', 'incoming']])
  const move_ids = [[0, 0, { product_id: goods, product_uom_qty: 5 }]]
  const id = await make('stock.picking', { picking_type_id, move_ids })
  const state = async () => (await valuesOf('stock.picking', id, 'state'))[0]
  await ask('stock.picking/action_confirm', { ids: [id] })
  const states = [await state()]
  const line = await first('stock.move', [['picking_id', '=', id]])
  await ask('stock.move/write', { ids: [line], vals: { quantity: 2 } })
  states.push(await state())
  await ask('stock.picking/do_unreserve', { ids: [id] })
  states.push(await state())
  assert.deepEqual(states, ['assigned', 'assigned', 'assigned'])
})

test('stock: each step of a three-step delivery continues with the quantity of the step before', async () => {
  const house = await make('stock.warehouse', { name: 'Three', code: 'TH', delivery_steps: 'pick_pack_ship' })
  const { lot_stock_id } = await read('stock.warehouse', house, 'lot_stock_id')
  await count(goods, 10, lot_stock_id)
  const order_line = [[0, 0, { product_id: goods, product_uom_qty: 6, price_unit: 1 }]]
  const id = await make('sale.order', { partner_id: partner, warehouse_id: house, order_line })
  await ask('sale.order/action_confirm', { ids: [id] })
  const ready = () =>
    ask('stock.picking/search', {
      domain: [
        ['sale_id', '=', id],
        ['state', '=', 'assigned'],
      ],
      order: 'id',
    })
  const steps: number[] = []
  for (let left = await ready(); left.length > 0; left = await ready()) {
    steps.push(left.length)
    const last = left.at(-1) as number
    const [line] = await ask<Row[]>('stock.move/search_read', {
      domain: [['picking_id', '=', last]],
      fields: ['product_uom_qty'],
    })
    await move(last, Math.ceil((line?.product_uom_qty as number) / 2))
    assert.ok(steps.length < 40, 'the steps come to an end')
  }
  const [line] = await ask<Row[]>('sale.order.line/search_read', {
    domain: [['order_id', '=', id]],
    fields: ['qty_delivered', 'qty_to_invoice'],
  })
  assert.deepEqual([line?.qty_delivered, line?.qty_to_invoice], [6, 6])
  const rows = await ask<Row[]>('stock.quant/search_read', {
    domain: [
      ['product_id', '=', goods],
      ['location_id.warehouse_id', '=', house],
      ['quantity', '!=', 0],
    ],
    fields: ['quantity', 'reserved_quantity'],
  })
  assert.deepEqual(
    rows.map((row) => [row.quantity, row.reserved_quantity]),
    [[4, 0]],
  )
})
