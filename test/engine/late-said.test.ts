// New rows that wait: statements whose text does not name their table, and writes that join them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import {
  char,
  computed,
  computedTogether,
  defineModule,
  implement,
  integer,
  many2one,
  model,
  monetary,
  type Of,
  one2many,
} from '../../src/models/index.ts'
import { type Sql, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const box = model('late.box', {
  label: 'Box',
  fields: {
    name: char({ required: true }),
    letters: integer({ computed: true, stored: true }),
    pieces: one2many('late.piece', 'box_id'),
    weight: integer({ computed: true, stored: true }),
    currency_id: many2one('res.currency'),
    worth: monetary(),
    fee: monetary({ computed: true, stored: true }),
  },
})
const piece = model('late.piece', {
  label: 'Piece',
  fields: { box_id: many2one('late.box', { required: true }), weight: integer() },
})

declare module '#models' {
  interface Models {
    'late.box': LateBox
    'late.piece': LatePiece
  }
  interface LateBox extends Of<typeof box> {}
  interface LatePiece extends Of<typeof piece> {}
}

const boxes = defineModule({
  name: 'late_boxes',
  version: '1.0',
  summary: 'Boxes, for tests',
  depends: ['base'],
  models: [
    implement(box, {
      computed: {
        letters: computed(box, ['name'], ({ name }) => name.length),
        fee: computed(box, ['name'], () => 0),
        // Computed once the box is there.
        weight: computedTogether(
          box,
          ['pieces.weight'],
          (all) =>
            new Map(
              all.map(({ id, pieces }) => [id, [...pieces].reduce((sum, piece) => sum + piece.weight, 0)]),
            ),
        ),
      },
    }),
    implement(piece, {}),
  ],
})

let db: TestDatabase
/** Currencies of whole numbers and of hundredths. */
let [coarse, fine] = [0, 0]
before(async () => {
  db = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), boxes])
  await db.run(async (env) => {
    await env.execute(sql`CREATE VIEW test_boxes AS SELECT id, name FROM late_box`)
    await env.execute(
      sql`CREATE FUNCTION test_named(int) RETURNS text LANGUAGE sql AS 'SELECT name FROM late_box WHERE id = $1'`,
    )
    await env.execute(
      sql`CREATE FUNCTION test_rename(int) RETURNS void LANGUAGE sql AS 'UPDATE late_box SET name = ''Other'' WHERE id = $1'`,
    )
    const currencies = [1, 0.01].map((rounding, n) => ({ name: `LC${n}`, symbol: 'x', rounding }))
    ;[coarse = 0, fine = 0] = (await env.model('res.currency').create(currencies)).ids
  })
})
after(() => db?.close())

/** Makes a box, whose row waits. */
async function make(env: Environment): Promise<number> {
  const [id = 0] = (await env.model('late.box').create([{ name: 'Big' }])).ids
  assert.ok(env.unit.buffer.waiting().some(({ text }) => text.startsWith('INSERT INTO "late_box"')))
  return id
}

test('deferred inserts: a statement that declares its reads finds rows through a view or a function', async () => {
  const statements: readonly ((id: number) => Sql)[] = [
    (id) => sql`SELECT name FROM test_boxes WHERE id = ${id}`,
    (id) => sql`SELECT test_named(${id}::int)`,
  ]
  for (const statement of statements) {
    const rows = await db.run(async (env) =>
      env.rows(statement(await make(env)), { reads: ['late.box'], row: ['text'] }),
    )
    assert.deepEqual(rows, [['Big']])
  }
})

test('write buffer: a statement without wanted rows is sent after all buffered ones, even if it looks like a read', async () => {
  const id = await db.run(async (env) => {
    const box = await make(env)
    await env.execute(sql`SELECT test_rename(${box}::int)`)
    return box
  })
  assert.deepEqual(await db.run((env) => env.query(sql`SELECT name FROM late_box WHERE id = ${id}`)), [
    ['Other'],
  ])
})

test('deferred inserts: a read of other tables does not flush them', () =>
  db.run(async (env) => {
    await make(env)
    await env.rows(sql`SELECT id FROM res_country LIMIT 1`, { reads: ['res.country'], row: ['int'] })
    assert.ok(env.unit.buffer.waiting().some(({ text }) => text.startsWith('INSERT INTO "late_box"')))
  }))

const rowsOf = (ids: readonly number[]) =>
  db.run((env) =>
    env.query(
      sql`SELECT worth::text, fee::text FROM late_box WHERE id = ANY(${[...ids]}::int[]) ORDER BY id`,
    ),
  )

test('deferred inserts: an amount is rounded to the currency that is written with it', async () => {
  const id = await db.run(async (env) => {
    await env.model('res.currency').browse([coarse, fine]).load(['rounding'])
    const boxes = env.model('late.box')
    const box = await boxes.create([{ name: 'Big', currency_id: coarse, worth: 1.4, fee: 1.4 }])
    assert.ok(env.unit.buffer.waiting().some(({ text }) => text.startsWith('INSERT INTO "late_box"')))
    await box.write({ currency_id: fine, worth: 2.346, fee: 3.456 })
    return box.ids[0] ?? 0
  })
  assert.deepEqual(await rowsOf([id]), [['2.35', '3.46']])
})

test('recomputation: a computed amount is stored next to explicit values of other rows', async () => {
  const box = await db.run(async (env) => {
    await env.model('res.currency').browse([coarse]).load(['rounding'])
    const both = [
      { name: 'Given', currency_id: coarse, fee: 1.4 },
      { name: 'Computed', currency_id: coarse },
    ]
    return (await env.model('late.box').create(both)).ids
  })
  assert.deepEqual(
    (await rowsOf(box)).map(([, fee]) => fee),
    ['1', '0'],
  )
})
