// New rows that wait, and statements whose text does not name their table: a module says what it reads.
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
        // Computed once the box is there.
        weight: computedTogether(
          box,
          ['pieces.weight'],
          (all) =>
            new Map(all.map(({ id, pieces }) => [id, [...pieces].reduce((sum, one) => sum + one.weight, 0)])),
        ),
      },
    }),
    implement(piece, {}),
  ],
})

let db: TestDatabase
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
  })
})
after(() => db?.close())

/** Makes a box, whose row waits. */
async function make(env: Environment): Promise<number> {
  const [id = 0] = (await env.model('late.box').create([{ name: 'Big' }])).ids
  assert.ok(env.unit.waiting().some(({ text }) => text.startsWith('INSERT INTO "late_box"')))
  return id
}

test('what a statement says that it reads is there, though its text names a view or a function', async () => {
  const statements: readonly ((id: number) => Sql)[] = [
    (id) => sql`SELECT name FROM test_boxes WHERE id = ${id}`,
    (id) => sql`SELECT test_named(${id}::int)`,
  ]
  for (const statement of statements) {
    const found = await db.run(async (env) =>
      env.rows(statement(await make(env)), { reads: ['late.box'], row: ['text'] }),
    )
    assert.deepEqual(found, [['Big']])
  }
})

test('a statement whose rows nobody wants comes behind all that waits, though it looks as if it read', async () => {
  const id = await db.run(async (env) => {
    const made = await make(env)
    await env.execute(sql`SELECT test_rename(${made}::int)`)
    return made
  })
  assert.deepEqual(await db.run((env) => env.query(sql`SELECT name FROM late_box WHERE id = ${id}`)), [
    ['Other'],
  ])
})

test('a read of something else lets it wait', () =>
  db.run(async (env) => {
    await make(env)
    await env.rows(sql`SELECT id FROM res_country LIMIT 1`, { reads: ['res.country'], row: ['int'] })
    assert.ok(env.unit.waiting().some(({ text }) => text.startsWith('INSERT INTO "late_box"')))
  }))
