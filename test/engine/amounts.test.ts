// Amounts that are none, as parameters of methods.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let key: string
before(async () => {
  db = await openTestDatabase([base])
  key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
})
after(() => db.close())

async function ask(method: string, ids: readonly number[], named: Record<string, unknown>): Promise<unknown> {
  const answer = await call(db.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model: 'res.currency',
    method,
    body: () => ({ ids, named }),
    remote: '127.0.0.1',
    requestId: 'test',
  })
  return JSON.parse(answer.json)
}

test('amounts: reject values that are not numbers, and accept numbers written as text', async () => {
  const [usd] = (await ask('search', [], { domain: [['name', '=', 'USD']] })) as [number]
  const round = (amount: unknown) => ask('round', [usd], { amount })
  assert.deepEqual(await Promise.all([1.006, '1.006', '-2', 0, false].map(round)), [1.01, 1.01, -2, 0, 0])
  for (const amount of ['x', '', null, '1e3', [1], {}, true])
    await assert.rejects(round(amount), { name: 'InvalidValue' }, JSON.stringify(amount))
  await assert.rejects(ask('compare_amounts', [usd], { amount1: 1, amount2: 'two' }), {
    name: 'InvalidValue',
  })
})
