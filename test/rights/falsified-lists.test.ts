// Attempts of dishonest cashiers by lists within orders that tills send: the server stores orders beside the
// rights of cashiers, and nothing else with them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Row, type Till } from '../support/till.ts'
import { assertRefused } from './attempts.ts'

let till: Till
let product = 0
let number = 0
before(async () => {
  till = await openTill(['sales_team', 'sale', 'purchase', 'sale_stock', 'purchase_stock', 'pos_sale'])
  product = await till.make('product.product', { name: 'Thing', available_in_pos: true, taxes_id: [[5]] })
})
after(() => till?.close())

const order = (line: Row, more: Row = {}) =>
  till.order({ n: ++number, lines: [{ product, price: 10, more: line }], more })
const refused = (sent: Row) => assertRefused(till, 'cashier', 'pos.order/sync_from_ui', { orders: [sent] })

async function synced(sent: Row): Promise<number> {
  const answer = await till.sync([sent])
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return (answer.body as { 'pos.order': [{ id: number }] })['pos.order'][0].id
}

test('taxes are linked by an order from a till, and neither made nor changed by it', async () => {
  const [tax = 0] = await till.ask<number[]>('account.tax/search', {
    domain: [['type_tax_use', '=', 'sale']],
    limit: 1,
  })
  for (const command of [
    [0, 0, { name: 'Nothing', amount: 0 }],
    [1, tax, { amount: 0 }],
    [2, tax, 0],
  ])
    await refused(order({ tax_ids: [command] }))
  await synced(order({ tax_ids: [[4, tax, 0]] }))
})

test('lots are added by an order from a till, and none is taken over from another order', async () => {
  const first = await synced(order({ pack_lot_ids: [[0, 0, { lot_name: 'A' }]] }))
  const [lot = 0] = await till.ask<number[]>('pos.pack.operation.lot/search', {
    domain: [['pos_order_line_id.order_id', '=', first]],
  })
  for (const command of [
    [1, lot, { lot_name: 'B' }],
    [2, lot, 0],
    [4, lot, 0],
    [6, 0, [lot]],
  ]) {
    await refused(order({ pack_lot_ids: [command] }))
    const draft = order({}, { state: 'draft', payment_ids: [], amount_paid: 0 })
    await synced(draft)
    const [[, , line]] = draft.lines as [[number, number, Row]]
    await refused({ ...draft, lines: [[0, 0, { ...line, pack_lot_ids: [command] }]] })
  }
})

test('entries are not tied to an order by the till that sends it', async () => {
  const entry = await till.make('account.move', { move_type: 'entry' })
  for (const command of [
    [0, 0, { move_type: 'entry' }],
    [4, entry, 0],
    [1, entry, { ref: 'x' }],
  ])
    await refused(order({}, { reversed_move_ids: [command] }))
})
