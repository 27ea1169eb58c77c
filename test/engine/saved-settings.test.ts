// Invalid filters and languages.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { base } from '../../src/modules/base/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base])
})
after(() => db.close())

test('saved settings: a filter needs an existing model', async () => {
  await db.run(async (env) => {
    const filters = env.model('ir.filters')
    const make = (model: string) => filters.create([{ name: 'Mine', model_id: model }])
    await assert.rejects(make('no.model'), { name: 'InvalidValue' })
    const records = await make('res.partner')
    await assert.rejects(records.write({ model_id: 'no.model' }), { name: 'InvalidValue' })
  })
})

test('saved settings: digits are grouped in one of the usual ways', async () => {
  await db.run(async (env) => {
    const make = (grouping: string) =>
      env
        .model('res.lang')
        .create([{ name: grouping, code: grouping, url_code: grouping, grouping: grouping as never }])
    for (const grouping of ['[]', '[3,0]', '[3,2,0]']) await make(grouping)
    for (const grouping of ['x', '3,0', '[3,', '["3"]'])
      await assert.rejects(make(grouping), { name: 'InvalidValue' }, grouping)
  })
})
