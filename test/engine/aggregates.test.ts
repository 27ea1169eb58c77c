// Aggregates of groups over unset values, and over lists of records (spec/models-api.md section 7).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { base } from '../../src/modules/base/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base])
})
after(() => db.close())

test('aggregates: unset booleans do not count, as unset numbers do not', async () => {
  await db.run(async (env) => {
    const partners = env.model('res.partner')
    const { ids } = await partners.create([
      { name: 'a', employee: true },
      { name: 'b' },
      { name: 'c', employee: true },
    ])
    const total = async (of: readonly number[]) => {
      const aggregates = ['employee:bool_and', 'employee:bool_or', 'employee:count']
      const [group] = (await partners.invoke('formatted_read_group', {
        domain: [['id', 'in', of]],
        aggregates,
      })) as Record<string, unknown>[]
      return aggregates.map((key) => group?.[key])
    }
    assert.deepEqual(await total(ids), [true, true, 2])
    assert.deepEqual(await total(ids.slice(1, 2)), [false, false, 0])
    await partners.browse(ids.slice(1, 2)).write({ employee: false })
    assert.deepEqual(await total(ids), [false, true, 3])
  })
})

test('aggregates: a recordset is returned as the list that it was created from', async () => {
  await db.run(async (env) => {
    const partners = env.model('res.partner')
    const [be] = (await env.model('res.country').search([['code', '=', 'BE']])).ids
    const { ids } = await partners.create([
      { name: 'a', country_id: be ?? null },
      { name: 'b' },
      { name: 'c', country_id: be ?? null },
    ])
    const groups = await partners.invoke('formatted_read_group', {
      domain: [['id', 'in', ids]],
      aggregates: ['country_id:recordset', 'id:recordset'],
    })
    assert.deepEqual(groups, [
      { __extra_domain: [[1, '=', 1]], 'country_id:array_agg': [be, null, be], 'id:array_agg': ids },
    ])
  })
})
