// Reservations as arithmetic: never more than is free, in units that say it exactly, the oldest goods first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Held } from '../quants/ledger.ts'
import { Stock, type Want } from './allocate.ts'

const piece = { id: 1, factor: 1 }
const dozen = { id: 2, factor: 12 }

const row = (id: number, quantity: number, more: Partial<Held> = {}): Held => ({
  id,
  product: 1,
  location: id,
  lot: null,
  package: null,
  owner: null,
  quantity,
  reserved: 0,
  since: '2026-01-01 00:00:00',
  path: `1/${id}/`,
  ...more,
})

const want = (quantity: number, more: Partial<Want> = {}): Want => ({
  product: 1,
  path: '1/',
  location: 1,
  quantity,
  unit: piece,
  productUnit: piece,
  whole: false,
  method: 'fifo',
  owner: null,
  ...more,
})

const cents = (max: number) => fc.integer({ min: -max, max }).map((value) => value / 100)

test('take: what several moves take of a row is never more than the row has free', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cents(2000), fc.constantFrom(null, 1, 2)), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(cents(3000), fc.boolean()), { maxLength: 4 }),
      (held, wants) => {
        const stock = new Stock(held.map(([quantity, lot], i) => row(i + 1, quantity, { lot })))
        const taken = new Map<number, number>()
        for (const [quantity, inDozens] of wants) {
          const takenRows = stock.take(want(Math.abs(quantity), inDozens ? { unit: dozen } : {}))
          const sum = takenRows.reduce((all, row) => all + row.quantity, 0)
          assert.ok(sum <= Math.abs(quantity) + 1e-9)
          for (const row of takenRows) taken.set(row.held.id, (taken.get(row.held.id) ?? 0) + row.quantity)
        }
        for (const [id, sum] of taken) assert.ok(sum <= (held[id - 1]?.[0] ?? 0) + 1e-9, `row ${id}: ${sum}`)
      },
    ),
  )
})

test('take: a move in dozens takes what two decimals of a dozen say, across rows', () => {
  const stock = new Stock([row(1, 4), row(2, 1)])
  const taken = stock.take(want(120, { unit: dozen }))
  assert.deepEqual(
    taken.map(({ quantity }) => quantity),
    [4, 0.92],
  )
})

test('take: goods of the same second leave in the order of their rows, those with a lot first', () => {
  const stock = new Stock([row(3, 1, { lot: null }), row(7, 1, { lot: 1 }), row(5, 1, { lot: 2 })])
  assert.deepEqual(
    stock.take(want(3)).map(({ held }) => held.id),
    [5, 7, 3],
  )
})

test('take: what an earlier move brought is there although a shelf below owes more', () => {
  const rows = [row(1, 12, { path: '1/' }), row(2, -24, { path: '1/2/' })]
  assert.deepEqual(new Stock(rows).take(want(6)), [])
  const only = [{ location: 1, lot: null, package: null, owner: null, quantity: 12 }]
  assert.deepEqual(
    new Stock(rows).take(want(6, { only })).map(({ quantity }) => quantity),
    [6],
  )
})
