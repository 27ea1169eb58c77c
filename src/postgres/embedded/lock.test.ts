// Tests of lock.ts: between holders in this process and in others, which are killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { StartupError } from '../../errors.ts'
import { FileLock, lockServe } from './lock.ts'

let folder: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'comptoir-lock-'))
})

after(() => rmSync(folder, { recursive: true, force: true }))

test('many share a lock, one has it alone', () => {
  const [a, b, c] = [1, 2, 3].map(() => new FileLock(join(folder, 'shared')))
  assert.ok(a && b && c)
  assert.deepEqual([a.tryShared(), b.tryShared(), c.tryExclusive()], [true, true, false])
  a.release()
  assert.equal(b.tryExclusive(), true)
  assert.equal(c.tryShared(), false)
  b.release()
  assert.equal(c.tryShared(), true)
  c.release()
})

test('waiting for a lock ends in a clear message', async () => {
  const [holder, other] = [1, 2].map(() => new FileLock(join(folder, 'held')))
  assert.ok(holder?.tryExclusive())
  await assert.rejects(
    other?.exclusive(30, 'stirring the soup') ?? Promise.resolve(),
    /keeps stirring the soup/,
  )
  setTimeout(() => holder?.release(), 30)
  await other?.exclusive(900_000, 'stirring the soup')
  other?.release()
})

test('a second server is refused by the number of the first, until that is killed', async (t) => {
  // Kept in a global, as garbage collection would release the lock.
  const script = `import { lockServe } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)}
    globalThis.held = lockServe(${JSON.stringify(folder)}); console.log('locked'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  assert.throws(
    () => lockServe(folder),
    (error) => error instanceof StartupError && error.message.includes(`process ${child.pid}`),
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  lockServe(folder).release()
})
