// The folder of a test run is removed with the processes that were started in it, and with no others.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clearTestFolder, makeTestFolder } from './test-folder.ts'

/** A running process with the folder as its TMPDIR. */
async function idle(folder: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', "console.log('here'); setInterval(() => {}, 1000)"], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return child
}

test('a cleared folder is gone, what was left running in it too, and its neighbour is as it was', {
  skip: process.platform === 'linux' ? false : 'processes are found on Linux only',
}, async () => {
  const [folder, other] = [makeTestFolder(), makeTestFolder()]
  writeFileSync(join(folder, 'file'), 'content')
  const [left, neighbour] = await Promise.all([idle(folder), idle(other)])
  try {
    const ended = once(left, 'exit')
    clearTestFolder(folder)
    assert.deepEqual(await ended, [null, 'SIGKILL'])
    assert.deepEqual([existsSync(folder), existsSync(other)], [false, true])
    assert.deepEqual([neighbour.exitCode, neighbour.signalCode], [null, null])
  } finally {
    left.kill('SIGKILL')
    neighbour.kill('SIGKILL')
    clearTestFolder(other)
  }
})
