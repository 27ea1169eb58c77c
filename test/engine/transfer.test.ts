// Imports against a real database: what a call keeps, what it undoes, and how it finds the records at fault.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { exportRows } from '../../src/models/transfer/export.ts'
import { importRows } from '../../src/models/transfer/load.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
})
after(() => db?.close())

const into = (env: Environment, model: string, header: string[], data: string[][]) =>
  importRows(env, env.def(model), header, data)

test('transfer: reports each invalid record, none of the valid ones, and stores nothing', async () => {
  await db.run(async (env) => {
    const rows = Array.from({ length: 12 }, (_, i) => [
      `State ${i}`,
      i === 4 || i === 9 ? 'QQ0' : `QQ${i}`,
      'Belgium',
    ])
    const { ids, messages } = await into(env, 'res.country.state', ['name', 'code', 'country_id'], rows)
    assert.equal(ids, false)
    assert.deepEqual(
      messages.map((message) => message.record),
      [4, 9],
    )
    assert.equal(await env.model('res.country.state').searchCount([['code', 'like', 'QQ']]), 0)
    // The transaction goes on.
    const again = await into(
      env,
      'res.country.state',
      ['name', 'code', 'country_id'],
      [['State', 'QQ1', 'Belgium']],
    )
    assert.deepEqual([(again.ids as number[]).length, again.messages], [1, []])
  })
})

test('import: rows with external ids create records, then find them again', async () => {
  await db.run(async (env) => {
    const header = ['id', 'name', 'child_ids/id', 'child_ids/name']
    const first = await into(env, 'res.partner', header, [
      ['t.firm', 'Firm', 't.ann', 'Ann'],
      ['', '', '', 'Bob'],
    ])
    const second = await into(env, 'res.partner', header, [['t.firm', 'Firm', 't.ann', 'Anne']])
    assert.deepEqual(second.ids, first.ids)
    const rows = await exportRows(env, env.def('res.partner'), first.ids as number[], [
      'id',
      'child_ids/name',
    ])
    assert.deepEqual(rows, [
      ['t.firm', 'Anne'],
      ['', 'Bob'],
    ])
  })
})

test('load: defaults of the context are for records and not for their lines, named or not', async () => {
  await db.run(async (env) => {
    const header = ['name', 'child_ids/id', 'child_ids/name']
    const { ids } = await into(env.withContext({ default_ref: 'R7' }), 'res.partner', header, [
      ['Works', 't.joe', 'Joe'],
      ['', '', 'Kim'],
    ])
    const rows = await exportRows(env, env.def('res.partner'), ids as number[], ['ref', 'child_ids/ref'])
    assert.deepEqual(rows, [
      ['R7', ''],
      ['', ''],
    ])
  })
})

test('import: rows may refer to earlier ones by external id or by name', async () => {
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

test('import: an ambiguous name is a warning, and the first match is used', async () => {
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

test('transfer: a long import runs in parts, each of which returns where the next one begins', async () => {
  await db.run(async (env) => {
    const header = ['name', 'child_ids/name']
    const rows = Array.from({ length: 25 }, (_, i) =>
      i % 5 === 1 ? ['', `Line of ${i - 1}`] : [`Part ${i}`, ''],
    )
    const part = env.withContext({ _import_limit: 8 })
    const names: unknown[] = []
    const starts: number[] = []
    for (let start = 0; ; ) {
      starts.push(start)
      const { ids, nextrow } = await importRows(part, env.def('res.partner'), header, rows.slice(start))
      names.push(
        ...(
          await env
            .model('res.partner')
            .browse(ids as number[])
            .load(['name'])
        ).map(({ name }) => name),
      )
      if (nextrow === 0) break
      start += nextrow
    }
    assert.deepEqual(starts, [0, 10, 20], 'lines go with their record')
    assert.deepEqual(
      names,
      rows.map(([name]) => name).filter((name) => name !== ''),
    )
    await assert.rejects(
      importRows(env.withContext({ _import_limit: 'all' }), env.def('res.partner'), header, rows),
      /_import_limit/,
    )
  })
})

test('import: a repeated list is written in sets, and only changed rows take the general path', async () => {
  await db.run(async (env) => {
    const header = ['id', 'name', 'email', 'country_id', 'category_id']
    await env.model('res.partner.category').create([{ name: 'Imported' }])
    const rows = Array.from({ length: 300 }, (_, i) => [
      `t.again${i}`,
      `Again ${i}`,
      `a${i}@example.com`,
      'Belgium',
      'Imported',
    ])
    const { ids } = await into(env, 'res.partner', header, rows)
    await env.query(
      sql`UPDATE res_partner SET write_date = '2020-01-01' WHERE id = ANY(${ids as number[]}::int[])`,
    )
    const changed = rows.map((row, i) =>
      i === 7 ? [row[0], 'Renamed', '', 'France', 'Imported'] : row,
    ) as string[][]
    const before = env.unit.usage.statements
    assert.deepEqual((await into(env, 'res.partner', header, changed)).ids, ids)
    assert.ok(
      env.unit.usage.statements - before < 120,
      `${env.unit.usage.statements - before} statements for 300 records`,
    )
    const [seven, eight] = await env
      .model('res.partner')
      .browse((ids as number[]).slice(7, 9))
      .load(['complete_name', 'email', 'country_id.code', 'category_id.name', 'write_date'])
    assert.deepEqual([seven?.complete_name, seven?.email, seven?.country_id?.code], ['Renamed', null, 'FR'])
    assert.deepEqual(
      [eight?.complete_name, eight?.email, eight?.country_id?.code, eight?.category_id.length],
      ['Again 8', 'a8@example.com', 'BE', 1],
    )
    assert.ok(String(eight?.write_date) > '2021', 'an imported record was written, whatever it had')
  })
})

test('import: an external id belongs to one record of a row only', async () => {
  await db.run(async (env) => {
    const header = ['id', 'name', 'child_ids/id', 'child_ids/name']
    const lines = await into(env, 'res.partner', header, [
      ['', 'Firm', 't.twin', 'Ann'],
      ['', '', 't.twin', 'Bob'],
    ])
    const owner = await into(env, 'res.partner', header, [['t.self', 'Firm', 't.self', 'Ann']])
    const nameless = await into(
      env,
      'res.partner',
      ['id', 'name'],
      [
        ['t.', 'A'],
        ['.', 'B'],
      ],
    )
    assert.deepEqual(
      [lines.ids, lines.messages.length, owner.ids, owner.messages.length, nameless.messages.length],
      [false, 1, false, 1, 2],
    )
    assert.equal(await env.find('t.self'), null)
  })
})

test('import: a list where nearly every row fails is aborted', async () => {
  await db.run(async (env) => {
    const { statements: before } = env.unit.usage
    const rows = Array.from({ length: 3000 }, (_, i) => [i % 2 ? 'x' : '', `${i}`])
    const { ids, messages } = await into(env, 'res.partner', ['name', 'ref'], rows)
    assert.equal(ids, false)
    assert.equal(messages.filter(({ type }) => type === 'error').length, 10)
    assert.equal(messages.at(-1)?.type, 'warning')
    assert.ok(env.unit.usage.statements - before < 400, `${env.unit.usage.statements - before} statements`)
  })
})

test('transfer: reports all of a few errors in a long list', async () => {
  await db.run(async (env) => {
    const rows = Array.from({ length: 400 }, (_, i) => [i % 25 === 7 ? '' : 'x', `${i}`])
    const { messages } = await into(env, 'res.partner', ['name', 'ref'], rows)
    assert.deepEqual([messages.length, messages.every(({ type }) => type === 'error')], [16, true])
  })
})

test('export: a record has at most as many rows as an answer may', async () => {
  const rows = await db.run(async (env) => {
    const child_ids = Array.from({ length: 400 }, (_, n) => [0, 0, { name: `Below ${n}` }] as const)
    const { ids } = await env.model('res.partner').create([{ name: 'Above', child_ids }])
    return exportRows(env, env.def('res.partner'), ids, ['child_ids/parent_id/child_ids/name'])
  })
  assert.equal(rows.length, 400 * 400)
})
