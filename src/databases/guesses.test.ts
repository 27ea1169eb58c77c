// Guessing is slowed down by address, one answer at a time; a right answer clears the account.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Guesses } from './guesses.ts'

function guesses(policy = {}) {
  const waits: number[] = []
  const counter = new Guesses({ free: 2, firstMs: 100, mostMs: 350, ...policy }, async (ms) => waits.push(ms))
  return { counter, waits }
}
const wrong = async () => false
const right = async () => true

test('waits grow after the free ones, up to the longest', async () => {
  const { counter, waits } = guesses()
  for (let n = 0; n < 6; n++) assert.equal(await counter.judge('a', wrong), false)
  assert.deepEqual(waits, [100, 200, 350, 350])
})

test('another address does not wait, and a right answer ends the waiting', async () => {
  const { counter, waits } = guesses()
  for (let n = 0; n < 2; n++) await counter.judge('a', wrong)
  await counter.judge('b', wrong)
  assert.deepEqual(waits, [])
  assert.equal(await counter.judge('a', right), true)
  await counter.judge('a', wrong)
  assert.deepEqual(waits, [100], 'only the right one after two wrong ones waited')
})

test('what is guessed in one process counts in the others', async () => {
  const waits: number[] = []
  const others: Guesses[] = []
  const make = () =>
    new Guesses(
      { free: 2, firstMs: 100, mostMs: 350 },
      async (ms) => waits.push(ms),
      (outcome) => {
        for (const other of others) if (other !== current()) other.hear(outcome)
      },
    )
  let turn = 0
  const current = () => others[turn]
  others.push(make(), make())
  for (turn of [0, 1, 0, 1]) await current()?.judge('fd00::1', wrong)
  assert.deepEqual(waits, [100, 200])
  turn = 0
  assert.equal(await current()?.judge('fd00::1', right), true)
  turn = 1
  await current()?.judge('fd00::1', wrong)
  assert.deepEqual(waits, [100, 200, 350])
})

test('answers sent together are judged one after the other', async () => {
  const { counter, waits } = guesses()
  let atOnce = 0
  let most = 0
  const slow = async () => {
    most = Math.max(most, ++atOnce)
    await new Promise((done) => setImmediate(done))
    atOnce--
    return false
  }
  await Promise.all(Array.from({ length: 5 }, () => counter.judge('a', slow)))
  assert.equal(most, 1)
  assert.deepEqual(waits, [100, 200, 350])
})

test('an old account is forgotten, and an answer that could not be judged counts for nothing', async () => {
  const { counter, waits } = guesses({ forgetMs: -1 })
  for (let n = 0; n < 4; n++) await counter.judge('a', wrong)
  assert.deepEqual(waits, [])
  await assert.rejects(
    counter.judge('a', () => Promise.reject(new Error('no disk'))),
    /no disk/,
  )
  assert.equal(await counter.judge('a', right), true)
})

test('of many concurrent guesses only those that need not wait long are verified; the others are refused, right or wrong', async () => {
  const { counter, waits } = guesses({ firstMs: 1000, mostMs: 8000 })
  let judged = 0
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      counter
        .judge('a', async () => {
          judged++
          return i === 20
        })
        .catch((error: Error) => error.message),
    ),
  )
  // Two are free, one waits a second, one two and one four; no time passes here. The next would wait eight.
  assert.deepEqual([judged, waits], [5, [1000, 2000, 4000]])
  assert.equal(new Set(answers.slice(5)).size, 1)
  assert.match(String(answers[20]), /Too many attempts/)
  assert.equal(await counter.judge('b', right), true, 'others do not wait behind them')
})

test('right ones at once are all judged, up to very many', async () => {
  const { counter } = guesses()
  const answers = await Promise.all(
    Array.from({ length: 120 }, () => counter.judge('a', right).catch((error: Error) => error.name)),
  )
  assert.deepEqual(
    [
      answers.filter((answer) => answer === true).length,
      answers.filter((answer) => answer === 'AccessDenied').length,
    ],
    [100, 20],
  )
})

test('wrong ones from everywhere make everybody wait but those who were right before', async () => {
  const { counter } = guesses()
  await counter.judge('office', right)
  for (let i = 0; i < 100; i++) await counter.judge(`10.0.${i}.1`, wrong)
  await assert.rejects(counter.judge('10.1.0.1', right), /Too many attempts/)
  assert.equal(await counter.judge('office', right), true)
})
