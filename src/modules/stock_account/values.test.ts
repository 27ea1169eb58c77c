// Values of goods, over a real server: bought at prices of vendors, sold, counted, returned, revalued;
// now and at a date; and by their bills.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Buying, openBuying } from '../../../test/support/buying.ts'
import { statementsOf } from '../../../test/support/statements.ts'

let shop: Buying
let places: {
  readonly stock: number
  readonly customers: number
  readonly suppliers: number
  readonly out: number
  readonly incoming: number
}
before(async () => {
  shop = await openBuying(['stock', 'stock_account', 'purchase_stock'])
  places = await shop.run(async (env) => ({
    stock: await env.ref('stock.stock_location_stock'),
    customers: await env.ref('stock.stock_location_customers'),
    suppliers: await env.ref('stock.stock_location_suppliers'),
    out: await env.ref('stock.picking_type_out'),
    incoming: await env.ref('stock.picking_type_in'),
  }))
})
after(() => shop?.close())

type Row = Record<string, unknown> & { readonly id: number }
const lines = (...all: readonly object[]) => all.map((vals) => [0, 0, vals])
const category = (method: string, valuation = 'periodic') =>
  shop.make('product.category', {
    name: `${method} ${valuation}`,
    property_cost_method: method,
    property_valuation: valuation,
  })
const goods = async (method: string, valuation?: string, more: object = {}) =>
  shop.make('product.product', {
    name: `Of ${method}`,
    is_storable: true,
    categ_id: await category(method, valuation),
    supplier_taxes_id: [[5]],
    ...more,
  })
const worth = async (product: number, context: object = {}) => {
  const [row] = await shop.ask<Row[]>('product.product/read', {
    ids: [product],
    fields: ['total_value', 'standard_price', 'qty_available'],
    context,
  })
  return [row?.qty_available, row?.total_value, Number(Number(row?.standard_price).toFixed(4))]
}

/** Buys and receives so much at a price. */
async function buy(product_id: number, product_qty: number, price_unit: number): Promise<number> {
  const partner_id = await shop.make('res.partner', { name: 'Vendor' })
  const order = await shop.make('purchase.order', {
    partner_id,
    order_line: lines({ product_id, product_qty, price_unit }),
  })
  await shop.ask('purchase.order/button_confirm', { ids: [order] })
  const { picking_ids } = await shop.read('purchase.order', order, ['picking_ids'])
  await shop.ask('stock.picking/button_validate', { ids: picking_ids })
  return (picking_ids as [number])[0]
}

/** Sends goods to a customer, whatever is there. */
async function send(product_id: number, quantity: number): Promise<number> {
  const move = {
    product_id,
    product_uom_qty: quantity,
    quantity,
    location_id: places.stock,
    location_dest_id: places.customers,
  }
  const picking = await shop.make('stock.picking', {
    picking_type_id: places.out,
    location_id: places.stock,
    location_dest_id: places.customers,
    move_ids: lines(move),
  })
  await shop.ask('stock.picking/button_validate', { ids: [picking] })
  return picking
}

const worthOfMove = async (picking: number) =>
  (
    await shop.ask<Row[]>('stock.move/search_read', {
      domain: [['picking_id', '=', picking]],
      fields: ['value'],
    })
  )[0]?.value

test('goods at average cost are valued at the average', async () => {
  const product = await goods('average')
  await buy(product, 10, 2)
  await buy(product, 10, 4)
  assert.deepEqual(await worth(product), [20, 60, 3])
  assert.equal(await worthOfMove(await send(product, 5)), 15)
  assert.deepEqual(await worth(product), [15, 45, 3])
  assert.deepEqual(await worth(product, { to_date: '2020-01-01' }), [0, 0, 3])
})

test('goods at FIFO cost leave at the oldest value', async () => {
  const product = await goods('fifo')
  await buy(product, 10, 2)
  await buy(product, 10, 4)
  assert.equal(await worthOfMove(await send(product, 12)), 28)
  assert.deepEqual(await worth(product), [8, 32, 4])
})

const moveOf = async (picking: number) =>
  (
    await shop.ask<Row[]>('stock.move/search_read', {
      domain: [['picking_id', '=', picking]],
      fields: ['id'],
    })
  )[0]?.id as number
const setValue = (move: number, value_manual: number) =>
  shop.ask('stock.move/write', { ids: [move], vals: { value_manual } })

test('corrected value of a receipt: the average cost follows, and the correction is written down', async () => {
  const product = await goods('average')
  const [first] = [await buy(product, 10, 2), await buy(product, 10, 4)]
  await setValue(await moveOf(first), 40)
  assert.deepEqual(await worth(product), [20, 80, 4])
  const [correction] = await shop.ask<Row[]>('product.value/search_read', {
    domain: [['product_id', '=', product]],
    fields: ['move_id', 'value', 'user_id', 'description'],
  })
  assert.deepEqual((correction?.move_id as unknown[])?.slice(0, 1), [await moveOf(first)])
  assert.equal(correction?.value, 40)
  assert.equal(correction?.description, 'The value was 20 before.')
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [20, 80, 4])
  // The value that is there already is no correction.
  await setValue(await moveOf(first), 40)
  assert.equal(await shop.ask('product.value/search_count', { domain: [['product_id', '=', product]] }), 1)
})

test('corrected value of a FIFO receipt: what remains of it is worth its share, what left stays', async () => {
  const product = await goods('fifo')
  const first = await buy(product, 10, 2)
  assert.equal(await worthOfMove(await send(product, 4)), 8)
  await setValue(await moveOf(first), 50)
  assert.deepEqual(await worth(product), [6, 30, 5])
  assert.equal(await worthOfMove(await send(product, 2)), 10)
})

test('corrected value of a receipt stands above the bill that comes later', async () => {
  const product = await goods('average')
  const picking = await buy(product, 10, 2)
  await setValue(await moveOf(picking), 60)
  const [order] = await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['picking_ids', 'in', [picking]]],
    fields: ['id'],
  })
  await shop.ask('purchase.order/action_create_invoice', { ids: [order?.id] })
  const { invoice_ids } = await shop.read('purchase.order', order?.id as number, ['invoice_ids'])
  await shop.ask('account.move/write', { ids: invoice_ids, vals: { invoice_date: '2026-01-05' } })
  const [line] = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', 'in', invoice_ids],
      ['product_id', '=', product],
    ],
    fields: ['id'],
  })
  await shop.ask('account.move/write', {
    ids: invoice_ids,
    vals: { invoice_line_ids: [[1, line?.id, { price_unit: 3 }]] },
  })
  await shop.ask('account.move/action_post', { ids: invoice_ids })
  assert.deepEqual(await worth(product), [10, 60, 6])
})

test('corrected values are refused for deliveries, below zero, without a move, and for whom may not', async () => {
  const product = await goods('average')
  const received = await moveOf(await buy(product, 10, 2))
  const sent = await moveOf(await send(product, 4))
  await assert.rejects(setValue(sent, 1), /Only the value of goods that were received can be corrected/)
  await assert.rejects(setValue(received, -1), /The value of goods is 0 or more/)
  await assert.rejects(
    shop.ask('product.value/create', { vals_list: [{ move_id: received, value: 1e300 }] }),
    /The value of goods is 0 or more/,
  )
  await assert.rejects(setValue(received, 1e12), /amounts of less than/)
  const correct = (vals: object) => shop.ask('product.value/create', { vals_list: [vals] })
  await assert.rejects(
    correct({ product_id: product, value: 3 }),
    /Choose the receipt whose value is corrected/,
  )
  await assert.rejects(correct({ move_id: received, value: 3, delta: 1 }), /delta|Change of Value/)
  await correct({ move_id: received, value: 30 })
  assert.deepEqual(await worth(product), [6, 18, 3])
})

test('corrected values: defaults of the context are checked, and copies take nothing that the server set', async () => {
  const product = await goods('average')
  const received = await moveOf(await buy(product, 10, 2))
  const correct = (vals: object, context: object = {}) =>
    shop.ask('product.value/create', { vals_list: [vals], context })
  await assert.rejects(
    correct({ move_id: received }, { default_value: -5 }),
    /The value of goods is 0 or more/,
  )
  await assert.rejects(correct({ move_id: 999_999, value: 3 }), /404 /)
  await correct({ move_id: received }, { default_value: 40 })
  assert.deepEqual(await worth(product), [10, 40, 4])
  await shop.ask('product.product/write', { ids: [product], vals: { standard_price: 50 } })
  const [change] = await shop.ask<number[]>('product.value/search', {
    domain: [
      ['product_id', '=', product],
      ['move_id', '=', false],
    ],
  })
  const ids = await shop.ask<number[]>('product.value/copy', {
    ids: [change],
    default: { move_id: received, value: 60 },
  })
  const copy = await shop.read('product.value', ids[0] as number, ['delta', 'description'])
  assert.deepEqual([copy.delta, copy.description], [0, 'The value was 40 before.'])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), await worth(product))
})

test('at a fixed cost; a cost that somebody sets is worth it from then on, and written down', async () => {
  const product = await goods('standard', 'periodic', { standard_price: 5 })
  await buy(product, 4, 9)
  assert.deepEqual(await worth(product), [4, 20, 5])
  await shop.ask('product.product/write', { ids: [product], vals: { standard_price: 7 } })
  assert.deepEqual(await worth(product), [4, 28, 7])
  const [change] = await shop.ask<Row[]>('product.value/search_read', {
    domain: [['product_id', '=', product]],
    fields: ['value', 'delta'],
  })
  assert.deepEqual([change?.value, change?.delta], [7, 8])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [4, 28, 7])
})

test('goods that leave before they come, counts, and returns of customers', async () => {
  const product = await goods('average', 'periodic', { standard_price: 2 })
  await send(product, 4)
  assert.deepEqual(await worth(product), [-4, -8, 2])
  await buy(product, 10, 3)
  assert.deepEqual(await worth(product), [6, 18, 3])
  const quant = await shop.ask<number[]>('stock.quant/create', {
    vals_list: [{ product_id: product, location_id: places.stock, inventory_quantity: 8 }],
    context: { inventory_mode: true },
  })
  await shop.ask('stock.quant/action_apply_inventory', { ids: quant })
  assert.deepEqual(await worth(product), [8, 24, 3])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [8, 24, 3])
})

test('what is valued perpetually is bought on the account that holds its value; moves book nothing', async () => {
  const product = await goods('fifo', 'real_time')
  await buy(product, 10, 2)
  await send(product, 4)
  const items = (domain: readonly unknown[]) =>
    shop.ask<Row[]>('account.move.line/search_read', {
      domain: [['product_id', '=', product], ...domain],
      fields: ['account_id', 'balance'],
      load: null,
    })
  assert.deepEqual(await items([]), [])
  const [order] = await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['order_line.product_id', '=', product]],
    fields: ['id'],
  })
  await shop.ask('purchase.order/action_create_invoice', { ids: [order?.id] })
  const valuation = await shop.run(async (env) => {
    const [company] = await (await env.model('res.company').search([], { limit: 1 })).load([
      'account_stock_valuation_id',
    ])
    return company?.account_stock_valuation_id?.id
  })
  assert.deepEqual(
    (await items([])).map((item) => [item.account_id, item.balance]),
    [[valuation, 20]],
  )
})

test('goods are worth what the order says until a bill is posted; then what the bill says, as far as it goes', async () => {
  const product = await goods('average')
  const picking = await buy(product, 10, 2)
  const [order] = (await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['order_line.product_id', '=', product]],
    fields: ['order_line'],
  })) as [Row]
  await shop.ask('purchase.order.line/write', { ids: order.order_line, vals: { price_unit: 3 } })
  assert.deepEqual([await worthOfMove(picking), await worth(product)], [30, [10, 30, 3]])
  await send(product, 5)
  const { res_id } = await shop.ask<{ res_id: number }>('purchase.order/action_create_invoice', {
    ids: [order.id],
  })
  const [item] = await shop.ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', res_id],
      ['display_type', '=', 'product'],
    ],
    fields: ['id'],
  })
  await shop.ask('account.move/write', {
    ids: [res_id],
    vals: { invoice_date: '2026-01-05', invoice_line_ids: [[1, item?.id, { quantity: 4, price_unit: 4 }]] },
  })
  await shop.ask('account.move/action_post', { ids: [res_id] })
  // Four as billed, six as ordered: 34 for ten, and five of them are left.
  assert.deepEqual([await worthOfMove(picking), await worth(product)], [34, [5, 17, 3.4]])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [5, 17, 3.4])
})

const quantityOf = (move: number, quantity: number) =>
  shop.ask('stock.move/write', { ids: [move], vals: { quantity } })
const figuresOf = async (move: number) => {
  const row = await shop.read('stock.move', move, [
    'quantity',
    'valued_qty',
    'value',
    'remaining_qty',
    'remaining_value',
  ])
  return [row.quantity, row.valued_qty, row.value, row.remaining_qty, row.remaining_value]
}

test('corrected quantity of a receipt: it is worth its price for each, and so is what left after it', async () => {
  for (const [method, rest, sent, standing] of [
    ['standard', 0, 16, [46, 184, 4]],
    ['average', 0, 20, [46, 230, 5]],
    ['fifo', 46, 20, [46, 230, 5]],
  ] as const) {
    const product = await goods(method, 'periodic', { standard_price: 4 })
    const received = await moveOf(await buy(product, 10, 5))
    const left = await moveOf(await send(product, 4))
    await quantityOf(received, 50)
    assert.deepEqual(await figuresOf(received), [50, 50, 250, rest, rest * 5], method)
    assert.deepEqual(await figuresOf(left), [4, 4, sent, 0, 0], method)
    assert.deepEqual(await worth(product), standing, method)
    assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [46, ...standing.slice(1)], method)
    await quantityOf(left, 40)
    assert.deepEqual(
      [await worthOf(left), (await worth(product)).slice(0, 2)],
      [sent * 10, [10, method === 'standard' ? 40 : 50]],
    )
    await quantityOf(left, 0)
    await quantityOf(received, 0)
    assert.deepEqual(
      [await figuresOf(received), (await worth(product)).slice(0, 2)],
      [
        [0, 0, 0, 0, 0],
        [0, 0],
      ],
    )
  }
})
const worthOf = async (move: number) => (await shop.read('stock.move', move, ['value'])).value

test('corrected quantity: what left later, and what of it came back, are worth what they would be', async () => {
  const product = await goods('average')
  const first = await buy(product, 10, 2)
  await buy(product, 10, 4)
  const sent = await moveOf(await send(product, 10))
  const back = await shop.make('stock.picking', {
    picking_type_id: places.incoming,
    location_id: places.customers,
    location_dest_id: places.stock,
    move_ids: lines({
      product_id: product,
      product_uom_qty: 5,
      quantity: 5,
      picked: true,
      location_id: places.customers,
      location_dest_id: places.stock,
      origin_returned_move_id: sent,
    }),
  })
  await shop.ask('stock.picking/button_validate', { ids: [back] })
  assert.deepEqual(
    [await worthOf(sent), await worthOfMove(back), await worth(product)],
    [30, 15, [15, 45, 3]],
  )
  // 30 at 2 and 10 at 4 are 2.50 each.
  const { move_line_ids } = await shop.read('stock.picking', first, ['move_line_ids'])
  const [line] = move_line_ids as number[]
  await shop.ask('stock.picking/write', {
    ids: [first],
    vals: { move_line_ids: [[1, line, { quantity: 30 }]] },
  })
  assert.deepEqual(
    [await worthOf(sent), await worthOfMove(back), await worth(product)],
    [25, 12.5, [35, 87.5, 2.5]],
  )
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [35, 87.5, 2.5])
})

test('corrected quantity: the bill is for what came first, and a value that somebody set stays', async () => {
  const product = await goods('average')
  const first = await moveOf(await buy(product, 10, 5))
  const [order] = (await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['order_line.product_id', '=', product]],
    fields: ['order_line'],
  })) as [Row]
  await shop.ask('purchase.order.line/write', { ids: order.order_line, vals: { product_qty: 20 } })
  const { picking_ids } = await shop.read('purchase.order', order.id, ['picking_ids'])
  const open = (picking_ids as number[]).at(-1) as number
  await shop.ask('stock.picking/button_validate', { ids: [open] })
  const second = await moveOf(open)
  const { res_id } = await shop.ask<{ res_id: number }>('purchase.order/action_create_invoice', {
    ids: [order.id],
  })
  const [item] = await shop.ask<number[]>('account.move.line/search', {
    domain: [
      ['move_id', '=', res_id],
      ['display_type', '=', 'product'],
    ],
  })
  await shop.ask('account.move/write', {
    ids: [res_id],
    vals: { invoice_date: '2026-01-05', invoice_line_ids: [[1, item, { quantity: 10, price_unit: 6 }]] },
  })
  await shop.ask('account.move/action_post', { ids: [res_id] })
  assert.deepEqual([await worthOf(first), await worthOf(second)], [60, 50])
  await quantityOf(first, 4)
  assert.deepEqual(
    [await worthOf(first), await worthOf(second), await worth(product)],
    [24, 56, [14, 80, 5.7143]],
  )
  await setValue(first, 30)
  await quantityOf(first, 6)
  assert.deepEqual(
    [await worthOf(first), await worthOf(second), await worth(product)],
    [30, 54, [16, 84, 5.25]],
  )
})

test('corrected quantity: what left before its receipt was billed keeps its price, in proportion', async () => {
  const product = await goods('average')
  const picking = await buy(product, 10, 2)
  const sent = await moveOf(await send(product, 5))
  const [order] = (await shop.ask<Row[]>('purchase.order/search_read', {
    domain: [['picking_ids', 'in', [picking]]],
    fields: ['order_line'],
  })) as [Row]
  await shop.ask('purchase.order.line/write', { ids: order.order_line, vals: { price_unit: 4 } })
  assert.deepEqual([await worthOf(sent), await worth(product)], [10, [5, 20, 4]])
  await quantityOf(sent, 6)
  assert.deepEqual([await worthOf(sent), await worth(product)], [12, [4, 16, 4]])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [4, 16, 4])
  await quantityOf(sent, 0)
  assert.deepEqual([await worthOf(sent), await worth(product)], [0, [10, 40, 4]])
  assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), [10, 40, 4])
})

test('corrected quantity of goods that are not kept in stock, in another unit', async () => {
  const product = await goods('average', 'periodic', { is_storable: false, standard_price: 3 })
  const dozen = await shop.run((env) => env.ref('uom.product_uom_dozen'))
  const partner_id = await shop.make('res.partner', { name: 'Vendor' })
  const purchase = await shop.make('purchase.order', {
    partner_id,
    order_line: lines({ product_id: product, product_qty: 2, product_uom_id: dozen, price_unit: 24 }),
  })
  await shop.ask('purchase.order/button_confirm', { ids: [purchase] })
  const { picking_ids } = await shop.read('purchase.order', purchase, ['picking_ids'])
  await shop.ask('stock.picking/button_validate', { ids: picking_ids })
  const move = await moveOf((picking_ids as [number])[0])
  assert.deepEqual(await figuresOf(move), [24, 24, 48, 0, 0])
  await quantityOf(move, 36)
  assert.deepEqual((await figuresOf(move)).slice(0, 3), [36, 36, 72])
  assert.deepEqual(await worth(product), [0, 0, 3])
  await shop.ask('product.product/write', { ids: [product], vals: { standard_price: 7 } })
  await quantityOf(move, 24)
  assert.deepEqual(await worth(product), [0, 0, 7])
  assert.deepEqual((await worth(product, { to_date: '2100-01-01' }))[1], 0)
})

test('a bill that is a draft again, or cancelled, says nothing of what its goods are worth', async () => {
  for (const method of ['average', 'fifo']) {
    const product = await goods(method)
    const picking = await buy(product, 10, 5)
    const [order] = await shop.ask<number[]>('purchase.order/search', {
      domain: [['picking_ids', 'in', [picking]]],
    })
    const { res_id } = await shop.ask<{ res_id: number }>('purchase.order/action_create_invoice', {
      ids: [order],
    })
    const priceOf = async (price_unit: number) => {
      const { invoice_line_ids } = await shop.read('account.move', res_id, ['invoice_line_ids'])
      const [line] = invoice_line_ids as number[]
      const vals = { invoice_date: '2026-01-05', invoice_line_ids: [[1, line, { price_unit }]] }
      await shop.ask('account.move/write', { ids: [res_id], vals })
    }
    const after = async (step: string) => {
      await shop.ask(`account.move/${step}`, { ids: [res_id] })
      return [await worthOfMove(picking), ...(await worth(product))]
    }
    await priceOf(6)
    assert.deepEqual(await after('action_post'), [60, 10, 60, 6], method)
    assert.deepEqual(await after('button_draft'), [50, 10, 50, 5], method)
    await priceOf(7)
    assert.deepEqual(await after('action_post'), [70, 10, 70, 7], method)
    assert.deepEqual(await after('button_cancel'), [50, 10, 50, 5], method)
  }
})

test('another costing method: goods on hand keep their worth, and leave first where goods leave in order', async () => {
  for (const [from, to, standing, more, rest] of [
    ['average', 'fifo', 120, [25, 165, 6.6], [5, 45, 9]],
    ['standard', 'fifo', 80, [25, 125, 5], [5, 45, 9]],
    ['fifo', 'average', 120, [25, 165, 6.6], [5, 33, 6.6]],
    ['fifo', 'standard', 120, [25, 150, 6], [5, 30, 6]],
    ['standard', 'average', 80, [25, 125, 5], [5, 25, 5]],
  ] as const) {
    const product = await goods(from, 'periodic', { standard_price: 4 })
    await buy(product, 10, 5)
    await buy(product, 10, 7)
    const method = async (property_cost_method: string) => {
      const { categ_id } = await shop.read('product.product', product, ['categ_id'])
      await shop.ask('product.category/write', { ids: [categ_id], vals: { property_cost_method } })
    }
    await method(to)
    assert.equal((await worth(product))[1], standing, `${from} ${to}`)
    await buy(product, 5, 9)
    assert.deepEqual(await worth(product), more, `${from} ${to}`)
    await send(product, 20)
    assert.deepEqual(await worth(product), rest, `${from} ${to}`)
    assert.deepEqual(await worth(product, { to_date: '2100-01-01' }), rest, `${from} ${to}`)
    // Receipts of the earlier time in order are no layers of the later one.
    await method('average')
    await send(product, 2)
    await method('fifo')
    await send(product, 1)
    const each = rest[1] / rest[0]
    assert.deepEqual((await worth(product)).slice(0, 2), [2, each * 2], `${from} ${to}`)
  }
})

test('valuing a transfer takes as many statements for 60 products as for 24; values of many products take few', async () => {
  const counts: number[] = []
  const reads: number[] = []
  // Related records are read in the same statement for few products and for many.
  for (const count of [2, 24, 60]) {
    const categ_id = await category('fifo', 'real_time')
    const products = await shop.makeAll(
      'product.product',
      Array.from({ length: count }, (_, n) => ({
        name: `P ${n}`,
        is_storable: true,
        categ_id,
        standard_price: 3,
      })),
    )
    const picking = await shop.make('stock.picking', {
      picking_type_id: places.incoming,
      location_id: places.suppliers,
      location_dest_id: places.stock,
      move_ids: lines(
        ...products.map((product_id) => ({
          product_id,
          product_uom_qty: 2,
          location_id: places.suppliers,
          location_dest_id: places.stock,
        })),
      ),
    })
    await shop.ask('stock.picking/action_confirm', { ids: [picking] })
    counts.push(
      (await statementsOf(() => shop.ask('stock.picking/button_validate', { ids: [picking] }))).length,
    )
    const read = await statementsOf(() =>
      shop.ask('product.product/read', { ids: products, fields: ['total_value', 'avg_cost'] }),
    )
    reads.push(read.length)
  }
  assert.ok((counts[2] as number) <= (counts[1] as number) + 3, `${counts}`)
  assert.ok((reads[2] as number) <= Math.min(10, reads[1] as number), `${reads}`)
})

test('two receipts at once: the average knows both', async () => {
  const product = await goods('average')
  await Promise.all([buy(product, 10, 2), buy(product, 10, 4), buy(product, 10, 6)])
  assert.deepEqual(await worth(product), [30, 120, 4])
})
