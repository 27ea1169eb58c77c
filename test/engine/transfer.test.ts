// Imports against a real database: what a call keeps, what it undoes, and how it finds the records at fault.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { exportRows } from '../../src/models/transfer/export.ts'
import { load } from '../../src/models/transfer/load.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
})
after(() => db?.close())

const into = (env: Environment, model: string, header: string[], data: string[][]) => load(env, env.def(model), header, data)

test('every record at fault is told, the others are not, and nothing is kept', async () => {
  await db.run(async (env) => {
    const rows = Array.from({ length: 12 }, (_, i) => [`State ${i}`, i === 4 || i === 9 ? 'QQ0' : `QQ${i}`, 'Belgium'])
    const { ids, messages } = await into(env, 'res.country.state', ['name', 'code', 'country_id'], rows)
    assert.equal(ids, false)
    assert.deepEqual(
      messages.map((message) => message.record),
      [4, 9],
    )
    assert.equal(await env.model('res.country.state').searchCount([['code', 'like', 'QQ']]), 0)
    // The transaction goes on.
    const again = await into(env, 'res.country.state', ['name', 'code', 'country_id'], [['State', 'QQ1', 'Belgium']])
    assert.deepEqual([(again.ids as number[]).length, again.messages], [1, []])
  })
})

test('lines with external ids are made, then found again', async () => {
  await db.run(async (env) => {
    const header = ['id', 'name', 'child_ids/id', 'child_ids/name']
    const first = await into(env, 'res.partner', header, [
      ['t.firm', 'Firm', 't.ann', 'Ann'],
      ['', '', '', 'Bob'],
    ])
    const second = await into(env, 'res.partner', header, [['t.firm', 'Firm', 't.ann', 'Anne']])
    assert.deepEqual(second.ids, first.ids)
    const rows = await exportRows(env, env.def('res.partner'), first.ids as number[], ['id', 'child_ids/name'])
    assert.deepEqual(rows, [
      ['t.firm', 'Anne'],
      ['', 'Bob'],
    ])
  })
})

test('records may name earlier ones of the same import, by external id or by name', async () => {
  await db.run(async (env) => {
    const { ids, messages } = await into(
      env,
      'res.partner.category',
      ['id', 'name', 'parent_id'],
      [
        ['t.top', 'Top of all', ''],
        ['t.low', 'Low', 'Top of all'],
        ['t.top', 'Top of all', ''],
      ],
    )
    assert.deepEqual(messages, [])
    const [top, low, again] = ids as number[]
    assert.equal(again, top)
    const [row] = await env
      .model('res.partner.category')
      .browse([low as number])
      .load(['parent_id'])
    assert.equal(row?.parent_id?.id, top)
  })
})

test('an ambiguous name is a warning, and the first one is taken', async () => {
  await db.run(async (env) => {
    const twins = await env.model('res.partner').create([{ name: 'Twin' }, { name: 'Twin' }])
    const { ids, messages } = await into(env, 'res.partner', ['name', 'parent_id'], [['Kid', 'Twin']])
    assert.deepEqual(
      messages.map(({ type, field }) => [type, field]),
      [['warning', 'parent_id']],
    )
    const [kid] = await env
      .model('res.partner')
      .browse(ids as number[])
      .load(['parent_id'])
    assert.ok(twins.ids.includes(kid?.parent_id?.id as number))
  })
})
