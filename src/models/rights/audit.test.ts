// Entries of the audit log: written together at the end of their call, without those of what was undone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import { recordAudit } from './audit.ts'

function office() {
  const written: unknown[][] = []
  const unit = {
    rights: { version: '1' },
    services: { guard: null },
    ending: { beforeCommit: [] as (() => Promise<void>)[], afterCommit: [] as (() => void)[] },
    send: (statement: Sql) => {
      const [rows] = statement.compile().values
      written.push((JSON.parse(rows as string) as { event: string }[]).map(({ event }) => event))
    },
  }
  const env = { unit, user: { id: 2, login: 'admin' } } as unknown as Environment
  const commit = async () => {
    for (const hook of unit.ending.beforeCommit) await hook()
  }
  return { env, unit, written, commit }
}

test('one statement, however many entries', async () => {
  const { env, written, commit } = office()
  for (const event of ['a', 'b', 'c']) recordAudit(env, { event })
  assert.deepEqual(written, [])
  await commit()
  assert.deepEqual(written, [['a', 'b', 'c']])
})

test('what was undone is left out, what comes up at the end is written too', async () => {
  const { env, unit, written, commit } = office()
  recordAudit(env, { event: 'a' })
  recordAudit(env, { event: 'undone' })
  unit.ending.beforeCommit.length = 1
  unit.ending.beforeCommit.push(async () => recordAudit(env, { event: 'late' }))
  recordAudit(env, { event: 'b' })
  await commit()
  assert.deepEqual(written, [['a', 'b'], ['late']])
})
