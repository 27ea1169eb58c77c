// One call is one transaction: conflicts are repeated with fresh arguments, attempts leave no trace, failures keep nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { attempt } from '../../src/models/transfer/attempt.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { meeting } from '../fixtures/modules/trials/counter.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, trials])
})
after(() => db?.close())

test('two callers who read the same and write meet: both count, each with its own arguments', async () => {
  const ids = await db.run(async (env) => (await env.model('trials.counter').create([{ value: 40 }])).ids)
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'bump', days: 1 })
  let waiting = 0
  const { promise: both, resolve: open } = Promise.withResolvers<void>()
  let calls = 0
  meeting.wait = async () => {
    calls++
    if (++waiting === 2) open()
    await both
  }
  const bump = async (n: number) => {
    const request = {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'trials.counter',
      method: 'bump',
      remote: '127.0.0.1',
      requestId: `r${n}`,
    } as const
    return JSON.parse((await call(db.databases, { ...request, body: () => ({ ids, named: { bag: { by: 1 } } }) })).json)
  }
  try {
    assert.deepEqual(await Promise.all([bump(1), bump(2)]), [1, 1])
  } finally {
    meeting.wait = async () => undefined
  }
  assert.equal(calls, 3, 'one of the two was repeated once')
  await db.run(async (env) => assert.equal((await env.model('trials.counter').browse(ids).one(['value'])).value, 42))
})

test('an attempt that fails takes back rows, cached values and what waits; the call goes on', async () => {
  const id = await db.run(async (env) => {
    const groups = await env.model('works.group').create([{ name: 'G', item_ids: [[0, 0, { price: 3 }]] }])
    await groups.write({ factor: 2 })
    const failing = attempt(env, async () => {
      await groups.write({ factor: 9, name: 'lost', item_ids: [[0, 0, { price: 100 }]] })
      assert.equal((await groups.one(['total'])).total, 927)
      await attempt(env, () => env.model('works.node').create([{ name: 'inner' }]))
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    const { total, name, size } = await groups.one(['total', 'name', 'size'])
    assert.deepEqual([total, name, size], [6, 'G', 1])
    assert.equal(await env.model('works.node').searchCount([['name', '=', 'inner']]), 0)
    await attempt(env, async () => {
      await assert.rejects(attempt(env, () => env.model('works.group').create([{ name: null as never }])))
      await groups.write({ factor: 4 })
    })
    return groups.ids
  })
  await db.run(async (env) => assert.equal((await env.model('works.group').browse(id).one(['total'])).total, 12))
})

test('a savepoint that fails leaves waiting what it had computed, and nothing that it made wait', async () => {
  const ids = await db.run(async (env) => {
    const groups = await env.model('works.group').create([{ name: 'S', item_ids: [[0, 0, { price: 3 }]] }])
    await groups.write({ factor: 5 })
    const failing = env.unit.savepoint(async () => {
      assert.equal((await groups.one(['total'])).total, 15)
      await groups.write({ name: 'lost' })
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    return groups.ids
  })
  await db.run(async (env) => {
    const [first] = await env.model('works.group').browse(ids).load(['total', 'factor', 'name', 'item_ids.group_name'])
    assert.deepEqual([first?.total, first?.factor, first?.name], [15, 5, 'S'])
    assert.deepEqual(
      first?.item_ids.map((i) => i.group_name),
      ['S'],
    )
  })
})

test('nothing of a failed transaction stays, though parts of it were computed and read', async () => {
  await assert.rejects(
    db.run(async (env) => {
      const groups = await env.model('works.group').create([{ name: 'never', item_ids: [[0, 0, { price: 3 }]] }])
      await groups.one(['total'])
      throw new Error('at the end')
    }),
    /at the end/,
  )
  await db.run(async (env) => assert.equal(await env.model('works.group').searchCount([['name', '=', 'never']]), 0))
})
