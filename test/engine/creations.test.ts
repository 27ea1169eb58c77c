// Creations: every call has a transaction of its own, also when many come at once; the records of one call's
// list are made in one trip, and their ids are in the order of the list.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  boolean,
  char,
  defineModule,
  implement,
  integer,
  model,
  type Of,
  ref,
} from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import type { CallBody } from '../../src/services/request.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { measured } from '../support/statements.ts'

const thing = model('made.thing', {
  label: 'Thing',
  fields: { name: char({ required: true }), size: integer(), trouble: boolean() },
  rules: {
    one_name: { unique: ['name'], message: 'There is a thing of this name.' },
    small: { check: 'size < 1000', message: 'This thing is too large.' },
  },
})

declare module '#models' {
  interface Models {
    'made.thing': MadeThing
  }
  interface MadeThing extends Of<typeof thing> {}
}

const ours = defineModule({
  name: 'creations',
  version: '1.0',
  summary: 'Things, for tests',
  depends: ['base'],
  data: [
    {
      model: 'ir.model.access',
      records: {
        things: {
          name: 'things',
          model_id: ref('creations.model_made_thing'),
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
      concerns: { create: (names) => names.has('trouble') },
      wrapCreate: (next) => async (things, list) => {
        if (list.some(({ trouble }) => trouble)) throw new TypeError('A fault of this module')
        return next(things, list)
      },
    }),
  ],
})

let held: TestDatabase
let key = ''
before(async () => {
  held = await openTestDatabase([base, ours])
  key = await createKey(held.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
})
after(() => held?.close())

const query = async (text: string, ...params: unknown[]): Promise<readonly (readonly unknown[])[]> =>
  held.database.pool.use((connection) => connection.query(text, params as never))

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly message: string
}

/** A creation as a wire would ask for it. */
async function ask(body: CallBody): Promise<Answer> {
  try {
    const { json } = await call(held.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'made.thing',
      method: 'create',
      body: () => body,
      remote: '127.0.0.1',
      requestId: 'test',
    })
    return { status: 200, body: JSON.parse(json), message: '' }
  } catch (error) {
    const { status = 500, message } = error as Error & { status?: number }
    return { status, body: null, message }
  }
}

const make = (vals: object | readonly object[]) =>
  ask({ named: { vals_list: Array.isArray(vals) ? vals : [vals] } })

const namesOf = (ids: unknown) =>
  query('SELECT name FROM made_thing WHERE id = ANY($1) ORDER BY id', ids).then((rows) => rows.flat())

// spec/external-api.md: "Each call runs in its own SQL transaction."
test('creates that come at once: a transaction for each, and a refusal concerns its own call alone', async () => {
  await make({ name: 'Taken' })
  const refused: Record<number, [object, RegExp, number]> = {
    3: [{ name: 'Taken' }, /There is a thing of this name/, 422],
    5: [{ name: 'Large', size: 5000 }, /too large/, 422],
    6: [{ size: 1 }, /[Nn]ame/, 422],
    7: [{ name: 'Odd', colour: 1 }, /colour/, 422],
    8: [{ name: 'Fault', trouble: true }, /fault of this module/, 500],
    9: [{ name: 'Text', size: 'many' }, /./, 422],
  }
  for (const round of ['cold', 'warm']) {
    const valsOf = (n: number) => refused[n]?.[0] ?? { name: `Fine ${round} ${n}` }
    const { response } = await measured(() =>
      Promise.all(Array.from({ length: 16 }, (_, n) => make(valsOf(n)))),
    )
    for (const [n, { status, body, message }] of response.entries()) {
      const expected = refused[n]
      assert.equal(status, expected?.[2] ?? 200, `${n}: ${message}`)
      if (expected) assert.match(message, expected[1])
      else assert.deepEqual(await namesOf(body), [`Fine ${round} ${n}`])
    }
    const [counts] = await query(
      `SELECT count(*)::int, count(DISTINCT xmin::text)::int FROM made_thing WHERE name LIKE $1`,
      `Fine ${round} %`,
    )
    assert.deepEqual(counts, [10, 10], 'rows, transactions')
  }
})

test('records of a known form: a list in one trip, with its own ids in answer, row and feed', async () => {
  const many = (name: string) => Array.from({ length: 10 }, (_, n) => ({ name: `${name} ${n}`, size: n }))
  for (let n = 0; n < 3; n++) assert.equal((await make({ name: `Known ${n}`, size: n })).status, 200)
  const { response, trips, statements, texts } = await measured(() => make(many('Listed')))
  assert.deepEqual({ trips, statements }, { trips: 1, statements: 5 }, texts.join('\n'))
  const ids = response.body as number[]
  assert.deepEqual(
    await namesOf(ids),
    many('Listed').map(({ name }) => name),
  )
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  const reported = await query(
    `SELECT f.ids FROM comptoir_change f WHERE f.model = 'made.thing' AND f.op = 'c' AND f.ids && $1::int[]`,
    ids,
  )
  assert.deepEqual(reported.flat(2), ids)
  const refused = await make([...many('Refused'), { name: 'Listed 3', size: 3 }])
  assert.equal(refused.status, 422)
  assert.match(refused.message, /There is a thing of this name/)
  assert.deepEqual(await query(`SELECT 1 FROM made_thing WHERE name LIKE 'Refused%'`), [])
})

test('create: a list with an idempotency key is created once, and returns the same answer', async () => {
  const repeated = async () => {
    const asks = { key: 'a list', onlyKey: true, tell: () => undefined }
    const { json } = await call(held.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'made.thing',
      method: 'create',
      body: () => ({ named: { vals_list: [1, 2, 3].map((n) => ({ name: `Once ${n} %s %1$s`, size: n })) } }),
      remote: '127.0.0.1',
      requestId: 'test',
      asks,
    })
    return JSON.parse(json) as number[]
  }
  for (let n = 0; n < 3; n++) await make({ name: `Before once ${n}`, size: n })
  const ids = await repeated()
  assert.deepEqual(await namesOf(ids), ['Once 1 %s %1$s', 'Once 2 %s %1$s', 'Once 3 %s %1$s'])
  assert.deepEqual(await repeated(), ids)
  assert.equal((await query(`SELECT 1 FROM made_thing WHERE name LIKE 'Once %'`)).length, 3)
})

test("RPC's forms: an object gives an id, a list gives ids", async () => {
  const forms = [{ name: 'R 0' }, [{ name: 'R 1' }], [{ name: 'R 2' }, { name: 'R 3' }]]
  for (const form of forms) {
    const { body } = await ask({ positional: [form], rpc: true })
    assert.equal(Array.isArray(body), Array.isArray(form))
    assert.deepEqual(
      await namesOf([body].flat()),
      [form].flat().map(({ name }) => name),
    )
  }
})
