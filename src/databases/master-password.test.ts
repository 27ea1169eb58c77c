// The master password: wrong ones are written down and wait after some; none at all is refused like them, but
// is no guess.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { AccessDenied } from '../errors.ts'
import { MasterPassword } from './master-password.ts'

test('an empty password is refused without a line in the log, and without a wait for others', async () => {
  const temp = makeTemp('master')
  try {
    const events: string[] = []
    const master = new MasterPassword(
      { dataDir: temp.path, onAudit: ({ event }) => events.push(event) },
      'open sesame',
    )
    const denied = (error: unknown) => error instanceof AccessDenied && error.retryAfter === null
    // More at once than may wait for verification: were they guesses, the last would have to wait.
    await Promise.all(
      Array.from({ length: 30 }, () => assert.rejects(master.assert('', '192.0.2.1'), denied)),
    )
    assert.deepEqual([events, existsSync(`${temp.path}/audit.jsonl`)], [[], false])
    await assert.rejects(master.assert('open', '192.0.2.1'), denied)
    assert.deepEqual(events, ['master-password.failure'])
    await master.assert('open sesame', '192.0.2.1')
    assert.equal(await new MasterPassword({ dataDir: temp.path }, '').isSet(), false)
    await assert.rejects(new MasterPassword({ dataDir: temp.path }, '').assert(''), denied)
  } finally {
    temp.remove()
  }
})
