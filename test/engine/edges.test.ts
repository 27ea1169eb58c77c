// The edges of reading and writing, through the service and without HTTP: stored exactly or refused clearly,
// and never a fault of ours.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { implement } from '../../src/models/behaviour/implement.ts'
import {
  boolean,
  char,
  date,
  datetime,
  defineModule,
  float,
  integer,
  json,
  many2many,
  many2one,
  model,
  one2many,
  reference,
  selection,
  text,
} from '../../src/models/index.ts'
import type { Behaviour } from '../../src/models/language/behaviour.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const loose = implement as unknown as (contract: unknown) => Behaviour
const edges = defineModule({
  name: 'edges',
  version: '1',
  summary: 'One field of each kind',
  depends: ['base'],
  models: [
    loose(
      model('edge.thing', {
        order: 'name, id',
        rules: { positive: { check: 'number IS NULL OR number <> 13', message: 'Thirteen is not allowed' } },
        fields: {
          name: char({ required: true }),
          short: char({ size: 3 }),
          note: text(),
          number: integer(),
          amount: float({ digits: [16, 2] }),
          free: float(),
          flag: boolean(),
          day: date(),
          moment: datetime(),
          kind: selection({ a: 'A', b: 'B' }),
          data: json(),
          any_ref: reference({ 'edge.thing': 'Thing' }),
          parent_id: many2one('edge.thing', { ondelete: 'restrict' }),
          child_ids: one2many('edge.thing', 'parent_id'),
          tag_ids: many2many('res.partner.category'),
        },
      }),
    ),
  ],
})

let db: TestDatabase
let key: string
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), edges])
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  await db.run(async (env) => {
    const [thing] = (await env.model('ir.model').search([['model', '=', 'edge.thing']])).ids
    const rights = {
      name: 'things',
      model_id: thing as number,
      perm_read: true,
      perm_write: true,
      perm_create: true,
      perm_unlink: true,
    }
    await env.model('ir.model.access').create([rights])
  })
})
after(() => db?.close())

interface Said {
  readonly status: number
  readonly value: unknown
}

/** The result that a client would get. Internal errors are rethrown. */
async function over(
  name: string,
  method: string,
  { ids, context, ...named }: Record<string, unknown>,
): Promise<Said> {
  const request = {
    database: 'test',
    credential: { kind: 'key', key },
    model: name,
    method,
    remote: '127.0.0.1',
    requestId: 'edges',
  } as const
  try {
    const answer = await call(db.databases, { ...request, body: () => ({ ids, context, named }) })
    return { status: 200, value: JSON.parse(answer.json) }
  } catch (error) {
    const shown = JSON.stringify({ ids, context, ...named })?.slice(0, 300)
    if (!(error instanceof ServiceError) || error.status >= 500)
      throw new Error(`${name}/${method} ${shown}: ${error}`, { cause: error })
    return { status: error.status, value: error.message }
  }
}

const count = async (): Promise<number> =>
  (await over('edge.thing', 'search_count', { domain: [], context: { active_test: false } })).value as number

const long = 'é'.repeat(200_000)
const refused = Symbol('refused')

// biome-ignore format: one line a field
const values: readonly (readonly [field: string, given: unknown, read: unknown])[] = [
  ['name', '🦊 a\tb\u0001\u007f', '🦊 a\tb\u0001\u007f'], ['name', 'a\0b', refused], ['name', '\ud800', refused], ['name', ' a ', ' a '], ['name', 12, '12'], ['name', ['a'], refused],
  ['name', {}, refused], ['name', true, refused], ['name', false, refused], ['name', null, refused], ['short', '🦊🦊🦊🦊', '🦊🦊🦊'], ['short', '', ''], ['note', long, long], ['note', '\r\n', '\r\n'],
  ['number', 2147483647, 2147483647], ['number', -2147483648, -2147483648], ['number', 2147483648, refused], ['number', 1e308, refused], ['number', '12', 12], ['number', '1e3', refused],
  ['number', 'x', refused], ['number', [], refused], ['number', {}, refused], ['number', 1.9, 1], ['number', true, 1], ['number', false, 0], ['number', 13, refused],
  ['amount', 1.005, 1.01], ['amount', -0, 0], ['amount', 999999999999.99, 999999999999.99], ['amount', 1e12, refused], ['amount', -1e15, refused], ['amount', '2.5', 2.5], ['amount', 'NaN', refused], ['amount', 'Infinity', refused], ['amount', '1e400', refused],
  ['free', 1e308, 1e308], ['free', 5e-324, 5e-324], ['free', 0.1, 0.1], ['free', '0x10', refused], ['flag', 'no', true], ['flag', 0, false], ['flag', [], false],
  ['day', '2024-02-29', '2024-02-29'], ['day', '2023-02-29', refused], ['day', '0000-01-01', refused], ['day', '0001-01-01', '0001-01-01'], ['day', '9999-12-31', '9999-12-31'],
  ['day', '10000-01-01', refused], ['day', 20240101, refused], ['day', 'today', refused], ['day', '', false], ['moment', '2024-02-29 23:59:60', refused], ['moment', '2024-02-29 24:00:00', refused],
  ['moment', '9999-12-31 23:59:59', '9999-12-31 23:59:59'], ['moment', '2024-01-01T00:00:00Z', refused], ['moment', 'infinity', refused], ['kind', 'a', 'a'], ['kind', 'A', refused], ['kind', '', false],
  ['kind', ['a'], refused], ['any_ref', 'edge.thing,x', refused], ['any_ref', 'nope,1', refused], ['any_ref', 7, refused], ['parent_id', 999999, refused], ['parent_id', 'x', refused],
  ['parent_id', -1, refused], ['parent_id', 2147483648, refused], ['parent_id', 1.5, refused], ['parent_id', {}, refused], ['parent_id', false, false], ['tag_ids', 'x', refused], ['tag_ids', [[9, 0, 0]], refused], ['tag_ids', [[4, 999999]], refused],
  ['tag_ids', [[6, 0, ['x']]], refused], ['tag_ids', [[6, 0, [2147483648]]], refused], ['tag_ids', [[4]], refused], ['tag_ids', [{}], refused], ['child_ids', [[0, 0, 'x']], refused], ['child_ids', [[0, 0, { nope: 1 }]], refused], ['child_ids', [[1, 999999, { name: 'x' }]], refused],
  ['child_ids', [[2, 'x', 0]], refused], ['nope', 1, refused], ['__proto__x', 1, refused], ['constructor', 1, refused], ['name"; drop table edge_thing; --', 1, refused],
]

test('edge cases: a value is stored exactly or rejected, alike in create and write', async () => {
  const ids = (await over('edge.thing', 'create', { vals_list: { name: 'written' } })).value as number[]
  const before = await count()
  let created = 0
  for (const [field, input, read] of values) {
    const shown = `${field} ${JSON.stringify(input)?.slice(0, 80)}`
    const answers = [
      await over('edge.thing', 'create', { vals_list: [{ name: 'x', [field]: input }] }),
      await over('edge.thing', 'write', { ids: ids, vals: { [field]: input } }),
    ]
    for (const [i, answer] of answers.entries()) {
      if (read === refused) {
        assert.ok(answer.status >= 400, `${shown} was taken: ${JSON.stringify(answer)}`)
        assert.ok(String(answer.value).length < 1000, `${shown}: a refusal at length`)
        continue
      }
      assert.equal(answer.status, 200, `${shown}: ${JSON.stringify(answer)}`)
      if (i === 0) created++
      const [row] = (await over('edge.thing', 'read', { ids: i === 0 ? answer.value : ids, fields: [field] }))
        .value as Record<string, unknown>[]
      assert.deepEqual(row?.[field], read, shown)
    }
  }
  assert.equal(await count(), before + created, 'what was refused left nothing behind')
})

test('edge cases: reject hostile orders, fields, windows and ids', async () => {
  // biome-ignore format: one line a method
  const bad: readonly [string, Record<string, unknown>][] = [
    ...['name; drop table edge_thing', 'name desc; --', 'nope', 'name,,id', 'name ascending', '"name"', 'name--', 'name nulls', 'child_ids', 'tag_ids', 'parent_id.name', 'data', '1', '(select 1)', 'name\0', ',', 'id::text', 'a.b.c.d', 'name,'.repeat(200)]
      .map((order): [string, Record<string, unknown>] => ['search', { domain: [], order }]),
    ...[-1, 1.5, 'x', [], {}, 1e300].flatMap((limit): [string, Record<string, unknown>][] => [['search', { domain: [], limit }], ['search', { domain: [], offset: limit }], ['search_count', { domain: [], limit }]]),
    ...[['nope'], ['name"'], [1], [null], [['name']], 'name', { name: 1 }, ['name.x'], ['__proto__'], ['constructor']].map((fields): [string, Record<string, unknown>] => ['search_read', { domain: [], fields }]),
    ...['x', {}, [null], ['1'], [[1]], [1.5], true].map((ids): [string, Record<string, unknown>] => ['read', { ids }]),
    ['search', { domain: [], order: {} }], ['search', { domain: [], order: ['name'] }], ['create', { vals_list: 'x' }], ['create', { vals_list: [1] }], ['create', { vals_list: [[]] }],
    ['write', { ids: [1], vals: ['name'] }], ['write', { ids: [1], vals: 'x' }],  ['search', { domain: 'x' }], ['search', { domain: [['name', 'like', 'a\0']] }],
    ['name_search', { operator: 'drop' }], ['name_search', { operator: 1 }], ['name_search', { limit: -1 }], ['default_get', { fields: 'x' }], ['copy', { ids: [999999] }],
    ...[-1, 1.5].map((limit): [string, Record<string, unknown>] => ['web_read', { ids: [], specification: { child_ids: { fields: {}, limit } } }]),
    ['search', { domain: [], context: 'x' }], ['search', { domain: [], context: { lang: 'xx_XX' } }], ]
  for (const [method, body] of bad) {
    const answer = await over('edge.thing', method, body)
    assert.ok(answer.status >= 400, `${method} ${JSON.stringify(body).slice(0, 200)} was taken`)
  }
})

test('edge cases: accept values that are odd but harmless', async () => {
  const [id] = (await over('edge.thing', 'create', { vals_list: { name: 'odd' } })).value as [number]
  // biome-ignore format: one line a call
  const good: readonly [string, Record<string, unknown>, unknown][] = [
    ['search', { domain: [['id', '=', id]], limit: 0 }, [id]], ['search', { domain: [['id', '=', id]], limit: false, offset: false, order: false }, [id]], ['search', { domain: [['id', '=', id]], offset: 2 ** 40 }, []],
    ['search', { domain: [['id', '=', id]], limit: 2 ** 40 }, [id]], ['search', { domain: [['id', 'in', [id, 2 ** 40, -1, false]]] }, [id]], ['search', { domain: [['number', '<', 1e300], ['id', '=', id]] }, [id]],
    ['read', { ids: [], fields: ['name'] }, []], ['read', { ids: [id, id], fields: ['short'] }, [{ id, short: false }, { id, short: false }]], ['write', { ids: [], vals: { name: 'x' } }, true], ['unlink', { ids: [] }, true],
    ['search', { domain: [['id', '=', id], ['name', 'like', '\\']] }, []], ['search', { domain: [['name', 'ilike', '%_\\%'], ['id', '=', id]] }, []], ['search_count', { domain: [['name', '=', long]] }, 0], ['create', { vals_list: [] }, []],
    ['search', { domain: [['id', '=', id]], order: ' NAME  desc nulls  first , id' }, 0], ['search', { domain: [['id', '=', id]], order: 'name DESC NULLS LAST,id' }, [id]],
  ]
  for (const [method, body, expected] of good) {
    const answer = await over('edge.thing', method, body)
    if (expected !== 0)
      assert.deepEqual(
        answer,
        { status: 200, value: expected },
        `${method} ${JSON.stringify(body).slice(0, 200)}`,
      )
  }
})

test('edge cases: no parameter of any method causes a server error', async () => {
  const faults: string[] = []
  const probe = (...call: Parameters<typeof over>) =>
    over(...call).catch((fault: Error) => faults.push(fault.message))
  const anything: readonly unknown[] = [
    null,
    true,
    -1,
    1e308,
    '',
    'x',
    'a\0',
    [],
    [[]],
    [1, 'x'],
    [null],
    {},
    { name: {} },
    { id: 1 },
    [['name', '=', {}]],
    [[0, 0, {}]],
    '__proto__',
  ]
  const tried = new Set<unknown>()
  for (const name of ['edge.thing', 'res.partner', 'ir.module.module', 'res.partner.bank']) {
    const { methods } = (await db.run(async (env) => env.def(name))) as {
      methods: ReadonlyMap<string, { private: boolean; level: string; params: object; run: unknown }>
    }
    for (const [method, { private: hidden, level, params, run }] of methods) {
      // Methods of every model and of mixins run the same code on the next one.
      if (hidden || tried.has(run)) continue
      tried.add(run)
      const names = Object.keys(params)
      for (const value of anything) {
        const ids = level === 'model' ? {} : { ids: [1] }
        for (const param of names) {
          const others = Object.fromEntries(
            names.filter((other) => other !== param).map((other) => [other, sensible(other)]),
          )
          await probe(name, method, { ...ids, ...others, [param]: value })
        }
        await probe(name, method, { ...ids, ...Object.fromEntries(names.map((param) => [param, value])) })
        await probe(name, method, {
          ids: value,
          ...Object.fromEntries(names.map((param) => [param, sensible(param)])),
        })
        if (names.length === 0)
          await probe(name, method, {
            ids: [999999],
            context: { active_test: value, tz: value, lang: value },
          })
      }
    }
  }
  assert.deepEqual(faults, [])
})

/** A value that a parameter of this name takes nearly everywhere. */
function sensible(param: string): unknown {
  if (/domain|order|having/.test(param)) return param === 'order' ? 'id' : []
  if (/^(fields|groupby|aggregates|vals_list|data|field_names|ids)$/.test(param))
    return param === 'fields' ? ['name'] : []
  if (/vals|values|specification|spec|default/.test(param)) return {}
  if (/limit|offset/.test(param)) return 1
  return param === 'operator' ? 'ilike' : param === 'operation' ? 'read' : 'name'
}

test('edge cases: 500 records take as many statements as 50', async () => {
  const statements = async (size: number, name: 'res.partner') => {
    const list = Array.from({ length: size }, (_, i) => ({ name: `Many ${i}`, is_company: i % 2 === 0 }))
    const used: number[] = []
    await db.run(async (env) => {
      const step = async <T>(work: () => Promise<T>): Promise<T> => {
        const start = env.unit.usage.statements
        const result = await work()
        used.push(env.unit.usage.statements - start)
        return result
      }
      const records = await step(() => env.model(name).create(list))
      await step(() => records.write({ comment: 'x' }))
      await step(() => records.read(['name', 'comment', 'child_ids', 'country_id']))
      await step(() => records.copy())
      await step(() => records.unlink())
    })
    return used
  }
  // The first read remembers what stands in small tables.
  await statements(50, 'res.partner')
  const few = await statements(50, 'res.partner')
  const many = await statements(500, 'res.partner')
  assert.deepEqual(many, few)
  assert.ok(Math.max(...few) <= 40, `statements: ${few}`)
})

test('edge cases: a call that fails half-way leaves nothing', async () => {
  const before = await count()
  const fail = async (method: string, body: Record<string, unknown>) =>
    assert.ok((await over('edge.thing', method, body)).status >= 400, method)
  await fail('create', { vals_list: [{ name: 'one' }, { name: 'two', number: 13 }] })
  await fail('create', {
    vals_list: [
      {
        name: 'one',
        child_ids: [
          [0, 0, { name: 'below' }],
          [0, 0, { name: 'below', kind: 'nope' }],
        ],
      },
    ],
  })
  const ids = (await over('edge.thing', 'create', { vals_list: [{ name: 'p' }, { name: 'q' }] })).value as [
    number,
    number,
  ]
  await over('edge.thing', 'write', { ids: [ids[1]], vals: { parent_id: ids[0] } })
  await fail('unlink', { ids: [ids[0]] })
  await fail('write', { ids: ids, vals: { name: 'changed', number: 13 } })
  await fail('write', { ids: ids, vals: { name: 'changed', child_ids: [[0, 0, { name: false }]] } })
  const rows = (await over('edge.thing', 'read', { ids: ids, fields: ['name'] })).value
  assert.deepEqual(rows, [
    { id: ids[0], name: 'p' },
    { id: ids[1], name: 'q' },
  ])
  assert.equal(await count(), before + 2)
})

test('ir.module.module: rows of installed modules cannot be removed', async () => {
  const [id] = (await over('ir.module.module', 'search', { domain: [['name', '=', 'edges']] })).value as [
    number,
  ]
  assert.equal((await over('ir.module.module', 'unlink', { ids: [id] })).status, 422)
  assert.equal(
    (await over('ir.module.module', 'write', { ids: [id], vals: { state: 'uninstalled' } })).status,
    422,
  )
  assert.deepEqual(await over('ir.module.module', 'write', { ids: [id], vals: { sequence: 5 } }), {
    status: 200,
    value: true,
  })
})

test('edge cases: __proto__ is not a field of records, child records and copies', async () => {
  const hidden = (text: string) => JSON.parse(text) as Record<string, unknown>
  const before = await count()
  for (const [method, body] of [
    ['create', hidden('{"vals_list":[{"name":"a","__proto__":{"number":7}}]}')],
    [
      'create',
      hidden('{"vals_list":[{"name":"a","child_ids":[[0,0,{"name":"b","__proto__":{"number":7}}]]}]}'),
    ],
    ['write', hidden('{"ids":[1],"vals":{"name":"a","__proto__":{"number":7}}}')],
    ['copy', hidden('{"ids":[1],"default":{"__proto__":{"number":7}}}')],
    ['web_save', hidden('{"ids":[],"vals":{"name":"a","__proto__":{"number":7}},"specification":{}}')],
  ] as const) {
    const { status, value } = await over('edge.thing', method, body)
    assert.equal(status, 422, `${method}: ${value}`)
    assert.match(String(value), /__proto__/)
  }
  assert.equal(await count(), before)
})
