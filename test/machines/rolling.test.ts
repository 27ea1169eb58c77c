// Two builds on one database at a time: both write while it is expanded, migrated and contracted.
// Nothing is lost, and no call fails.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { adviceOn, Databases } from '../../src/databases/index.ts'
import { ServiceUnavailable, UserError } from '../../src/errors.ts'
import { modules, type Server } from '../../src/main.ts'
import { takeStep, upgradePlan } from '../../src/services/upgrade.ts'
import { raw } from '../../src/sql/index.ts'
import { first, second, type Watched } from '../fixtures/modules/rolling/index.ts'
import { type Nodes, openNodes, openOthers } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'
import { eachWrites } from '../support/writers.ts'

const base = modules.filter(({ name }) => name === 'base')
const OLD_ROWS = 600
/** Milliseconds between two writes of one writer. */
const PAUSE = 30
let nodes: Nodes
const watched: Watched = { seen: 0, failsAt: Number.POSITIVE_INFINITY }
const newer = [...base, second(watched)]

before(async () => {
  nodes = await openNodes({ known: [...base, first] })
  await nodes.run((env) =>
    env.query(
      raw(
        `INSERT INTO rolling_note (label, amount) SELECT 'old ' || n, n FROM generate_series(1, ${OLD_ROWS}) n`,
      ),
    ),
  )
})
after(() => nodes?.close())

const firstValue = async (text: string) => (await nodes.run((env) => env.query(raw(text))))[0]?.[0]

test('old and new nodes write through expand, migrate and contract; contract waits for the old one', async (t) => {
  const others = await openOthers(nodes, newer, 2)
  t.after(others.close)
  const node = others.servers[0]
  assert.ok(node)
  const { databases } = node
  const step = (name: 'expand' | 'migrate' | 'contract') => takeStep(databases, 'test', { step: name })

  const plan = await upgradePlan(databases, 'test')
  assert.match(plan.expand.join('\n'), /add the column rolling_note\.title\n/)
  assert.match(
    plan.contract.join('\n'),
    /drop the column rolling_note\.label\n[\s\S]*drop the table rolling_gone/,
  )
  assert.deepEqual(
    [plan.impossible, await firstValue('SELECT count(*)::int FROM comptoir_upgrade WHERE finished IS NULL')],
    [[], 0],
  )
  await assert.rejects(step('migrate'), UserError)
  await assert.rejects(step('contract'), UserError)

  const writes = (server: Server | undefined, vals: (n: number) => Record<string, unknown>) =>
    eachWrites(server, nodes.key, 'rolling.note', vals, PAUSE)
  const old = writes(nodes.servers[0], (n) => ({ label: `first ${n}`, amount: n }))
  await step('expand')
  const fresh = writes(node, (n) => ({ title: `second ${n}`, amount: n }))
  const tagged = await nodes.call('rolling.tag/search_count', { domain: [] }, {}, 0)
  assert.equal(tagged.status, 404, 'the old build knows no model of the new one')

  const job = await fetch(`${node.url}/json/2/rolling.tag/create`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      prefer: 'respond-async',
    },
    body: JSON.stringify({ vals_list: [{ name: 'Later' }] }),
  })
  assert.equal(job.status, 202)
  // The old node is notified too, and leaves the job to the node that has the model.
  await until(
    async () => (await firstValue("SELECT count(*)::int FROM comptoir_job WHERE state = 'done'")) === 1,
    'the new node did the job',
  )

  watched.failsAt = 500
  await assert.rejects(step('migrate'), /killed/)
  watched.failsAt = Number.POSITIVE_INFINITY
  assert.equal(
    await firstValue(`SELECT after > 0 FROM comptoir_upgrade WHERE task = 'module rolling/title from label'`),
    true,
  )
  await step('migrate')
  assert.ok(watched.seen < OLD_ROWS + 1000, 'it went on where it was')
  await assert.rejects(
    step('contract'),
    (error) => error instanceof UserError && /process \d+.*Stop/.test(error.message),
  )

  const advice = await databases.database('test').then(({ pool }) => adviceOn('test', pool, newer))
  assert.match(String(advice), /--step contract/)

  const [wrote, alsoWrote] = [await old.stop(), await fresh.stop()]
  assert.deepEqual([wrote.wrong, alsoWrote.wrong], [[], []])
  assert.ok(wrote.ids.length > 0 && alsoWrote.ids.length > 0)
  await takeStep(databases, 'test', { step: 'contract', force: true })

  // The first call builds the cached plan, and all later and concurrent ones use it.
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all(
      ['first', 'second', 'third'].map((label) =>
        nodes.call('rolling.note/create', { vals_list: [{ label }] }),
      ),
    )
    for (const refused of all) {
      assert.deepEqual([refused.status, refused.headers.get('x-comptoir-outcome')], [503, 'undone'])
      assert.match(refused.text, /newer build/)
    }
  }
  const all = OLD_ROWS + wrote.ids.length + alsoWrote.ids.length
  const judged = await databases
    .database('test')
    .then((database) =>
      database.system((env) =>
        env.query(
          raw(
            `SELECT count(*)::int, count(*) FILTER (WHERE title IS NULL OR state IS NULL OR double IS DISTINCT FROM amount * 2)::int FROM rolling_note`,
          ),
        ),
      ),
    )
  assert.deepEqual(judged[0], [all, 0])
  const [shape] = await databases.database('test').then((database) =>
    database.system((env) =>
      env.query(
        raw(`SELECT (SELECT count(*)::int FROM pg_attribute WHERE attrelid = 'rolling_note'::regclass AND attname = 'label'),
          to_regclass('rolling_gone')::text, (SELECT attnotnull AND NOT atthasdef FROM pg_attribute WHERE attrelid = 'rolling_note'::regclass AND attname = 'state'),
          to_regclass('rolling_note_title_uniq') IS NOT NULL, (SELECT bool_and(convalidated) FROM pg_constraint)`),
      ),
    ),
  )
  assert.deepEqual(shape, [0, null, true, true, true])
})

test('a node that upgrades on opening brings a database up to date that no old node serves, and keeps what holds data', async (t) => {
  await nodes.databases.create('shop', { modules: ['base', 'rolling'], login: 'admin', password: 'admin' })
  const open = () =>
    Databases.open({
      dataDir: nodes.databases.options.dataDir,
      databaseUrl: nodes.address(),
      modules: newer,
      upgradeOnOpen: true,
      log: (line) => said.push(line),
    })
  const said: string[] = []
  const both = await Promise.all([open(), open()])
  t.after(() => Promise.all(both.map((server) => server.close())))
  const openedBy = (server: Databases) =>
    server.database('shop').catch((error: unknown) => {
      assert.ok(error instanceof ServiceUnavailable, String(error))
      return null
    })
  let database = (await Promise.all(both.map(openedBy))).find((one) => one !== null)
  // Both may have been asked to retry while the upgrade continues.
  while (!database) database = (await openedBy(both[0])) ?? undefined
  const rows = await database.system((env) =>
    env.query(
      raw(`SELECT (SELECT latest_version FROM ir_module_module WHERE name = 'rolling'), to_regclass('rolling_gone')::text,
        (SELECT value FROM ir_config_parameter WHERE key = 'database.expanded')`),
    ),
  )
  assert.deepEqual(rows[0], ['2.0', 'rolling_gone', null])
  assert.match(said.join('\n'), /Database shop has been upgraded/)
})
