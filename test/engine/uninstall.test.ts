// Modules that leave: a database they were removed from equals one that never had them, and can have them
// again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { adviceOn } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { char, defineModule, extend, implement, ref } from '../../src/models/index.ts'
import { isConnectionLost } from '../../src/postgres/index.ts'
import { installModules, listModules, uninstallModules } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { worksExtra } from '../fixtures/modules/works_extra/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const extension = extend('works.item', {
  fields: { shelf: char({ required: true, default: 'A', index: true }) },
})
const worksFailing = defineModule({
  ...{ name: 'works_failing', version: '1.0', summary: 'Data that refer to nothing', depends: ['works'] },
  data: [{ model: 'works.item', records: { item: { group_id: ref('nothing') } } }],
  models: [implement(extension, {})],
})
const worksShelf = defineModule({
  ...{ name: 'works_shelf', version: '1.0', summary: 'A column that is required', depends: ['works'] },
  models: [implement(extension, {})],
})
const worksLost = defineModule({
  ...{ name: 'works_lost', version: '1.0', summary: 'A table that is not there', depends: ['works'] },
  models: [],
  ready: async (env) => void (await env.query(sql`SELECT FROM works_nowhere`)),
})
const worksStrict = defineModule({
  ...{ name: 'works_strict', version: '1.0', summary: 'A rule that is broken', depends: ['works'] },
  models: [
    implement(
      extend('works.item', {
        fields: { shelf: char({ required: true, default: 'A' }) },
        rules: { by_quantity: { unique: ['shelf'], message: 'One quantity an item.' } },
      }),
      {},
    ),
  ],
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(
    [
      ...modules.filter((module) => module.name === 'base'),
      works,
      worksExtra,
      trials,
      worksFailing,
      worksLost,
      worksStrict,
      worksShelf,
    ],
    { installed: ['base', 'works', 'works_extra', 'trials'] },
  )
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
  const rows = []
  for (const statement of statements)
    rows.push((await database.pool.use((connection) => connection.query(statement))).flat())
  return rows
}

const stateOf = async (module: string) =>
  (await listModules(db.databases, 'test')).find(({ name }) => name === module)?.state
const uninstall = (...names: string[]) => uninstallModules(db.databases, 'test', names)

test('uninstall: base, unknown modules and required ones stay', async () => {
  await assert.rejects(uninstall('base'), /cannot be uninstalled/)
  await assert.rejects(uninstall('nothing'), /Not installed in test: nothing/)
  await assert.rejects(uninstall('works'), /works_extra needs works/)
})

test('uninstall: an extension is removed with its columns after running calls, while others use its table', async () => {
  const database = await db.databases.database('test')
  const { pool } = database
  const before = await database.system(async (env) => {
    const [id] = (await env.model('works.item').create([{ price: 3, quantity: 2 }])).ids
    return id as number
  })
  const call = await pool.acquire()
  await call.simple('BEGIN; LOCK TABLE works_item IN ACCESS SHARE MODE')
  const gone = uninstall('works_extra')
  while ((await stateOf('works_extra')) === 'installed') await sleep(10)
  await call.query('UPDATE works_item SET net = 1 WHERE id = $1', [before])
  assert.deepEqual(await pool.use((other) => other.query('SELECT count(*)::int FROM works_item')), [[1]])
  await call.simple('COMMIT')
  pool.release(call)
  await gone
  const after = await db.databases.database('test')
  assert.equal(after.registry.get('works.item')?.fields.has('net'), false)
  await after.system(async (env) => {
    const [row] = await env.model('works.item').browse([before]).read(['amount'])
    assert.equal((row as { amount: number }).amount, 6)
    await env.model('works.item').create([{ price: 1, quantity: 1 }])
  })
})

test('modules: adding columns to a table that a call uses does not block other calls', async () => {
  const { pool } = await db.databases.database('test')
  const call = await pool.acquire()
  await call.simple('BEGIN; LOCK TABLE works_item IN ACCESS SHARE MODE')
  const coming = installModules(db.databases, 'test', ['works_extra'])
  const waiting = "SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = 'works_item'::regclass"
  const other = await pool.acquire()
  while ((await other.query(waiting))[0]?.[0] === 0) await sleep(10)
  assert.deepEqual(await other.query('SELECT count(*)::int FROM works_item'), [[2]])
  pool.release(other)
  await call.simple('ROLLBACK')
  pool.release(call)
  await coming
  await (await db.databases.database('test')).system(async (env) => {
    const rows = await env
      .model('works.item')
      .search([])
      .then((items) => items.load(['net']))
    assert.deepEqual(rows.map(({ net }) => net).sort(), [1, 6])
  })
  await uninstall('works_extra')
})

test('modules: data is loaded while calls write, without locking tables', async () => {
  await uninstall('trials')
  const { pool } = await db.databases.database('test')
  const call = await pool.acquire()
  await call.simple('BEGIN; LOCK TABLE works_item, res_partner_category, ir_model_data IN ROW EXCLUSIVE MODE')
  const coming = installModules(db.databases, 'test', ['trials'])
  while ((await stateOf('trials')) !== 'installed') await sleep(10)
  await call.simple('ROLLBACK')
  pool.release(call)
  await coming
})

test('uninstall: a module whose installation fails leaves nothing', async () => {
  const before = await describe('test')
  await assert.rejects(
    installModules(db.databases, 'test', ['works_failing']),
    /refers to what is not there: works_failing.nothing/,
  )
  await assert.rejects(installModules(db.databases, 'test', ['works_lost']), /works_nowhere/)
  await assert.rejects(installModules(db.databases, 'test', ['works_strict']), /One quantity an item/)
  assert.deepEqual(await describe('test'), before)
  assert.deepEqual(
    [await stateOf('works_failing'), await stateOf('works_strict')],
    ['uninstalled', 'uninstalled'],
  )
})

test('uninstall: a module that custom fields refer to is unchanged', async () => {
  const field = await db.databases.database('test').then((database) =>
    database.system(async (env) => {
      const [model] = (await env.model('ir.model').search([['model', '=', 'res.partner']])).ids
      const vals = { model_id: model as number, name: 'x_note', field_description: 'Note' }
      const fields = env.model('ir.model.fields')
      const relationFields = await fields.create([{ ...vals, ttype: 'many2one', relation: 'trials.note' }])
      return relationFields.ensureOne()
    }),
  )
  const before = await describe('test')
  await assert.rejects(uninstall('trials'), /Custom fields refer to its models: res.partner.x_note/)
  assert.deepEqual(await describe('test'), before)
  assert.equal(await stateOf('trials'), 'installed')
  await (await db.databases.database('test')).system(async (env) => {
    await env.model('ir.model.fields').browse([field]).unlink()
  })
})

test('uninstall: a module whose records cannot be deleted is unchanged, with its foreign keys', async () => {
  const { pool } = await db.databases.database('test')
  const run = (text: string) => pool.use((connection) => connection.simple(text))
  const before = await describe('test')
  await run(`CREATE TABLE kept (access int REFERENCES ir_model_access);
    INSERT INTO kept SELECT res_id FROM ir_model_data WHERE module = 'trials' AND name = 'counters'`)
  await assert.rejects(uninstall('trials'))
  await (await db.databases.database('test')).pool.use((connection) => connection.simple('DROP TABLE kept'))
  assert.deepEqual(await describe('test'), before)
  assert.equal(await stateOf('trials'), 'installed')
})

test('modules: an interrupted installation or removal is reported, and finished by the next change', async () => {
  const database = await db.databases.database('test')
  const { pool } = database
  const run = (text: string) => pool.use((connection) => connection.query(text))
  const advice = () => adviceOn('test', pool, db.databases.options.modules)
  const before = await describe('test')
  await installModules(db.databases, 'test', ['works_shelf'])
  const whole = await describe('test')

  await run('ALTER TABLE works_item ALTER COLUMN shelf DROP NOT NULL')
  await run("INSERT INTO ir_config_parameter (key, value) VALUES ('database.modules', 'added works_shelf')")
  assert.match(
    String(await advice()),
    /unfinished \(added: works_shelf\).* comptoir module upgrade --database test$/,
  )
  await installModules(db.databases, 'test', ['works'])
  assert.deepEqual([await advice(), await describe('test')], [null, whole])

  const call = await pool.acquire()
  await call.simple('BEGIN; SELECT 1')
  const gone = assert.rejects(uninstall('works_shelf'), isConnectionLost)
  while ((await stateOf('works_shelf')) === 'installed') await sleep(10)
  await call.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid::bigint << 32) + objid::bigint = hashtextextended('comptoir upgrade', 0)`)
  await gone
  await call.simple('ROLLBACK')
  pool.release(call)
  assert.match(String(await advice()), /unfinished \(removed: works_shelf\)/)
  await installModules(db.databases, 'test', ['works'])
  assert.deepEqual([await advice(), await describe('test')], [null, before])
})

test('uninstall: a task of a module that this server lacks waits for a server that has it', async () => {
  const run = async (text: string) =>
    (await db.databases.database('test')).pool.use((connection) => connection.query(text))
  await run("INSERT INTO ir_module_module (name, state) VALUES ('works_elsewhere', 'installed')")
  await run("INSERT INTO comptoir_upgrade (task, build) VALUES ('module works_elsewhere/later', '')")
  await installModules(db.databases, 'test', ['works_extra'])
  assert.deepEqual(await run('SELECT task FROM comptoir_upgrade WHERE finished IS NULL'), [
    ['module works_elsewhere/later'],
  ])
  await uninstall('works_extra')
  await run("DELETE FROM ir_module_module WHERE name = 'works_elsewhere'")
  await run("DELETE FROM comptoir_upgrade WHERE task = 'module works_elsewhere/later'")
})

test('uninstall: the database equals one that never had the modules', async () => {
  await uninstall('works', 'trials')
  const [left, plain] = [await describe('test'), await describe('plain')]
  for (const [n, lines] of left.entries()) assert.deepEqual(lines, plain[n])
  const states = await listModules(db.databases, 'test')
  assert.deepEqual(
    states.filter(({ state }) => state === 'installed').map(({ name }) => name),
    ['base'],
  )
})

test('uninstall: a removed module can be installed again', async () => {
  await installModules(db.databases, 'test', ['works_extra'])
  await (await db.databases.database('test')).system(async (env) => {
    assert.deepEqual((await env.model('works.item').search([])).ids, [])
    await env.model('works.item').create([{ price: 1, quantity: 1 }])
    const events = await env.query(
      sql`SELECT event, name FROM comptoir_audit WHERE res_model = 'ir.module.module' ORDER BY id DESC LIMIT 2`,
    )
    assert.deepEqual(events.map(([event, name]) => `${event} ${name}`).sort(), [
      'module.install works',
      'module.install works_extra',
    ])
  })
})
