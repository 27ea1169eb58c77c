// A kind of field by itself: times of day stored, searched in SQL and in memory, ordered, grouped, imported
// and exported, made over the API.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import {
  char,
  defineModule,
  type Environment,
  extend,
  implement,
  type Of,
  time,
} from '../../src/models/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const tag = extend('res.partner.category', { fields: { opens: time({ label: 'Opens' }), note: char() } })
declare module '../../src/models/index.ts' {
  interface PartnerCategory extends Of<typeof tag> {}
}
const hours = defineModule({
  name: 'hours',
  version: '1',
  summary: 'Hours',
  depends: ['base'],
  models: [implement(tag)],
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), hours])
})
after(() => db?.close())

type Tags = {
  create(list: object[]): Promise<{ ids: readonly number[] }>
  search(domain: unknown[], options?: object): Promise<{ ids: readonly number[] }>
  browse(ids: readonly number[]): Tags & { filtered(domain: unknown[]): Promise<{ ids: readonly number[] }> }
  read(fields: string[]): Promise<Record<string, unknown>[]>
  invoke(method: string, params: object): Promise<unknown>
}
const tags = (env: Environment) => env.model('res.partner.category') as unknown as Tags

test('time fields: are stored, read, ordered and compared alike in SQL and in memory', async () => {
  await db.run(async (env) => {
    const { ids } = await tags(env).create([
      { name: 'a', opens: '18:00' },
      { name: 'b', opens: '07:30:15' },
      { name: 'c' },
    ])
    const mine = tags(env).browse(ids)
    assert.deepEqual(
      (await mine.read(['opens'])).map((row) => row.opens),
      ['18:00:00', '07:30:15', false],
    )
    const conditions = [
      ...['=', '!=', '<', '<=', '>', '>='].flatMap((operator) => [
        ['opens', operator, '18:00'],
        ['opens', operator, '07:30:15'],
        ['opens', operator, false],
      ]),
      ...[
        ['opens', 'in', ['18:00:00', false]],
        ['opens', 'not in', ['07:30:15']],
        ['opens', 'like', '30'],
        ['opens', '=like', '18%'],
        ['opens', 'not ilike', ':00'],
      ],
    ]
    for (const condition of conditions) {
      const matches = await tags(env).search([['id', 'in', ids], condition], { order: 'id' })
      const kept = await mine.filtered([condition])
      assert.deepEqual(kept.ids, matches.ids, JSON.stringify(condition))
    }
    assert.deepEqual(
      (
        await tags(env).search([
          ['opens', '>', '08:00'],
          ['id', 'in', ids],
        ])
      ).ids,
      [ids[0]],
    )
    assert.deepEqual((await tags(env).search([['id', 'in', ids]], { order: 'opens desc, id' })).ids, [
      ids[2],
      ids[0],
      ids[1],
    ])
    await assert.rejects(tags(env).search([['opens', '=', 'noon']]), /compared with a time of day as HH:MM/)
  })
})

test('time fields: group, have a minimum and a maximum, and no sum', async () => {
  await db.run(async (env) => {
    const { ids } = await tags(env).create([
      { name: 'd', opens: '06:00' },
      { name: 'e', opens: '06:00' },
      { name: 'f', opens: '09:00' },
    ])
    const group = (aggregates: string[]) =>
      tags(env).invoke('formatted_read_group', {
        domain: [['id', 'in', ids]],
        groupby: ['opens'],
        aggregates,
      })
    const groups = (await group(['__count', 'opens:max'])) as Record<string, unknown>[]
    assert.deepEqual(
      groups.map((group) => [group.opens, group.__count, group['opens:max']]),
      [
        ['06:00:00', 2, '06:00:00'],
        ['09:00:00', 1, '09:00:00'],
      ],
    )
    await assert.rejects(group(['opens:sum']), /takes numbers/)
  })
})

test('time fields: import and export times, and errors name the expected format', async () => {
  await db.run(async (env) => {
    const load = (rows: string[][]) =>
      tags(env).invoke('load', { fields: ['name', 'opens'], data: rows }) as Promise<{
        ids: number[]
        messages: { message: string }[]
      }>
    const { ids } = await load([['g', '10:15']])
    assert.deepEqual(
      await tags(env)
        .browse(ids)
        .invoke('export_data', { fields_to_export: ['opens'] }),
      { datas: [['10:15:00']] },
    )
    const { messages } = await load([['h', 'ten']])
    assert.match(
      messages[0]?.message ?? '',
      /'ten' does not seem to be a time of day as HH:MM or HH:MM:SS for field 'Opens'/,
    )
  })
})
