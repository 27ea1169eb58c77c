// Results of statements that a call repeats are cached until a record that they depend on is touched.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase

before(async () => {
  db = await openTestDatabase(modules, { installed: ['base'] })
})
after(() => db?.close())

const count = async (env: Environment, name: string): Promise<number> => {
  const [row] = await env.rows(
    sql`SELECT count(*)::int, (SELECT count(*)::int FROM res_partner_res_partner_category_rel) FROM res_partner p WHERE p.name = ${name}`,
    { reads: ['res.partner'], row: ['int', 'int'], kept: ['res.partner.category'] },
  )
  return (row?.[0] ?? 0) * 100 + (row?.[1] ?? 0)
}

/** Number of statements that `work` sends. */
const sent = async (env: Environment, work: () => Promise<unknown>): Promise<number> => {
  const before = env.unit.usage.statements
  await work()
  return env.unit.usage.statements - before
}

test('read cache: does not repeat statements that were sent or are on their way', () =>
  db.run(async (env) => {
    assert.equal(await sent(env, () => Promise.all([count(env, 'Kept'), count(env, 'Kept')])), 1)
    assert.equal(await sent(env, () => count(env, 'Kept')), 0)
    assert.equal(await sent(env, () => count(env, 'Other')), 1)
  }))

test('read cache: shows created, changed and removed records, and links', () =>
  db.run(async (env) => {
    const partners = env.model('res.partner')
    assert.equal(await count(env, 'Seen'), 0)
    const records = await partners.create([{ name: 'Seen' }])
    assert.equal(await count(env, 'Seen'), 100)
    await records.write({ name: 'Unseen' })
    assert.equal(await count(env, 'Seen'), 0)
    await records.write({ name: 'Seen' })
    const tags = await env.model('res.partner.category').create([{ name: 'Tag' }])
    assert.equal(await count(env, 'Seen'), 100)
    await tags.write({ partner_ids: [[4, records.ensureOne(), 0]] } as never)
    assert.equal(await count(env, 'Seen'), 101)
    await records.unlink()
    assert.equal(await count(env, 'Seen'), 0)
  }))

test('read cache: is dropped by a rollback to a savepoint and by SQL of a module', () =>
  db.run(async (env) => {
    const undone = new Error('undone')
    await assert.rejects(
      env.unit.savepoint(async () => {
        await env.model('res.partner').create([{ name: 'Undone' }])
        assert.equal(await count(env, 'Undone'), 100)
        throw undone
      }),
      undone,
    )
    assert.equal(await count(env, 'Undone'), 0)
    await env.execute(sql`INSERT INTO res_partner (name, active, type) VALUES ('Undone', true, 'contact')`)
    assert.equal(await count(env, 'Undone'), 100)
  }))
