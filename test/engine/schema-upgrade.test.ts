// A module's next version on a database with rows: columns, defaults, computed values, selections, rules; and
// two who install at once.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import {
  char,
  computed,
  defineModule,
  implement,
  integer,
  type Module,
  model,
  type Of,
  selection,
} from '../../src/models/index.ts'
import { installModules, listModules, uninstallModules, upgradeModules } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import '../support/patience.ts'
import { makeTemp } from '../support/temp.ts'

const first = model('grower.plant', {
  label: 'Plant',
  fields: {
    name: char({ required: true }),
    code: char(),
    height: integer(),
    kind: selection({ tree: 'Tree', herb: 'Herb' }),
  },
})
const second = model('grower.plant', {
  label: 'Plant',
  rules: { by_code: { index: ['code'] } },
  fields: {
    ...first.fields,
    name: char({ required: true, index: true }),
    kind: selection({ herb: 'Herb', moss: 'Moss' }),
    pot: char({ required: true, default: 'clay' }),
    tall: integer({ computed: true, stored: true }),
  },
})
const unique = { by_code: { unique: ['code'], message: 'One plant a code.' } }
const third = model('grower.plant', {
  label: 'Plant',
  rules: unique,
  fields: { ...second.fields, late: char() },
})

declare module '#models' {
  interface Models {
    'grower.plant': GrowerPlant
  }
  interface GrowerPlant extends Of<typeof second> {}
}

const tall = computed(second, ['height'], (p) => (p.height > 100 ? 1 : 0))
const version = (number: string, behaviour: Module['models'][number], name = 'grower'): Module =>
  defineModule({ name, version: number, summary: 'Grows', depends: ['base'], models: [behaviour] })
const v1 = version('1.0', implement(first))
const v2 = version('2.0', implement(second, { computed: { tall } }))
const v3 = version('3.0', implement(third, { computed: { tall } }))
const late = model('later.thing', { label: 'Thing', fields: { name: char({ translate: true }) } })
const later = version('1.0', implement(late), 'later')
const other = model('other.thing', { label: 'Other thing', fields: { name: char() } })
const another = defineModule({
  name: 'another',
  version: '1.0',
  summary: '',
  depends: ['base'],
  models: [implement(other)],
})

const temp = makeTemp('upgrade')
const base = modules.filter((module) => module.name === 'base')
const open: Databases[] = []
/** A server that knows these modules, as another process with newer sources would. */
async function server(...more: Module[]): Promise<Databases> {
  const databases = await Databases.open({ dataDir: temp.path, modules: [...base, ...more], durable: false })
  open.push(databases)
  return databases
}

before(async () => {
  const old = await server(v1)
  await old.create('test', { modules: ['grower'], login: 'admin', password: 'admin' })
  await (await old.database('test')).system(async (env) => {
    const vals = [
      { name: 'Oak', code: 'x', height: 900, kind: 'tree' },
      { name: 'Mint', code: 'x', height: 30, kind: 'herb' },
    ]
    await env.model('grower.plant').create(vals as never)
  })
})
after(async () => {
  for (const databases of open.toReversed()) await databases.close()
  temp.remove()
})

test('schema upgrade: a backup of another release is upgraded once, when it is restored', async () => {
  const [old, newer] = [open[0] as Databases, await server(v2)]
  for (const format of ['zip', 'dump'] as const) {
    const file = join(temp.path, `old.${format}`)
    await writeFile(file, await buffer(await old.backup('test', format, '19.0')))
    const steps: string[] = []
    const progress = (step: string) => steps.push(step)
    assert.deepEqual(await newer.restore(`restored-${format}`, file, { progress }), {
      upgraded: true,
      without: [],
    })
    assert.ok(steps.some((step) => step.startsWith('upgrading')))
    const database = await newer.database(`restored-${format}`)
    const plants = await database.system(async (env) =>
      (await env.model('grower.plant').search([], { order: 'id' })).load(['name', 'pot', 'tall']),
    )
    assert.deepEqual(
      plants.map((p) => [p.name, p.pot, p.tall]),
      [
        ['Oak', 'clay', 1],
        ['Mint', 'clay', 0],
      ],
    )
  }
  const again = join(temp.path, 'again.zip')
  await writeFile(again, await buffer(await newer.backup('restored-zip', 'zip', '19.0')))
  assert.deepEqual(await newer.restore('again', again), { upgraded: false, without: [] })
  await assert.rejects(old.restore('backwards', again), /later release \(grower/)
  assert.ok(!(await old.list()).includes('backwards'))
})

test('schema upgrade: a backup with missing modules is rejected by name, or restored without them', async () => {
  const without = await server(later)
  for (const file of ['old.zip', 'old.dump'].map((name) => join(temp.path, name))) {
    await assert.rejects(without.restore('lacking', file), /does not have: grower\./)
    assert.ok(!(await without.list()).includes('lacking'))
  }
  // Columns that the missing module needs in tables of others are no longer required.
  await (open[0] as Databases)
    .database('test')
    .then((database) =>
      database.system((env) =>
        env.query(sql`ALTER TABLE res_partner_industry ADD COLUMN grower_need integer NOT NULL DEFAULT 1`),
      ),
    )
  await (open[0] as Databases)
    .database('test')
    .then((database) =>
      database.system((env) =>
        env.query(sql`ALTER TABLE res_partner_industry ALTER COLUMN grower_need DROP DEFAULT`),
      ),
    )
  const file = join(temp.path, 'needs.zip')
  await writeFile(file, await buffer(await (open[0] as Databases).backup('test', 'zip', '19.0')))
  assert.deepEqual(await without.restore('lacking', file, { ignoreMissing: true }), {
    upgraded: false,
    without: ['grower'],
  })
  const database = await without.database('lacking')
  await database.system((env) => env.model('res.partner.industry').create([{ name: 'Gardening' }]))
  const [kept] = await database.system((env) => env.query(sql`SELECT count(*)::int FROM grower_plant`))
  assert.equal(kept?.[0], 2)
})

test('schema upgrade: new columns are filled by defaults and computed for old rows; selections are replaced', async () => {
  const newer = await server(v2)
  await upgradeModules(newer, 'test', ['grower'])
  await (await newer.database('test')).system(async (env) => {
    const plants = await env.model('grower.plant').search([], { order: 'id' })
    assert.deepEqual(
      (await plants.load(['name', 'pot', 'tall', 'kind'])).map((p) => [p.name, p.pot, p.tall, p.kind]),
      [
        ['Oak', 'clay', 1, 'tree'],
        ['Mint', 'clay', 0, 'herb'],
      ],
    )
    const options = await env.query(
      sql`SELECT s.value FROM ir_model_fields_selection s JOIN ir_model_fields f ON f.id = s.field_id WHERE f.model = 'grower.plant' AND f.name = 'kind' ORDER BY s.sequence`,
    )
    assert.deepEqual(
      options.map((row) => row[0]),
      ['herb', 'moss'],
    )
    const indexes = await env.query(
      sql`SELECT indexname FROM pg_indexes WHERE tablename = 'grower_plant' ORDER BY 1`,
    )
    assert.deepEqual(
      indexes.map((row) => row[0]),
      ['grower_plant_by_code', 'grower_plant_name_idx', 'grower_plant_pkey'],
    )
    const [pot] = await env.query(
      sql`SELECT attnotnull FROM pg_attribute WHERE attrelid = 'grower_plant'::regclass AND attname = 'pot'`,
    )
    assert.equal(pot?.[0], true)
  })
  await assert.rejects(
    (await newer.database('test')).system((env) =>
      env.model('grower.plant').create([{ name: 'Fir', kind: 'tree' } as never]),
    ),
  )
})

test('schema upgrade: a unique constraint that rows violate has a readable error, and rolls everything back', async () => {
  const newest = await server(v3)
  await assert.rejects(upgradeModules(newest, 'test', ['grower']), (error: unknown) => {
    assert.ok(error instanceof ServiceError, String(error))
    assert.match(error.message, /One plant a code/)
    return true
  })
  const state = async () =>
    (await newest.database('test')).system(async (env) => {
      const columns = await env.query(
        sql`SELECT attname FROM pg_attribute WHERE attrelid = 'grower_plant'::regclass AND attname = 'late'`,
      )
      const [module] = await env.query(sql`SELECT latest_version FROM ir_module_module WHERE name = 'grower'`)
      return [columns.length, module?.[0]]
    })
  assert.deepEqual(await state(), [0, '2.0'])
  await (await newest.database('test')).system((env) => env.query(sql`UPDATE grower_plant SET code = name`))
  await upgradeModules(newest, 'test', ['grower'])
  assert.deepEqual(await state(), [1, '3.0'])
})

test('schema upgrade: processes of a server share their progress', async () => {
  const [first, two] = [await server(v3), await server(v3)]
  const progress = Promise.withResolvers<string>()
  two.announcements.on('progress', progress.resolve)
  await two.announcements.listen()
  await first.announcements.say('progress', 'a text of some words')
  assert.equal(await progress.promise, 'a text of some words')
})

test('schema upgrade: two servers that install the same module at once both succeed', async () => {
  const servers = [await server(v3, later), await server(v3, later)]
  await Promise.all(servers.map((databases) => installModules(databases, 'test', ['later'])))
  for (const databases of servers) {
    const states = await listModules(databases, 'test')
    assert.equal(states.find((module) => module.name === 'later')?.state, 'installed')
  }
})

test('schema upgrade: concurrent changes of modules on two servers neither miss nor undo each other', async () => {
  const [first, two] = [await server(v3, later, another), await server(v3, later, another)]
  const stateOf = async (databases: Databases, name: string) =>
    (await listModules(databases, 'test')).find((module) => module.name === name)?.state
  // Both have loaded the registry already; the lock decides which runs first.
  await Promise.all([first.database('test'), two.database('test')])
  await Promise.all([installModules(first, 'test', ['another']), uninstallModules(two, 'test', ['later'])])
  for (const databases of [first, two])
    assert.deepEqual(
      [await stateOf(databases, 'another'), await stateOf(databases, 'later')],
      ['installed', 'uninstalled'],
    )
  await Promise.allSettled([
    uninstallModules(first, 'test', ['another']),
    uninstallModules(two, 'test', ['another']),
  ]).then((outcomes) => {
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.match(
      String(outcomes.find((outcome) => outcome.status === 'rejected')?.reason),
      /Not installed in test: another/,
    )
  })
})

test('schema upgrade: installs a module that a new version of an installed one needs', async () => {
  const bed = model('soil.bed', { label: 'Bed', fields: { name: char() } })
  const soil = version('1.0', implement(bed), 'soil')
  const v4 = defineModule({ ...v3, version: '4.0', depends: ['base', 'soil'] })
  const newest = await server(soil, v4)
  await assert.rejects(newest.database('test'), /without the module soil.*comptoir module upgrade/)
  await assert.rejects(uninstallModules(newest, 'test', ['grower']), /need soil .*module upgrade/)
  await upgradeModules(newest, 'test', ['grower'])
  const states = await listModules(newest, 'test')
  assert.equal(states.find((module) => module.name === 'soil')?.state, 'installed')
  await (await newest.database('test')).system((env) => env.query(sql`SELECT name FROM soil_bed`))
})
