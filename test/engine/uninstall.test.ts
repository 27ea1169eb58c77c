// Modules that leave: a database they were removed from equals one that never had them, and can have them
// again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { installModules, listModules, uninstallModules } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([
    ...modules.filter((module) => module.name === 'base'),
    works,
    worksExtra,
    trials,
  ])
  await db.databases.create('plain', { modules: [] })
})
after(() => db?.close())

/**
 * Tables with their columns, indexes, constraints, and what the database says of its models, each as a line.
 */
async function describe(name: string): Promise<unknown[]> {
  const database = await db.databases.database(name)
  const statements = [
    `SELECT format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
    "SELECT indexname || ' ' || indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    "SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1",
    'SELECT model FROM ir_model ORDER BY 1',
    "SELECT model || '.' || name FROM ir_model_fields ORDER BY 1",
    "SELECT module || '.' || name FROM ir_model_data ORDER BY 1",
    'SELECT name FROM ir_model_access ORDER BY 1',
    'SELECT name FROM ir_rule ORDER BY 1',
  ]
  const found = []
  for (const statement of statements)
    found.push((await database.pool.use((connection) => connection.query(statement))).flat())
  return found
}

const uninstall = (...names: string[]) => uninstallModules(db.databases, 'test', names)

test('base, what is not there and what others need stay', async () => {
  await assert.rejects(uninstall('base'), /cannot be uninstalled/)
  await assert.rejects(uninstall('nothing'), /Not installed in test: nothing/)
  await assert.rejects(uninstall('works'), /works_extra needs works/)
})

test('an extension goes with its columns, also where a call under way and it wait for each other; the records it extended stay', async () => {
  const { pool } = await db.databases.database('test')
  const call = await pool.acquire()
  await call.simple('BEGIN; LOCK TABLE works_item IN ACCESS SHARE MODE')
  const before = await (await db.databases.database('test')).system(async (env) => {
    const [id] = (await env.model('works.item').create([{ price: 3, quantity: 2 }])).ids
    return id as number
  })
  const gone = uninstall('works_extra')
  const waiting = "SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = 'works_item'::regclass"
  while ((await pool.use((connection) => connection.query(waiting)))[0]?.[0] === 0) await sleep(10)
  // PostgreSQL chooses which of the two gives way: on a busy machine it can be the call.
  await call.query('UPDATE ir_module_module SET name = name').catch((error) => {
    assert.equal(error.code, '40P01')
  })
  await call.simple('ROLLBACK')
  pool.release(call)
  await gone
  const database = await db.databases.database('test')
  assert.equal(database.registry.get('works.item')?.fields.has('net'), false)
  await database.system(async (env) => {
    const [row] = await env.model('works.item').browse([before]).read(['amount'])
    assert.equal((row as { amount: number }).amount, 6)
    await env.model('works.item').create([{ price: 1, quantity: 1 }])
  })
})

test('a database without the modules equals one that never had them', async () => {
  await uninstall('works', 'trials')
  const [left, plain] = [await describe('test'), await describe('plain')]
  for (const [n, lines] of left.entries()) assert.deepEqual(lines, plain[n])
  const states = await listModules(db.databases, 'test')
  assert.deepEqual(
    states.filter(({ state }) => state === 'installed').map(({ name }) => name),
    ['base'],
  )
})

test('what was removed can come back', async () => {
  await installModules(db.databases, 'test', ['works_extra'])
  await (await db.databases.database('test')).system(async (env) => {
    assert.deepEqual((await env.model('works.item').search([])).ids, [])
    await env.model('works.item').create([{ price: 1, quantity: 1 }])
    const told = await env.query(
      sql`SELECT event, name FROM comptoir_audit WHERE res_model = 'ir.module.module' ORDER BY id DESC LIMIT 2`,
    )
    assert.deepEqual(told.map(([event, name]) => `${event} ${name}`).sort(), [
      'module.install works',
      'module.install works_extra',
    ])
  })
})
