// Days at tills end in the same books, in whichever order orders are synced, taken back, invoiced and closed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { openTill, type Till } from '../support/till.ts'
import { documents, holds } from './holds.ts'
import { between } from './rounded.ts'
import { added, anyCourse, anySetup, books, flaws, openDays, place, play } from './till-days.ts'
import { anySale, type Goods, openGoods } from './till-orders.ts'

const ORDERS = documents(6)
const BATCH = Math.min(ORDERS, 20)

let till: Till
let goods: Goods
before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_management', 'sale_stock', 'stock_account', 'pos_sale'])
  goods = await openGoods(till)
})
after(() => till?.close())

const anyDays = fc.record({
  setup: anySetup,
  settling: fc.boolean(),
  sales: fc.array(anySale, { minLength: BATCH, maxLength: BATCH }),
  courses: fc.tuple(
    fc.array(anyCourse, { minLength: BATCH, maxLength: BATCH }),
    fc.array(anyCourse, { minLength: BATCH, maxLength: BATCH }),
  ),
})

test('point of sale: orders synced, refunded and invoiced in any order of calls give the same books', () =>
  holds(anyDays, ORDERS / BATCH, async ({ setup, settling, sales, courses }) => {
    const outcomes = []
    for (const course of courses) {
      const days = await openDays(till, goods, setup)
      const placed = await place(till, goods, sales, course, settling && !setup.foreign)
      const before = await books(till)
      const { sessions } = await play(till, goods, days, setup, placed)
      assert.deepEqual(await flaws(till, sessions, setup), [])
      const settled = await till.ask<{ id: number }[]>('sale.order.line/read', {
        ids: placed.flatMap((day) => day.settled),
        fields: ['qty_delivered', 'qty_invoiced', 'untaxed_amount_invoiced', 'amount_invoiced'],
      })
      outcomes.push({
        books: added(before, await books(till)),
        settled: settled.map(({ id: _, ...figures }) => figures),
      })
    }
    assert.deepEqual(outcomes[1], outcomes[0])
  }))

test('tills: amounts of tills and of the orders they settle are rounded to the currency', async () => {
  const { flaws: off, read } = await between(till)
  assert.deepEqual(off, [])
  assert.ok(read > 0)
})
