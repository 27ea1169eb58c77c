// Tests of release.ts: advice to administrators about databases of other builds.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../test/support/databases.ts'
import { modules } from '../main.ts'
import { sql } from '../sql/index.ts'
import { RELEASE } from './modules.ts'
import { adviceOn, isLater } from './release.ts'

const base = modules.filter((module) => module.name === 'base')
let db: TestDatabase
before(async () => {
  db = await openTestDatabase(base)
})
after(() => db?.close())

test('versions are compared number by number', () => {
  for (const [version, other, later] of [
    ['1.10', '1.9', true],
    ['1.9', '1.10', false],
    ['1.0', '1', false],
    [null, '0.1', false],
  ] as const)
    assert.equal(isLater(version, other), later, `${version} after ${other}`)
})

test('a database of this build needs nothing, one of another or of a later release is reported', async () => {
  const advice = () => adviceOn('till', db.database.pool, base)
  assert.equal(await advice(), null)
  await db.run((env) =>
    env.query(sql`UPDATE ir_config_parameter SET value = 'another build' WHERE key = ${RELEASE}`),
  )
  assert.match(String(await advice()), /comptoir module upgrade --database till$/)
  await db.run((env) =>
    env.query(sql`UPDATE ir_module_module SET latest_version = '9999.1' WHERE name = 'base'`),
  )
  assert.match(String(await advice()), /Database till: .* later release \(base\)/)
})
