// Looks for what other processes left: one visit a database for all who ask, and never two passes at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../databases/index.ts'
import { findOrphanedWork, Passes, type Taker } from './orphaned-work.ts'

/** Databases of these names; `away` cannot be reached. */
function databasesOf(names: readonly string[], away: string) {
  const visited: string[] = []
  const visit = async <T>(name: string, work: (database: Database) => Promise<T>): Promise<T> => {
    visited.push(name)
    if (name === away) throw new Error('away')
    return work({ name } as Database)
  }
  return { visited, list: async () => [...names], visit }
}

function takerOf(left: readonly string[], watched: readonly string[] = []) {
  const woken: [string, boolean][] = []
  const taker: Taker = {
    isClosed: false,
    has: (name) => watched.includes(name),
    finds: async ({ name }) => left.includes(name),
    wake: (name, tell) => woken.push([name, tell]),
  }
  return { ...taker, woken }
}

test('each database is visited once for all who look, and not by those who look after it already', async () => {
  const databases = databasesOf(['one', 'two', 'three', 'four'], 'two')
  const [jobs, hooks] = [takerOf(['one', 'three'], ['four']), takerOf(['three'], ['one', 'four'])]
  await findOrphanedWork(databases, [jobs, hooks])
  assert.deepEqual(databases.visited, ['one', 'two', 'three'])
  assert.deepEqual(jobs.woken, [
    ['one', false],
    ['three', false],
  ])
  assert.deepEqual(hooks.woken, [['three', false]])
})

test('left work: no database is visited for takers that are closed', async () => {
  const databases = databasesOf(['one'], '')
  await findOrphanedWork(databases, [{ ...takerOf(['one']), isClosed: true }])
  assert.deepEqual(databases.visited, [])
})

test('passes: a pass that takes longer than the pause never overlaps with another, and a rest follows', async () => {
  let [now, most, begun] = [0, 0, 0]
  const ends: number[] = []
  const starts: number[] = []
  const passes = new Passes(async () => {
    starts.push(performance.now())
    begun++
    most = Math.max(most, ++now)
    await sleep(20)
    now--
    ends.push(performance.now())
  }, 1)
  while (begun < 3) await sleep(5)
  await passes.stop()
  assert.deepEqual([most, now], [1, 0])
  const [first, second] = [starts[0] ?? 0, starts[1] ?? 0]
  const took = (ends[0] ?? 0) - first
  assert.ok(second - (ends[0] ?? 0) >= 8 * took)
  const count = begun
  await sleep(30)
  assert.equal(begun, count)
})
