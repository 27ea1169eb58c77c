// x2many commands: nested, on several owners at once, in their order.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { InvalidValue, MissingError, ValidationError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), trials])
})
after(() => db?.close())

const owners = (env: Environment, ids: readonly number[] = []) => env.model('trials.owner').browse(ids)
async function linesOf(env: Environment, id: number): Promise<(string | null)[]> {
  return (await owners(env, [id]).one(['line_ids.name'])).line_ids.map((l) => l.name)
}

test('commands: nest three levels deep, and each owner gets its own records', async () => {
  await db.run(async (env) => {
    const nested = (tag: string) => ({
      name: tag,
      line_ids: [
        [
          0,
          0,
          {
            name: `${tag}1`,
            sub_ids: [
              [0, 0, { value: 1 }],
              [0, 0, { value: 2 }],
            ],
          },
        ],
        [0, 0, { name: `${tag}2`, mark_id: false }],
      ],
      mark_ids: [[0, 0, { name: `${tag}m` }]],
    })
    const records = await owners(env).create([nested('a'), nested('b'), { name: 'c' }] as never)
    const seen = await records.load([
      'name',
      'line_ids.name',
      'line_ids.sub_ids.value',
      'mark_ids.name',
      'marks',
    ])
    assert.deepEqual(
      seen.map((o) => [
        o.name,
        o.line_ids.map((l) => [l.name, l.sub_ids.map((s) => s.value)]),
        o.mark_ids.map((m) => m.name),
        o.marks,
      ]),
      [
        [
          'a',
          [
            ['a1', [1, 2]],
            ['a2', []],
          ],
          ['am'],
          1,
        ],
        [
          'b',
          [
            ['b1', [1, 2]],
            ['b2', []],
          ],
          ['bm'],
          1,
        ],
        ['c', [], [], 0],
      ],
    )
  })
})

test('commands: a write on several owners creates a child record for each, and one shared many2many record', async () => {
  await db.run(async (env) => {
    const records = await owners(env).create([{ name: 'x' }, { name: 'y' }])
    await records.write({ line_ids: [[0, 0, { name: 'each' }]], mark_ids: [[0, 0, { name: 'shared' }]] })
    const [x, y] = await records.load(['line_ids', 'mark_ids', 'marks'])
    assert.equal(x?.line_ids.length, 1)
    assert.notDeepEqual(x?.line_ids, y?.line_ids)
    assert.deepEqual(x?.mark_ids, y?.mark_ids)
    assert.deepEqual([x?.marks, y?.marks], [1, 1])
  })
})

test('commands: run in order, whatever their types', async () => {
  await db.run(async (env) => {
    const [first, two] = (
      await owners(env).create([
        { name: 'p', line_ids: [[0, 0, { name: 'old' }]] },
        { name: 'q', line_ids: [[0, 0, { name: 'theirs' }]] },
      ])
    ).ids as [number, number]
    const [old, theirs] = await Promise.all(
      [first, two].map(async (id) => (await owners(env, [id]).one(['line_ids'])).line_ids[0]?.id as number),
    )
    await owners(env, [first]).write({
      line_ids: [
        [1, old, { name: 'renamed' }],
        [4, theirs],
        [0, 0, { name: 'new' }],
        [1, theirs, { name: 'mine' }],
      ],
    })
    assert.deepEqual((await linesOf(env, first)).toSorted(), ['mine', 'new', 'renamed'])
    assert.deepEqual(await linesOf(env, two), [])
    await owners(env, [first]).write({ line_ids: [[5], [0, 0, { name: 'only' }]] })
    assert.deepEqual(await linesOf(env, first), ['only'])
    const marks = (await env.model('trials.mark').create([{ name: '1' }, { name: '2' }, { name: '3' }])).ids
    await owners(env, [first]).write({
      mark_ids: [
        [6, 0, marks.slice(0, 2)],
        [3, marks[0]],
        [4, marks[2]],
        [4, marks[2]],
      ],
    })
    assert.deepEqual(
      (await owners(env, [first]).one(['mark_ids'])).mark_ids.map((m) => m.id),
      marks.slice(1),
    )
    await owners(env, [first]).write({ mark_ids: [[2, marks[1]]] })
    assert.deepEqual((await env.model('trials.mark').browse(marks).exists()).ids, [marks[0], marks[2]])
    assert.equal((await owners(env, [first]).one(['marks'])).marks, 1)
  })
})

test('commands: a child record that two owners link in one call stays with the last', async () => {
  await db.run(async (env) => {
    const [line] = await env
      .model('trials.line')
      .create([{ name: 'l', owner_id: (await owners(env).create([{ name: 'first' }])).ids[0] as number }])
    const records = await owners(env).create([{ name: 'r' }, { name: 's' }])
    await records.write({ line_ids: [[4, line?.ids[0]]] })
    const seen = await records.load(['line_ids'])
    assert.deepEqual(
      seen.map((o) => o.line_ids.length),
      [0, 1],
    )
  })
})

test('commands: refusals name what is wrong, and change nothing', async () => {
  const bad: [unknown, new (message: string) => Error][] = [
    [[[0]], InvalidValue],
    [[[1, 'x', {}]], InvalidValue],
    [[[9, 0, 0]], InvalidValue],
    ['text', InvalidValue],
    [[[4]], InvalidValue],
    [[[6, 0, 'x']], InvalidValue],
    [[[0, 0, { nowhere: 1 }]], InvalidValue],
    [[[1, 2 ** 30, {}]], MissingError],
    [[[4, 2 ** 30]], MissingError],
    [[[2, 2 ** 30]], MissingError],
  ]
  for (const [line_ids, kind] of bad) {
    await assert.rejects(
      db.run((env) => owners(env).create([{ name: 'never', line_ids } as never])),
      (error: unknown) => error instanceof kind || assert.fail(`${JSON.stringify(line_ids)}: ${error}`),
    )
  }
  await assert.rejects(
    db.run((env) => owners(env).create([{ name: 'never', mark_ids: [[4, 2 ** 30]] }])),
    ValidationError,
  )
  await assert.rejects(
    db.run((env) =>
      owners(env).create([{ name: 'never', line_ids: [[0, 0, { sub_ids: [[1, 2 ** 40, {}]] }]] }]),
    ),
  )
  await db.run(async (env) => assert.equal(await owners(env).searchCount([['name', '=', 'never']]), 0))
})

test('commands: values of many records written in sets equal those written one by one', async () => {
  await db.run(async (env) => {
    const currencies = (await env.model('res.currency').search([], { limit: 2 })).ids
    const [owner] = (await owners(env).create([{ name: 'O' }])).ids as [number]
    const start = {
      name: 'start',
      code: 'c',
      rate: 1.5,
      amount: 3,
      serial: 4,
      res_model: 'trials.owner',
      res_id: owner,
    }
    const values: Record<string, unknown>[] = [
      {
        name: 'a',
        code: 'x',
        rate: 2.25,
        amount: 1.239,
        currency_id: currencies[0],
        serial: 1,
        subject: `trials.owner,${owner}`,
      },
      {
        name: false,
        code: false,
        rate: 0,
        amount: 10,
        currency_id: currencies[1],
        serial: '7',
        subject: false,
      },
      {
        name: 'c "quoted" \\ é',
        code: '',
        rate: -1,
        amount: 0,
        currency_id: false,
        serial: null,
        subject: `trials.note,1`,
      },
      { code: 'only' },
      { fahrenheit: 212, owner_id: owner },
      { fahrenheit: 32, owner_id: false },
      { owner_id: owner, owner_name: 'Olga' },
      {},
    ]
    const notes = env.model('trials.note')
    const first = await notes.create(values.map(() => start))
    const other = await notes.create(values.map(() => start))
    for (const [i, id] of first.ids.entries()) await notes.browse([id]).write(values[i] as never)
    await other.writeEach(new Map(other.ids.map((id, i) => [id, values[i] as never])))
    const rows = async (records: typeof first) =>
      (await records.read(null, null)).map(({ id: _, display_name: _name, ...row }) => row)
    const plain = (row: Record<string, unknown>) => ({ ...row, create_date: 0, write_date: 0 })
    assert.deepEqual((await rows(other)).map(plain), (await rows(first)).map(plain))
    const [company] = (await env.model('res.company').create([{ name: 'Elsewhere' } as never])).ids as [
      number,
    ]
    const elsewhere = other.browse(other.ids).withContext({ allowed_company_ids: [company] })
    await elsewhere.writeEach(new Map(other.ids.map((id, i) => [id, { code: `t${i}` }])))
    assert.deepEqual(
      (await elsewhere.load(['code'])).map((n) => n.code),
      values.map((_, i) => `t${i}`),
    )
    assert.deepEqual((await rows(other)).map(plain), (await rows(first)).map(plain))
  })
})
