// Quantities and demands that people type, counts and scrap: what is reserved, what is done, and what changes
// nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { imbalances } from '../../../test/stock/competition.ts'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Row = Record<string, unknown>

const RUNS = Number(process.env.COMPTOIR_TEST_TYPED ?? 4)

let shop: Office<never>
let stock: number
let incoming: number
let outgoing: number
let units: readonly (readonly [id: number, factor: number])[]
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product', 'stock'], {})
  await shop.run(async (env) => {
    stock = await env.ref('stock.stock_location_stock')
    incoming = await env.ref('stock.picking_type_in')
    outgoing = await env.ref('stock.picking_type_out')
    units = [
      [await env.ref('uom.product_uom_unit'), 1],
      [await env.ref('uom.product_uom_pack_6'), 6],
      [await env.ref('uom.product_uom_dozen'), 12],
    ]
  })
})
after(() => shop?.close())

async function ask<T = unknown>(path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call('admin', path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: [vals] }))[0] as number
const goods = () => make('product.product', { name: 'Typed', is_storable: true })

async function note(product_id: number, inventory_quantity: number): Promise<number[]> {
  return ask<number[]>('stock.quant/create', {
    vals_list: [{ product_id, location_id: stock, inventory_quantity }],
    context: { inventory_mode: true },
  })
}
const apply = (ids: readonly number[]) => ask('stock.quant/action_apply_inventory', { ids })

async function transfer(picking_type_id: number, move: object): Promise<{ picking: number; move: number }> {
  const picking = await make('stock.picking', { picking_type_id, move_ids: [[0, 0, move]] })
  const [id] = await ask<number[]>('stock.move/search', { domain: [['picking_id', '=', picking]] })
  return { picking, move: id as number }
}
const moveOf = async (id: number) =>
  (
    await ask<Row[]>('stock.move/read', { ids: [id], fields: ['state', 'quantity', 'product_uom_qty'] })
  )[0] as { state: string; quantity: number; product_uom_qty: number }
const movesOf = (product: number) =>
  ask<Row[]>('stock.move/search_read', {
    domain: [['product_id', '=', product]],
    fields: ['quantity', 'state', 'is_inventory'],
    order: 'id',
  })

test('a lowered demand keeps the reservation of the rest, and what is typed is what is done', () =>
  fc.assert(
    fc.asyncProperty(
      fc.record({
        held: fc.integer({ min: 0, max: 3000 }),
        unit: fc.integer({ min: 0, max: 2 }),
        demand: fc.integer({ min: 1, max: 20 }),
        lowered: fc.integer({ min: 1, max: 20 }),
        typed: fc.integer({ min: 1, max: 2000 }),
      }),
      async ({ held, unit, demand, lowered, typed }) => {
        const product_id = await goods()
        await apply(await note(product_id, held / 100))
        const [product_uom] = units[unit] as [number, number]
        const { picking, move } = await transfer(outgoing, {
          product_id,
          product_uom,
          product_uom_qty: demand,
        })
        await ask('stock.picking/action_confirm', { ids: [picking] })
        const reserved = await moveOf(move)
        assert.ok(reserved.quantity <= demand)
        assert.deepEqual(await imbalances(shop), [])
        await ask('stock.move/write', { ids: [move], vals: { product_uom_qty: lowered } })
        if (lowered < demand) {
          const { quantity, state } = await moveOf(move)
          const rest = Math.min(reserved.quantity, lowered)
          assert.ok(Math.abs(quantity - rest) <= 0.01, `${quantity} of ${rest}`)
          if (quantity >= lowered) assert.equal(state, 'assigned')
        }
        assert.deepEqual(await imbalances(shop), [])
        await ask('stock.move/write', { ids: [move], vals: { quantity: typed / 100, picked: true } })
        await ask('stock.picking/button_validate', { ids: [picking], context: { skip_backorder: true } })
        assert.deepEqual([(await moveOf(move)).quantity, (await moveOf(move)).state], [typed / 100, 'done'])
        assert.deepEqual(await imbalances(shop), [])
      },
    ),
    { numRuns: RUNS },
  ))

test('quantities typed on a draft receipt survive its confirmation', async () => {
  const product_id = await goods()
  const { picking, move } = await transfer(incoming, { product_id, product_uom_qty: 5 })
  await ask('stock.move/write', { ids: [move], vals: { quantity: 2, picked: true } })
  await ask('stock.picking/button_validate', { ids: [picking], context: { skip_backorder: true } })
  assert.deepEqual(
    (await movesOf(product_id)).map((move) => [move.quantity, move.state]),
    [
      [2, 'done'],
      [3, 'assigned'],
    ],
  )
})

test('inventory: applying a count that was not entered, or that was applied before, changes nothing', async () => {
  // Kept on purpose where the recorded system differs: to apply a row without a count would empty the
  // place, and a second click would repeat a difference.
  const product_id = await goods()
  const ids = await note(product_id, 7)
  await apply(ids)
  await apply(ids)
  await apply(ids)
  const rows = await ask<Row[]>('stock.quant/read', { ids, fields: ['quantity'] })
  assert.equal(rows[0]?.quantity, 7)
  assert.equal((await movesOf(product_id)).length, 1)
})

test('a count that finds what is known leaves a done move of nothing', async () => {
  const product_id = await goods()
  await apply(await note(product_id, 0))
  assert.deepEqual(
    (await movesOf(product_id)).map((move) => [move.quantity, move.state, move.is_inventory]),
    [[0, 'done', true]],
  )
})

test('goods that are scrapped under a reservation in packs leave no more reserved than held', async () => {
  const product_id = await goods()
  await apply(await note(product_id, 7))
  const [product_uom] = units[1] as [number, number]
  const { picking } = await transfer(outgoing, { product_id, product_uom, product_uom_qty: 4.4 })
  await ask('stock.picking/action_confirm', { ids: [picking] })
  const scrap = await make('stock.scrap', { product_id, scrap_qty: 3.48, location_id: stock })
  await ask('stock.scrap/do_scrap', { ids: [scrap] })
  assert.deepEqual(await imbalances(shop), [])
})

test('stock.scrap: validating more than there is asks first; the form scraps it anyway', async () => {
  const product_id = await goods()
  const scrap = await make('stock.scrap', { product_id, scrap_qty: 3, location_id: stock })
  const action = await ask<Row>('stock.scrap/action_validate', { ids: [scrap] })
  assert.equal(action.res_model, 'stock.warn.insufficient.qty.scrap')
  const state = async () =>
    (await ask<Row[]>('stock.scrap/read', { ids: [scrap], fields: ['state'] }))[0]?.state
  assert.equal(await state(), 'draft')
  const [form] = await ask<number[]>('stock.warn.insufficient.qty.scrap/create', {
    vals_list: [{}],
    context: action.context,
  })
  await ask('stock.warn.insufficient.qty.scrap/action_done', { ids: [form] })
  assert.equal(await state(), 'done')
})

test('a corrected receipt reserves no more than is left, and a serial number is not there twice', async () => {
  const product = await goods()
  const receipt = await transfer(incoming, {
    product_id: product,
    product_uom_qty: 10,
    quantity: 10,
    picked: true,
  })
  await ask('stock.picking/button_validate', { ids: [receipt.picking] })
  const delivery = await transfer(outgoing, { product_id: product, product_uom_qty: 8 })
  await ask('stock.picking/action_confirm', { ids: [delivery.picking] })
  assert.equal((await moveOf(delivery.move)).quantity, 8)
  await ask('stock.move/write', { ids: [receipt.move], vals: { quantity: 5 } })
  assert.equal((await moveOf(delivery.move)).quantity, 5)
  assert.deepEqual(await imbalances(shop, product), [])
  const piece = await make('product.product', { name: 'Piece', is_storable: true, tracking: 'serial' })
  const lots = [
    await make('stock.lot', { name: 'A', product_id: piece }),
    await make('stock.lot', { name: 'B', product_id: piece }),
  ]
  const pieces = lots.map((lot_id) => [0, 0, { product_id: piece, lot_id, quantity: 1, picked: true }])
  const came = await transfer(incoming, { product_id: piece, product_uom_qty: 2, move_line_ids: pieces })
  await ask('stock.picking/button_validate', { ids: [came.picking] })
  const [line] = await ask<number[]>('stock.move.line/search', { domain: [['move_id', '=', came.move]] })
  for (const vals of [{ quantity: 2 }, { lot_id: lots[1] }]) {
    const { status, body } = await shop.call('admin', 'stock.move.line/write', { ids: [line], vals })
    assert.equal(status, 422)
    assert.match(JSON.stringify(body), /The serial number [AB] would be in a location more than once/)
  }
})

test('a done move of one lot grows by it; one of several lots grows by its lines', async () => {
  const product = await make('product.product', { name: 'Typed', is_storable: true, tracking: 'lot' })
  const receive = async (...names: readonly string[]) => {
    const move_line_ids = names.map((lot_name) => [0, 0, { lot_name, quantity: 5, picked: true }])
    const { picking, move } = await transfer(incoming, {
      product_id: product,
      product_uom_qty: 5,
      move_line_ids,
    })
    await ask('stock.picking/button_validate', { ids: [picking] })
    return move
  }
  const setQuantity = async (move: number, quantity: number) =>
    (await shop.call('admin', 'stock.move/write', { ids: [move], vals: { quantity } })).status
  const held = async () => {
    const rows = await ask<Row[]>('stock.quant/search_read', {
      domain: [
        ['product_id', '=', product],
        ['location_id', '=', stock],
      ],
      fields: ['lot_id', 'quantity'],
      order: 'id',
    })
    return rows.map(({ lot_id, quantity }) => [(lot_id as [number, string])[1], quantity])
  }
  assert.equal(await setQuantity(await receive('ONE'), 8), 200)
  assert.deepEqual(await held(), [['ONE', 8]])
  const two = await receive('ONE', 'TWO')
  assert.equal(await setQuantity(two, 12), 422)
  assert.equal(await setQuantity(two, 9), 200)
  assert.deepEqual(await held(), [
    ['ONE', 13],
    ['TWO', 4],
  ])
  assert.deepEqual(await imbalances(shop), [])
})

test('a quantity that is no number is refused, and changes nothing', async () => {
  const product_id = await goods()
  const typed = { product_id, product_uom_qty: 10, quantity: 10, picked: true }
  const { picking, move } = await transfer(incoming, typed)
  await ask('stock.picking/button_validate', { ids: [picking] })
  for (const quantity of ['ten', [], { ten: 10 }, '1e400']) {
    const { status, body } = await shop.call('admin', 'stock.move/write', { ids: [move], vals: { quantity } })
    assert.equal(status, 422, JSON.stringify(quantity))
    assert.match(JSON.stringify(body), /Wrong value for stock\.move\.quantity: it takes numbers/)
    assert.equal((await moveOf(move)).quantity, 10)
  }
  const created = { picking_type_id: incoming, move_ids: [[0, 0, { ...typed, quantity: 'ten' }]] }
  assert.equal((await shop.call('admin', 'stock.picking/create', { vals_list: [created] })).status, 422)
  await ask('stock.move/write', { ids: [move], vals: { quantity: '7.5' } })
  assert.equal((await moveOf(move)).quantity, 7.5)
})
