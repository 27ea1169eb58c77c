// SIGKILL of the process that sends webhooks, at the two places where it could lose or double something:
// between a receiver's answer and its note, and in the middle of making deliveries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/sql/index.ts'
import { until } from '../support/receiver.ts'
import { canLook, killAll, withDescendants } from './processes.ts'
import { openSending } from './sending.ts'

test('SIGKILL between an answer and its note, or amid fan-out: at least once, in order, never made twice', {
  skip: !canLook && 'needs /proc',
}, async () => {
  const sending = await openSending()
  const { hook, call, database } = sending
  const write = (id: number | undefined, comment: string) =>
    call('res.partner/write', { ids: [id], vals: { comment } })
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

    // Who makes deliveries is held at the statement that inserts them.
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const lock = database.system(async (env) => {
      await env.query(sql`LOCK TABLE comptoir_webhook_delivery IN SHARE MODE`)
      locked.resolve()
      await released.promise
    })
    await locked.promise
    for (const id of people) await write(id, 'amid fan-out')
    const waiting = sql`SELECT count(*)::int FROM pg_locks WHERE NOT granted AND relation = 'comptoir_webhook_delivery'::regclass`
    await until(
      async () => (await database.system((env) => env.query(waiting)))[0]?.[0] !== 0,
      'fan-out is held',
      60,
    )
    const before = hook.got.length
    await killAll(withDescendants(second.pid))
    released.resolve()
    await lock
    assert.equal(hook.got.length, before)
    await sending.start()
    await sending.settle(60)

    const { missing, disordered, doubled, again, committed } = await sending.judge()
    assert.equal(committed, 2 * people.length + 2)
    assert.deepEqual({ missing, disordered, doubled }, { missing: [], disordered: [], doubled: [] })
    assert.deepEqual(again, [unnoted])
    const bodies = hook.got.filter(({ headers }) => headers['webhook-id'] === unnoted)
    assert.equal(new Set(bodies.map(({ text }) => text)).size, 1)
  } finally {
    await sending.close()
  }
})
