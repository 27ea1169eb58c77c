// Comparisons with the clock (`today`, `now`) keep their meaning in cached statements: in rules, and in
// the fixed domains of relations.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const DAY = 86_400_000
let db: TestDatabase
let key: string
let model: number
let owner: number
let lines: readonly number[]

async function ask<T>(name: string, method: string, body: Readonly<Record<string, unknown>>): Promise<T> {
  const { ids, ...named } = body
  const { json } = await call(db.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model: name,
    method,
    body: () => ({ ids, named }),
    remote: '::1',
    requestId: 'test',
  })
  return JSON.parse(json) as T
}
const day = (after: number): string => new Date(Date.now() + after * DAY).toISOString().slice(0, 10)
const field = (name: string, ttype: string, more: object = {}) => ({
  name,
  ttype,
  field_description: name,
  ...more,
})

before(async () => {
  db = await openTestDatabase([base])
  key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 30 })
  mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const [modelId] = await ask<number[]>('ir.model', 'create', {
    vals_list: [
      {
        name: 'Plan',
        model: 'x_plan',
        field_id: [
          [0, 0, field('x_day', 'date')],
          [0, 0, field('x_parent_id', 'many2one', { relation: 'x_plan' })],
        ],
      },
    ],
  })
  model = modelId as number
  const due = { relation: 'x_plan', relation_field: 'x_parent_id', domain: "[('x_day', '>=', 'today')]" }
  await ask('ir.model.fields', 'create', {
    vals_list: [{ model_id: model, ...field('x_due_ids', 'one2many', due) }],
  })
  const all = { perm_read: true, perm_write: true, perm_create: true, perm_unlink: true }
  await ask('ir.model.access', 'create', { vals_list: [{ name: 'x', model_id: model, ...all }] })
  ;[owner] = (await ask<number[]>('x_plan', 'create', { vals_list: [{}] })) as [number]
  lines = await ask('x_plan', 'create', {
    vals_list: [-1, 1, 3].map((n) => ({ x_day: day(n), x_parent_id: owner })),
  })
})
after(async () => {
  mock.timers.reset()
  await db?.close()
})

/** Asks until a plan is there, and once more two days later. */
async function daysApart<T>(read: () => Promise<T>): Promise<readonly [T, T]> {
  for (let round = 0; round < 3; round++) await read()
  const early = await read()
  mock.timers.tick(2 * DAY)
  try {
    return [early, await read()]
  } finally {
    mock.timers.setTime(Date.now() - 2 * DAY)
  }
}

test('the fixed domain of a relation: lines that are read', async () => {
  const read = () => ask<{ x_due_ids: number[] }[]>('x_plan', 'read', { ids: [owner], fields: ['x_due_ids'] })
  const [early, late] = await daysApart(async () => (await read())[0]?.x_due_ids)
  assert.deepEqual([early, late], [lines.slice(1), lines.slice(2)])
})

test('the fixed domain of a relation: lines of a small table that is read as a whole', async () => {
  const [country] = await ask<number[]>('res.country', 'create', { vals_list: [{ name: 'New', code: 'QQ' }] })
  const young = { relation: 'res.country', domain: "[('create_date', '>=', 'today -1d')]" }
  await ask('ir.model.fields', 'create', {
    vals_list: [{ model_id: model, ...field('x_young_ids', 'many2many', young) }],
  })
  await ask('x_plan', 'write', { ids: [owner], vals: { x_young_ids: [[6, 0, [country]]] } })
  const fields = ['x_young_ids']
  const questions = [
    ['read', { ids: [owner], fields }],
    ['search_read', { domain: [['id', '=', owner]], fields, limit: 5 }],
  ] as const
  for (const [method, body] of questions) {
    const rows = () => ask<{ x_young_ids: number[] }[]>('x_plan', method, body)
    const [early, late] = await daysApart(async () => (await rows())[0]?.x_young_ids)
    assert.deepEqual([early, late], [[country], []], method)
  }
})

test('the fixed domain of a relation: conditions', async () => {
  const [early, late] = await daysApart(() =>
    ask<number[]>('x_plan', 'search', { domain: [['x_due_ids', 'in', [lines[1]]]] }),
  )
  assert.deepEqual([early, late], [[owner], []])
})

test('clock: rules read it for searches and for writes', async (t) => {
  const [rule] = await ask<number[]>('ir.rule', 'create', {
    vals_list: [{ name: 'due', model_id: model, domain_force: "[('x_day', '>=', 'today')]" }],
  })
  t.after(() => ask('ir.rule', 'unlink', { ids: [rule] }))
  const [early, late] = await daysApart(() => ask<number>('x_plan', 'search_count', { domain: [] }))
  assert.deepEqual([early, late], [2, 1])
  const write = () =>
    ask('x_plan', 'write', { ids: [lines[1]], vals: { x_parent_id: owner } }).catch(
      (error: Error) => error.name,
    )
  assert.deepEqual(await daysApart(write), [true, 'AccessError'])
})
