// Workers that are killed: who was on the way to one of them is not kept waiting, and others take their
// place.
// Begins first: it takes 7 s.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { canLook, killAll, withDescendants } from './processes.ts'

test('workers: a connection of a worker that dies is closed, and the next ones are answered', {
  skip: !canLook && 'needs /proc',
}, async () => {
  const data = makeDataDir('workers')
  const served = await serve(data.path, ['--workers', '2', '--port', String(await freePort())])
  try {
    const [port, host] = [Number(new URL(served.url).port), new URL(served.url).hostname]
    const workers = workersOf(served.pid)
    assert.equal(workers.length, 2)
    for (const pid of workers) process.kill(pid, 'SIGSTOP')
    // Each takes one and says nothing; the others wait for a worker that is free.
    const ends = Array.from({ length: 4 }, () => closed(port, host))
    // Until the primary process has handed over what it can.
    await sleep(300)
    await killAll(workers)
    await Promise.all(ends)
    const healthy = async () => (await fetch(`${served.url}/web/health`).catch(() => null))?.status === 200
    while (!(await healthy())) await sleep(20)
  } finally {
    await served.stop()
    data.remove()
  }
})

/** Asks on a connection of its own; resolves when that is closed, with an answer or without. */
function closed(port: number, host: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.resume()
    socket.write('GET /web/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  })
}

/** The workers of a server: the processes that Node.js gave a number. */
function workersOf(pid: number): number[] {
  return withDescendants(pid).filter((descendant) => {
    try {
      return readFileSync(`/proc/${descendant}/environ`, 'utf8').includes('NODE_UNIQUE_ID=')
    } catch {
      return false
    }
  })
}
