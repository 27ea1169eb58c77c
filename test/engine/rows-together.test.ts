// Rows that are inserted together hold what each of them would hold alone, whatever texts there are and
// whichever columns are alike in all of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { sql } from '../../src/sql/index.ts'
import { things } from '../fixtures/modules/things/index.ts'
import { Random } from '../fuzz/random.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), things])
})
after(() => db?.close())

/** Texts that are something else to PostgreSQL unless they are quoted. */
const odd = [
  'NULL',
  'null',
  '',
  ' a ',
  '{1,2}',
  '"',
  '\\',
  'a,b',
  '\\n',
  'x\ny\t',
  "'",
  '🎂',
  '$1',
  'true',
  '0',
]

const values: Readonly<Record<string, readonly unknown[]>> = {
  name: odd,
  text: odd,
  html: ['<p>"a"\\</p>', false],
  integer: [0, 1, -2_147_483_648, false],
  float: [0.1, 1e21, 1e-7, -0, false],
  exact: [0.0001, 123_456_789.1234, false],
  monetary: [0.01, -5, false],
  boolean: [true, false],
  date: ['2026-11-26', false],
  datetime: ['2026-11-26 23:59:59', false],
  time: ['23:59:59', false],
  binary: ['AAEC', 'XG51bGw=', false],
  selection: ['low', 'high', false],
  reference: ['res.partner,1', false],
  many2one: [1, false],
  json: [{ a: ['"', '\\', null, 1.5] }, [1, 2], 'text', 5, true, false],
}

const columns = [...Object.keys(values), 'create_uid', 'write_uid']
const stored = (ids: readonly number[]) =>
  db.run(async (env) => {
    const rows = await env.query(
      sql`SELECT to_jsonb(t)::text FROM x_thing t WHERE id = ANY(${[...ids]}::int[]) ORDER BY id`,
    )
    return rows.map(([row]) => {
      const held = JSON.parse(String(row)) as Record<string, unknown>
      return columns.map((name) => held[name])
    })
  })
const create = (list: readonly object[]) =>
  db.run(async (env) => (await env.model('x.thing').create(list as never)).ids)

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
  test(`write buffer: random rows, ${seed}`, async () => {
    const random = new Random(seed)
    const common = Object.fromEntries(
      Object.entries(values).flatMap(([name, all]) => (random.chance(0.4) ? [[name, random.pick(all)]] : [])),
    )
    const list = Array.from({ length: 12 }, () => ({
      ...Object.fromEntries(
        Object.entries(values).flatMap(([name, all]) =>
          random.chance(0.7) ? [[name, random.pick(all)]] : [],
        ),
      ),
      ...common,
    }))
    const together = await stored(await create(list))
    const apart: unknown[] = []
    for (const vals of list) apart.push(...(await stored(await create([vals]))))
    assert.deepEqual(together, apart)
  })

test('batched creates: names by language, and rows with ids drawn in advance', async () => {
  const names = odd.filter((name) => name.trim())
  const orders = await db.run(async (env) => {
    const partners = await env.model('res.partner').create(names.map((name) => ({ name, city: 'Namur' })))
    const tags = await env.model('res.partner.category').create(names.map((name) => ({ name })))
    return { partners: partners.ids, tags: tags.ids }
  })
  const shown = await db.run(async (env) => ({
    partners: await env.model('res.partner').browse(orders.partners).load(['name', 'city']),
    tags: await env.model('res.partner.category').browse(orders.tags).load(['name']),
  }))
  assert.deepEqual(
    shown.tags.map((tag) => tag.name),
    names,
  )
  assert.deepEqual(
    shown.partners.map(({ name, city }) => [name, city]),
    names.map((name) => [name, 'Namur']),
  )
})
