// Calls that run in one flush, under faults: code that continues after a failure, functions that use a
// record's id, constraints, lost transactions and broken connections. The rows must be those of the
// general path, each effect once, and uses of a key count alike.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import {
  boolean,
  char,
  computed,
  defineModule,
  extend,
  implement,
  integer,
  many2one,
  model,
  type Of,
  ref,
  required,
  returns,
} from '../../src/models/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { type Sql, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { loseOddTurns, oddComesNext } from '../support/odd-turns.ts'
import { measured } from '../support/statements.ts'

const thing = model('flush.thing', {
  label: 'Thing',
  fields: {
    name: char({ required: true }),
    is_plain: boolean(),
    country_id: many2one('res.country'),
    tint: integer({ computed: true, stored: true }),
    tag: char({ computed: true, stored: true }),
  },
  rules: {
    one_name: { unique: ['name'], message: 'There is a thing of this name.' },
    long_name: { check: 'length(name) < 30', message: 'This name is too long.' },
  },
})
const counted = model('flush.counted', {
  label: 'Counted',
  fields: { name: char({ required: true }), is_plain: boolean() },
})
const softPartner = extend('res.partner', {
  fields: {},
  methods: {
    write_softly: {
      doc: 'Writes, and goes on whatever is heard.',
      params: { vals: required<Record<string, unknown>>('object') },
      returns: returns<boolean>('boolean', 'bool', 'Always true'),
    },
  },
})

declare module '#models' {
  interface Models {
    'flush.thing': FlushThing
    'flush.counted': FlushCounted
  }
  interface FlushCounted extends Of<typeof counted> {}
  interface FlushThing extends Of<typeof thing> {}
  interface ResPartner extends Of<typeof softPartner> {}
}

const flushed = defineModule({
  name: 'flush_attacked',
  version: '1.0',
  summary: 'Things, for tests',
  depends: ['base'],
  data: [
    {
      model: 'ir.model.access',
      records: {
        things: {
          name: 'things',
          model_id: ref('flush_attacked.model_flush_thing'),
          group_id: ref('base.group_user'),
          perm_read: true,
          perm_write: true,
          perm_create: true,
        },
        counted: {
          name: 'counted',
          model_id: ref('flush_attacked.model_flush_counted'),
          group_id: ref('base.group_user'),
          perm_read: true,
          perm_write: true,
          perm_create: true,
        },
      },
    },
  ],
  models: [
    implement(thing, {
      computed: {
        tint: computed(thing, ['is_plain'], (thing) => (thing.is_plain ? 0 : thing.id % 12)),
        tag: computed(thing, ['is_plain', 'name'], (thing) =>
          thing.is_plain ? thing.name : thing.id.toString(36),
        ),
      },
    }),
    implement(counted, {
      // The number that stands for an id before the row is there (−1) is odd.
      checks: { Odd: computed(counted, ['is_plain'], (record) => record.is_plain || record.id % 2 !== 0) },
    }),
    implement(softPartner, {
      methods: {
        async write_softly(records, { vals }) {
          await records.write(vals as never)
          await records.env.unit.query(sql`SELECT 1`).catch(() => undefined)
          return true
        },
      },
    }),
  ],
})

let held: TestDatabase
let key = ''
before(async () => {
  held = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), flushed])
  key = await createKey(held.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
  await loseOddTurns(run, 'flush_thing')
})
after(() => held?.close())

const run = (statement: Sql) => held.run(({ unit }) => unit.query(statement))
const query = async (text: string, ...params: unknown[]): Promise<readonly (readonly unknown[])[]> =>
  held.database.pool.use((connection) => connection.query(text, params as never))

interface Heard {
  readonly status: number
  readonly body: unknown
  readonly message: string
}

/** A call as a wire would make it, with a key of repetition if one is given. */
async function ask(model: string, method: string, body: object, repeated?: string): Promise<Heard> {
  const { ids, ...named } = body as { ids?: readonly number[] }
  try {
    const { json } = await call(held.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model,
      method,
      body: () => ({ ids, named: structuredClone(named) as Record<string, unknown> }),
      remote: '127.0.0.1',
      requestId: 'test',
      ...(repeated ? { asks: { key: repeated, onlyKey: true, tell: () => undefined } } : {}),
    } as never)
    return { status: 200, body: JSON.parse(json), message: '' }
  } catch (error) {
    const { status = 500, message } = error as Error & { status?: number }
    return { status, body: null, message: `${(error as Error).name}: ${message}` }
  }
}
const make = (vals: object, repeated?: string) =>
  ask('flush.thing', 'create', { vals_list: [vals] }, repeated)

let warmed = 0
/** Makes a form known, and says that it leaves in one trip from there on. */
async function warm(vals: object): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const { status, message } = await make({ ...vals, name: `Warm ${++warmed}` })
    assert.equal(status, 200, message)
  }
  const { trips } = await measured(() => make({ ...vals, name: `Warm ${++warmed}` }))
  assert.equal(trips, 1, 'it is the known way that is attacked')
}

const rowsOf = (name: string) =>
  query(
    `SELECT t.id, (SELECT string_agg(f.op || f.ids::text, ' ') FROM comptoir_change f WHERE f.model = 'flush.thing' AND t.id = ANY(f.ids))
      FROM flush_thing t WHERE t.name = $1 ORDER BY t.id`,
    name,
  )

test('one flush: a failure that code catches and ignores does not become a success', async () => {
  const partners = async (vals: object) =>
    (await ask('res.partner', 'create', { vals_list: [vals] })).body as number[]
  const [id] = await partners({ name: 'Above', city: 'Huy' })
  const softly = (city: string) => ask('res.partner', 'write_softly', { ids: [id], vals: { city } })
  for (const city of ['Ath', 'Spa', 'Ans']) assert.equal((await softly(city)).status, 200)
  // The fast path of these writes asserts that the record has no children.
  const [below] = await partners({ name: 'Below', parent_id: id })
  const response = await softly('Mons')
  assert.deepEqual(response, { status: 200, body: true, message: '' })
  assert.deepEqual(await query('SELECT city FROM res_partner WHERE id = ANY($1) ORDER BY id', [id, below]), [
    ['Mons'],
    ['Mons'],
  ])
})

test('one flush: functions that use the id get it, whatever they returned when the plan was cached', async () => {
  await warm({ is_plain: true })
  for (let n = 0; n < 13; n++) {
    const response = await make({ is_plain: false, name: `Tinted ${n}` })
    assert.equal(response.status, 200, response.message)
  }
  const rows = await query(`SELECT id, tint, tag FROM flush_thing WHERE name LIKE 'Tinted %'`)
  assert.equal(rows.length, 13)
  for (const [id, tint, tag] of rows)
    assert.deepEqual([tint, tag], [Number(id) % 12, Number(id).toString(36)], `of ${id}`)
})

test('one flush: checks that use the id see that of the record', async () => {
  const counting = (is_plain: boolean) =>
    ask('flush.counted', 'create', { vals_list: [{ name: 'Counted', is_plain }] })
  for (let n = 0; n < 4; n++) assert.equal((await counting(true)).status, 200)
  const statuses: number[] = []
  for (let n = 0; n < 6; n++) statuses.push((await counting(false)).status)
  const kept = await query('SELECT id FROM flush_counted WHERE NOT is_plain ORDER BY id')
  assert.ok(
    kept.every(([id]) => Number(id) % 2 === 1),
    JSON.stringify(kept),
  )
  assert.deepEqual([...new Set(statuses)].toSorted(), [200, 422], JSON.stringify(statuses))
})

test('one flush: constraint failures are reported, nothing is kept, and the next call succeeds', async () => {
  await warm({ is_plain: true })
  const refused = {
    'There is a thing of this name.': { name: 'Warm 1' },
    'This name is too long.': { name: 'x'.repeat(31) },
  }
  const uses = async () => {
    await held.database.callers.settle()
    return Number((await query('SELECT COALESCE(sum(uses), 0)::int FROM comptoir_key_use'))[0]?.[0])
  }
  for (const repeated of [undefined, 'refused'])
    for (const [message, vals] of Object.entries(refused)) {
      const before = [await uses(), (await query('SELECT count(*)::int FROM comptoir_change'))[0]?.[0]]
      const response = await make({ is_plain: true, ...vals }, repeated && `${repeated} ${message}`)
      assert.equal(response.status, 422, response.message)
      assert.ok(response.message.includes(message), response.message)
      const now = [await uses(), (await query('SELECT count(*)::int FROM comptoir_change'))[0]?.[0]]
      assert.deepEqual(now, [Number(before[0]) + 1, before[1]], 'it is a use of the key, and no change')
      const next = `Next ${++warmed}`
      assert.deepEqual((await make({ is_plain: true, name: next })).body, [(await rowsOf(next))[0]?.[0]])
      assert.equal(await uses(), Number(now[0]) + 1)
    }
  const [gone] = (
    await query(`INSERT INTO res_country (name, code) VALUES ('{"en_US": "Gone"}', 'QQ') RETURNING id`)
  )[0] as [number]
  await query('DELETE FROM res_country WHERE id = $1', gone)
  const response = await make({ country_id: gone, name: 'Nowhere' })
  assert.equal(response.status, 422, response.message)
  assert.deepEqual(await rowsOf('Nowhere'), [])
})

test('one flush: a conflict at COMMIT is retried once with its own id; a stopped call is reported', async () => {
  await warm({ is_plain: true })
  for (const name of ['Lost 1', 'Dead 1', 'Lost 2', 'Dead 2']) {
    const response = await make({ is_plain: true, name }, name.endsWith('2') ? name : undefined)
    assert.equal(response.status, 200, response.message)
    const [id] = response.body as number[]
    assert.deepEqual(await rowsOf(name), [[id, `c{${id}}`]])
    if (name.endsWith('2')) assert.deepEqual((await make({ is_plain: true, name }, name)).body, [id])
  }
  const late = await make({ is_plain: true, name: 'Late 1' })
  assert.ok(late.status >= 400, `${late.status}`)
  assert.deepEqual(await rowsOf('Late 1'), [])
})

test('one flush: if the connection breaks, the outcome is unknown without a key, and one effect with it', async () => {
  await warm({ is_plain: true })
  const cut = await make({ is_plain: true, name: 'Cut 1' })
  assert.equal(cut.status, 503, cut.message)
  assert.match(cut.message, /may or may not have taken effect/)
  assert.deepEqual(await rowsOf('Cut 1'), [])
  await run(oddComesNext)
  const response = await make({ is_plain: true, name: 'Cut 2' }, 'cut')
  assert.equal(response.status, 200, response.message)
  const [id] = response.body as number[]
  assert.deepEqual(await rowsOf('Cut 2'), [[id, `c{${id}}`]])
  assert.deepEqual((await make({ is_plain: true, name: 'Cut 2' }, 'cut')).body, [id])
})
