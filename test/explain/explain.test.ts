// The plans of the commonest searches over a small table: already with 20,000 contacts none of these may read all of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { explainCases } from './cases.ts'
import { type Filled, fillContacts } from './fill.ts'
import { planOf } from './plan.ts'

let db: TestDatabase
let filled: Filled
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  filled = await db.run((env) => fillContacts(env, 20_000))
})
after(() => db?.close())

test('no search reads all contacts', async () => {
  for (const one of explainCases(filled)) {
    const plan = await db.run((env) => planOf(env, one))
    assert.ok(!plan.whole.includes('res_partner'), `${one.name} reads ${plan.whole.join()}`)
    assert.ok(plan.indexes.length > 0, `${one.name} uses no index`)
  }
})

test('a search without an index is seen to read them all', async () => {
  const plan = await db.run((env) => planOf(env, { name: 'by job position', domain: [['function', '=', 'x']] }))
  assert.deepEqual(plan.whole, ['res_partner'])
})
