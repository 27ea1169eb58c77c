// Defaults that are asynchronous, or differ for each record: each record gets one call of them on every
// path of create, and none is still pending when the call ends.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { char, defineModule, implement, integer, model, type Of } from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const visit = model('test.visit', {
  label: 'Visit',
  fields: { name: char({ required: true }), guide: char({}), place: char({}) },
})
const request = model('test.ticket', {
  label: 'Ticket',
  fields: {
    name: char({}),
    token: char({}),
    number: integer({}),
    shop: char({}),
    colour: char({ default: 'red' }),
  },
})
declare module '../../src/models/index.ts' {
  interface Models {
    'test.visit': Visit
    'test.ticket': Ticket
  }
  interface Ticket extends Of<typeof request> {}
  interface Visit extends Of<typeof visit> {}
}

/** Calls of a default by field, and how many of them have resolved. */
const calls = { guide: 0, place: 0 }
const resolved = { guide: 0, place: 0 }

const visits = implement(visit, {
  defaults: {
    guide: async (env) => {
      calls.guide++
      const [row] = await env.query(sql`SELECT 'Ann'::text`)
      resolved.guide++
      return row?.[0] as string
    },
    // It gives a promise, and is no async function.
    place: (env) => {
      calls.place++
      return env.query(sql`SELECT 'Namur'::text`).then(([row]) => {
        resolved.place++
        return row?.[0] as string
      })
    },
  },
})
let drawn = 0
let shops = 0
const tickets = implement(request, {
  defaults: {
    token: () => randomUUID(),
    number: async (env) => {
      await env.query(sql`SELECT 1`)
      return ++drawn
    },
    shop: async (env) => {
      shops++
      const [row] = await env.query(sql`SELECT 'Dinant'::text`)
      return row?.[0] as string
    },
  },
})
const module = defineModule({
  name: 'visits',
  version: '1',
  summary: 'Visits',
  depends: ['base'],
  models: [visits, tickets],
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base, module])
})
after(() => db?.close())

const make = (vals: object) =>
  db.run(async (env) => {
    const [visitRow] = await (await env.model('test.visit').create([vals as never])).read(['guide', 'place'])
    return [visitRow?.guide, visitRow?.place]
  })

test('defaults: asynchronous ones run once a record, and are ready when it is created', async () => {
  for (let n = 1; n <= 4; n++) {
    assert.deepEqual(await make({ name: `Visit ${n}` }), ['Ann', 'Namur'])
    assert.deepEqual(
      [calls, resolved],
      [
        { guide: n, place: n },
        { guide: n, place: n },
      ],
    )
  }
})

test('deferred defaults: explicit values need no query', async () => {
  const before = { ...calls }
  for (let n = 1; n <= 3; n++)
    assert.deepEqual(await make({ name: 'A', guide: 'Bob', place: 'Liège' }), ['Bob', 'Liège'])
  assert.deepEqual(calls, before)
})

test('defaults: each record of a list has its own, and none is computed for explicit values', async () => {
  const createTickets = (list: readonly object[]) =>
    db.run(async (env) => {
      const tickets = await env.model('test.ticket').create(list as never)
      return tickets.read(['name', 'token', 'number', 'shop', 'colour'])
    })
  const rows = await createTickets([
    { name: 'a' },
    { name: 'b', number: 70 },
    { name: 'c' },
    { name: 'd', token: 'mine' },
  ])
  assert.equal(new Set(rows.map(({ token }) => token)).size, 4)
  assert.equal(rows[3]?.token, 'mine')
  assert.deepEqual(
    rows.map(({ number }) => number),
    [1, 70, 2, 3],
  )
  for (const { shop, colour } of rows) assert.deepEqual([shop, colour], ['Dinant', 'red'])
  assert.equal(shops, 2, 'what reads the same for two is read for all')
  await createTickets([{ name: 'e' }, { name: 'f' }, { name: 'g', shop: 'Visé' }])
  assert.deepEqual([shops, drawn], [3, 6], 'from then on once a list')
})
