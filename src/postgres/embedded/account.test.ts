// Tests of account.ts: the account that runs PostgreSQL for root, and the folders that it can enter.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartupError } from '../../errors.ts'
import { canReach, unprivilegedAccount } from './account.ts'

test('the account postgres comes first, root is never taken', () => {
  const nobody = 'root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n'
  assert.deepEqual(unprivilegedAccount(nobody), { uid: 65534, gid: 65534 })
  assert.deepEqual(unprivilegedAccount(`${nobody}postgres:x:70:71::/:/bin/sh\n`), { uid: 70, gid: 71 })
  assert.throws(
    () => unprivilegedAccount('root:x:0:0::/root:/bin/sh\npostgres:x:0:0::/:/bin/sh\n'),
    StartupError,
  )
})

test('every directory on the way must let the account through', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'comptoir-account-'))
  const stranger = { uid: 54321, gid: 54321 }
  mkdirSync(join(folder, 'inner'), { mode: 0o755 })
  assert.equal(await canReach(stranger, join(folder, 'inner')), false)
  chmodSync(folder, 0o711)
  assert.equal(await canReach(stranger, join(folder, 'inner')), true)
  rmSync(folder, { recursive: true })
})
