// Retries: which calls are repeated, which never are, and how long the waits are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attempt, type Fate, mayRepeat, type RetryPolicy, repeat } from './retry.ts'

const failed = (fate: Fate, retryAfterMs: number | null = null): Attempt => ({
  ok: false,
  error: new Error(fate),
  fate,
  retryAfterMs,
})

/** Repeats over a list of outcomes; gives the waits and what came out. */
async function run(
  outcomes: Attempt[],
  { safe = false, answered = false, ...policy }: RetryPolicy & { safe?: boolean; answered?: boolean } = {},
) {
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  let attempts = 0
  const next = async () => outcomes[attempts++] as Attempt
  const result = await repeat(
    next,
    { safe, signal: undefined, hasAnswered: () => answered },
    { wait, ...policy },
  ).catch((error: Error) => error.message)
  return { result, waits, attempts }
}
const done: Attempt = { ok: true, value: 'done' }

test('writes are repeated only when they surely left no trace', () => {
  const table: [Fate, write: boolean, read: boolean][] = [
    ['judged', false, false],
    ['undone', true, true],
    ['unreached', true, true],
    ['unknown', false, true],
  ]
  for (const [fate, write, read] of table)
    assert.deepEqual([mayRepeat(fate, false), mayRepeat(fate, true)], [write, read], fate)
})

test('the value of the first success counts, the last failure is thrown', async () => {
  assert.deepEqual((await run([failed('undone'), done])).result, 'done')
  assert.deepEqual(
    await run([failed('undone'), failed('judged'), done]).then((r) => [r.result, r.attempts]),
    ['judged', 2],
  )
  assert.deepEqual(await run([failed('unknown'), done]).then((r) => [r.result, r.attempts]), ['unknown', 1])
  assert.deepEqual(
    await run(Array(9).fill(failed('unknown')), { safe: true }).then((r) => [r.result, r.attempts]),
    ['unknown', 4],
  )
  assert.deepEqual(await run([failed('undone'), done], { attempts: 1 }).then((r) => [r.result, r.attempts]), [
    'undone',
    1,
  ])
})

test('waits grow up to a bound, by chance below it', async () => {
  const { waits } = await run(Array(8).fill(failed('undone')), { attempts: 8, baseMs: 100, maxMs: 350 })
  assert.equal(waits.length, 7)
  for (const [i, ms] of waits.entries())
    assert.ok(ms >= 0 && ms <= Math.min(350, 100 * 2 ** i), `${i}: ${ms}`)
})

test('a server that names its time is believed', async () => {
  assert.deepEqual((await run([failed('undone', 3000), done])).waits, [3000])
  assert.deepEqual(await run([failed('undone', 11_000), done]), { result: 'undone', waits: [], attempts: 1 })
})

test('a server that answered before and is away is waited for as long as the patience says', async () => {
  const [away, busy] = [Array(200).fill(failed('unreached')), Array(9).fill(failed('undone'))]
  const { result, waits } = await run([...away], { answered: true, patienceMs: 20_000 })
  assert.equal(result, 'unreached')
  assert.equal(Math.round(waits.reduce((sum, ms) => sum + ms, 0)), 20_000)
  assert.equal((await run([...away, done], { answered: false })).attempts, 4)
  assert.equal((await run([...away], { answered: true, attempts: 2 })).attempts, 2)
  // Patience ends although the server, or the policy, asks for no wait.
  const atOnce = await run(Array(400).fill(failed('unreached', 0)), { answered: true })
  assert.equal(Math.round(atOnce.waits.reduce((sum, ms) => sum + ms, 0)), 30_000)
  assert.equal((await run([...away], { answered: true, baseMs: 0 })).attempts, 4)
  // A call that lost against another transaction met no outage.
  assert.equal((await run(busy, { answered: true })).attempts, 4)
})

test('an abort ends the wait before a retry at once', async () => {
  const controller = new AbortController()
  let attempts = 0
  const attempt = async () => {
    attempts++
    setImmediate(() => controller.abort(new Error('enough')))
    return failed('undone', 9000)
  }
  await assert.rejects(repeat(attempt, { safe: false, signal: controller.signal }), /enough/)
  await assert.rejects(repeat(attempt, { safe: false, signal: controller.signal }), /enough/)
  assert.equal(attempts, 1)
})
