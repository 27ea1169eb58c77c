// Processes of a server that die: a worker is replaced without a rejected request, and without the
// primary process all workers end in order.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { canLook, isAlive, killAll, postmasterOf, withDescendants } from './processes.ts'

const skip = !canLook && 'needs /proc'

/** The worker processes: those with a number from Node.js. */
function workersOf({ pid }: Served): number[] {
  return withDescendants(pid).filter(
    (descendant) => isAlive(descendant) && environmentOf(descendant).includes('NODE_UNIQUE_ID='),
  )
}

function workerOf(served: Served): number {
  const workers = workersOf(served)
  assert.equal(workers.length, 1)
  return workers[0] as number
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

test('single worker killed: clients that connect wait for its replacement, which starts at once, and with a delay when it dies repeatedly', {
  skip,
}, async () => {
  const data = makeDataDir('supervisor')
  const served = await serve(data.path, [
    '--master-password',
    'no secret in sight',
    '--port',
    String(await freePort()),
  ])
  try {
    const answers = async () =>
      (await fetch(`${served.url}/web/health`, { headers: { connection: 'close' } })).status
    const first = workerOf(served)
    const line = readFileSync(`/proc/${first}/cmdline`, 'utf8')
    assert.match(line, /--max-semi-space-size=8/, 'flags of Node.js are handed on')
    assert.match(line, /--no-parallel-scavenge/, 'one thread collects what is young')
    assert.match(line, /--expose-gc/, 'memory can be given back')
    for (const pid of [first, served.pid])
      assert.ok(
        !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('secret'),
        'no secret in the list of processes',
      )
    assert.match(served.output(), /list of processes/)
    await killAll([first])
    assert.equal(await answers(), 200, 'nobody is refused')
    assert.match(
      served.output(),
      new RegExp(`A worker process ended unexpectedly; starting another pid=${first} signal=SIGKILL reason=`),
    )
    assert.equal(served.output().match(/^database /gm)?.length, 1, 'the first run was before')
    // The next processes never answer: the third of them waits before it starts.
    for (let times = 0; times < 3; times++) {
      while (workersOf(served).length === 0) await sleep(5)
      await killAll(workersOf(served))
    }
    assert.equal(await answers(), 200)
    assert.match(served.output(), /A worker process ended unexpectedly.* wait=500/)
  } finally {
    assert.equal(await served.stop(), 0)
    data.remove()
  }
})

test('workers: several that are all killed listen on their previous port again, even with port 0', {
  skip,
}, async () => {
  const data = makeDataDir('supervisor')
  const served = await serve(data.path, ['--workers', '2'])
  try {
    await killAll(workersOf(served))
    const health = () => fetch(`${served.url}/web/health`).catch(() => null)
    let answer = await health()
    for (let tries = 0; !answer && tries < 60_000; tries++) {
      await sleep(10)
      answer = await health()
    }
    assert.equal(answer?.status, 200)
  } finally {
    assert.equal(await served.stop(), 0)
    data.remove()
  }
})

test('primary process killed: workers and PostgreSQL end in order, and another server takes over, which drains before it stops', {
  skip,
}, async () => {
  const data = makeDataDir('supervisor')
  const served = await serve(data.path)
  try {
    const [worker, postmaster] = [workerOf(served), postmasterOf(data.path) as number]
    process.kill(served.pid, 'SIGKILL')
    for (let tries = 0; (isAlive(worker) || isAlive(postmaster)) && tries < 60_000; tries++) await sleep(10)
    assert.deepEqual([isAlive(worker), isAlive(postmaster), postmasterOf(data.path)], [false, false, null])
    const next = await serve(data.path, ['--drain-seconds', '4'])
    const status = async (path: string) =>
      (await fetch(`${next.url}${path}`, { headers: { connection: 'close' } })).status
    let ready = await status('/web/health?ready=1')
    assert.equal(ready, 200)
    const stopped = next.stop()
    while (ready === 200) ready = await status('/web/health?ready=1')
    assert.equal(ready, 503, 'who balances the load hears of it first')
    assert.equal(await status('/web/version'), 200, 'calls are answered as ever')
    assert.equal(await stopped, 0)
  } finally {
    data.remove()
  }
})
