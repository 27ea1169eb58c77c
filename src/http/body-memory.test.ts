// Total memory of request bodies: shares by name, a queue in order, and nothing left over.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors.ts'
import { setLimits } from '../limits.ts'
import { BodyMemory } from './body-memory.ts'

afterEach(() => setLimits())

/** Whether a promise is settled already. */
async function isDone(promise: void | Promise<void>): Promise<boolean> {
  if (!promise) return true
  let done = false
  void promise.then(() => {
    done = true
  })
  await turn()
  return done
}

test('unproven clients, addresses, users and databases have a share each, and none takes all', async () => {
  setLimits({ 'in-flight': 800 })
  const intake = new BodyMemory()
  const stranger = intake.account('a')
  assert.equal(stranger.take(200), undefined)
  const other = intake.account('b')
  const waiting = other.take(1)
  assert.equal(await isDone(waiting), false, 'a quarter is for strangers')
  stranger.rename('user one', 'database one')
  assert.equal(await isDone(waiting), true)
  other.rename('user two', 'database one')
  assert.equal(await isDone(other.take(399)), true)
  const third = intake.account('c')
  third.rename('user three', 'database one')
  const more = third.take(100)
  assert.equal(await isDone(more), false, 'three quarters are for one database')
  const elsewhere = intake.account('d')
  elsewhere.rename('user four', 'database two')
  assert.equal(await isDone(elsewhere.take(200)), true, 'who waits for their own share holds up nobody else')
  other.close()
  assert.equal(await isDone(more), true)
  for (const account of [stranger, third, elsewhere]) account.close()
  assert.equal(intake.total, 0)
})

test('a single body fits, whatever the limit', () => {
  setLimits({ 'in-flight': 10 })
  const account = new BodyMemory().account('a')
  assert.equal(account.take(500), undefined)
  assert.equal(account.take(500), undefined)
})

test('who comes when it is full waits in order', async () => {
  setLimits({ 'in-flight': 400 })
  const intake = new BodyMemory()
  const [first, second, third, last] = ['a', 'b', 'c', 'd'].map((name) => {
    const account = intake.account(name)
    account.rename(`user ${name}`)
    return account
  }) as [
    ReturnType<BodyMemory['account']>,
    ReturnType<BodyMemory['account']>,
    ReturnType<BodyMemory['account']>,
    ReturnType<BodyMemory['account']>,
  ]
  assert.deepEqual([first.take(200), second.take(200)], [undefined, undefined])
  const [large, small] = [third.take(150), last.take(10)]
  assert.deepEqual([await isDone(large), await isDone(small)], [false, false])
  first.close()
  assert.deepEqual([await isDone(large), await isDone(small)], [true, true])
})

test('waiting ends: by a refusal that says when to come again, or with the body', async () => {
  setLimits({ 'in-flight': 100 })
  const intake = new BodyMemory(1)
  const holder = intake.account('a')
  holder.take(100)
  const refused = intake.account('b')
  await assert.rejects(
    async () => refused.take(50),
    (error) => error instanceof ServiceUnavailable && error.retryAfter > 0,
  )
  const gone = intake.account('c')
  const waiting = Promise.resolve(gone.take(50))
  gone.close()
  await assert.rejects(waiting, ServiceUnavailable)
  assert.equal(gone.take(1000), undefined, 'what is over takes nothing')
  holder.close()
  assert.equal(intake.total, 0)
})

test('a body that waits again and again has so much time for it altogether', async () => {
  setLimits({ 'in-flight': 400 })
  const intake = new BodyMemory(60_000, 30_000)
  const [other, account] = ['other', 'account'].map((name) => {
    const account = intake.account(name)
    account.rename('user one')
    return account
  })
  assert.ok(other && account)
  other.take(200)
  assert.equal(account.take(0), undefined)
  const first = account.take(1)
  await delay(10)
  assert.equal(account.waited, 0)
  other.close()
  await first
  assert.ok(account.waited > 0, 'what it waited is remembered')
  const last = intake.account('last')
  last.rename('user one')
  last.take(199)
  account.waited = 30_000
  await assert.rejects(async () => account.take(100), ServiceUnavailable)
})
