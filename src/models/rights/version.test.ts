// The version of rights is raised once per unit of work, just before it commits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { raiseRightsVersion } from './tables.ts'

function newUnit() {
  const statements: string[] = []
  const unit = {
    slots: [],
    ending: { beforeCommit: [] as (() => Promise<void>)[] },
    send: (statement: Sql) => void statements.push(statement.compile().text),
  }
  return { unit, env: { unit } as unknown as Environment, statements }
}

test('once per unit, before the commit', async () => {
  const [first, second] = [newUnit(), newUnit()]
  raiseRightsVersion(first.env)
  raiseRightsVersion(first.env)
  raiseRightsVersion(second.env)
  for (const { unit, statements } of [first, second]) {
    assert.deepEqual([unit.ending.beforeCommit.length, statements.length], [1, 0])
    await unit.ending.beforeCommit[0]?.()
    assert.deepEqual(statements, ['UPDATE rights_version SET version = version + 1'])
  }
})

test('again after a savepoint took the first one back', () => {
  const { env, unit } = newUnit()
  raiseRightsVersion(env)
  unit.ending.beforeCommit.length = 0
  raiseRightsVersion(env)
  assert.equal(unit.ending.beforeCommit.length, 1)
})
