// SIGKILL of the process that sends webhooks, at the places where it could lose or double something: between
// a receiver's answer and its note, between taking an endpoint and sending, and amid making deliveries.
// Begins first: it takes 6 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '../../src/sql/index.ts'
import { until } from '../support/receiver.ts'
import { canLook, killAll, withDescendants } from './processes.ts'
import { openSending } from './sending.ts'

test('webhooks: SIGKILL at any step of a delivery: at least once, in order, without duplicate deliveries', {
  skip: !canLook && 'needs /proc',
}, async () => {
  const sending = await openSending()
  const { hook, call, database } = sending
  const write = (id: number | undefined, comment: string) =>
    call('res.partner/write', { ids: [id], vals: { comment } })
  /** Locks a table until it is released. */
  const held = async (table: string, mode: string) => {
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = database.system(async (env) => {
      await env.query(raw(`LOCK TABLE ${table} IN ${mode} MODE`))
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const waiting = sql`SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = ${table}::regclass`
    return {
      isWaitedFor: async () => (await database.system((env) => env.query(waiting)))[0]?.[0] !== 0,
      release: () => {
        released.resolve()
        return lock
      },
    }
  }
  try {
    const people = (await call('res.partner/create', {
      vals_list: Array.from({ length: 4 }, (_, n) => ({ name: `P${n}` })),
    })) as number[]
    const first = await sending.start()
    await sending.settle(60)

    // The answer is under way to a process that stands still, and that never goes on.
    const pids = withDescendants(first.pid)
    const answered = Promise.withResolvers<string>()
    hook.answer = ({ headers }, response) => {
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      response.writeHead(200).end('ok', () => answered.resolve(String(headers['webhook-id'])))
    }
    await write(people[0], 'answered, and not noted')
    const unnoted = await answered.promise
    await killAll(pids)
    hook.answer = (_received, response) => response.writeHead(200).end('ok')
    await write(people[0], 'what comes behind')
    // Its lease ends without waiting for its time.
    await database.system((env) =>
      env.query(sql`UPDATE comptoir_webhook_lease SET until = '-infinity' WHERE until > now()`),
    )
    const second = await sending.start()
    await sending.settle(60)

    // A lock on the signing secret keeps the process that took the endpoint from sending.
    const ahead = await held('comptoir_webhook_secret', 'ACCESS EXCLUSIVE')
    await write(people[1], 'taken, and not sent')
    await until(ahead.isWaitedFor, 'the endpoint is taken')
    const sent = hook.got.length
    await killAll(withDescendants(second.pid))
    await ahead.release()
    assert.equal(hook.got.length, sent)
    await database.system((env) =>
      env.query(sql`UPDATE comptoir_webhook_lease SET until = '-infinity' WHERE until > now()`),
    )
    const third = await sending.start()
    await sending.settle(60)
    assert.equal(hook.got.length, sent + 1)

    // A lock keeps the process that builds deliveries from inserting them.
    const making = await held('comptoir_webhook_delivery', 'SHARE')
    for (const id of people) await write(id, 'amid fan-out')
    await until(making.isWaitedFor, 'fan-out is held')
    const before = hook.got.length
    await killAll(withDescendants(third.pid))
    await making.release()
    assert.equal(hook.got.length, before)
    await sending.start()
    await sending.settle(60)

    const { missing, disordered, doubled, again, committed } = await sending.judge()
    assert.equal(committed, 2 * people.length + 3)
    assert.deepEqual({ missing, disordered, doubled }, { missing: [], disordered: [], doubled: [] })
    assert.deepEqual(again, [unnoted])
    const bodies = hook.got.filter(({ headers }) => headers['webhook-id'] === unnoted)
    assert.equal(new Set(bodies.map(({ text }) => text)).size, 1)
  } finally {
    await sending.close()
  }
})
