// The guard of a call: which counts and entries a call leaves, and when.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessDenied } from '../errors.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Ask } from './ask.ts'
import { AttemptQueue } from './attempt-queue.ts'
import { AddressGuard } from './cooldown.ts'

/** A guard over a state, and the statements it wrote outside of the call's transaction. */
function guardOver(count: number) {
  const written: string[] = []
  const counted: unknown[] = []
  const ask: Ask = async ({ text, values }) => {
    if (text.startsWith('SELECT json')) {
      const failures = count ? [{ kind: 'address', name: '10.0.0.1', count, age: 1 }] : null
      return [[JSON.stringify({ parameters: { 'base.login_cooldown_after': '3' }, failures, known: false })]]
    }
    if (text.startsWith('WITH made')) {
      const kinds = values
        .filter(Array.isArray)
        .flatMap((list) => list.filter((value) => /^(address|login)$/.test(String(value))))
      counted.push(...kinds)
      written.push('place taken')
      return kinds.map((kind) => [kind])
    }
    written.push(
      text.startsWith('WITH old')
        ? 'counted'
        : text.includes('kept AS')
          ? 'given back'
          : (/comptoir_audit/.exec(text)?.[0] ?? text),
    )
    return text.includes('RETURNING') ? [['address', count + 1]] : []
  }
  const announced: unknown[] = []
  const queue = new AttemptQueue(ask)
  queue.tell = (row) => announced.push(row)
  const env = {
    unit: { credential: { verify: async () => undefined } },
    user: { login: 'ann' },
  } as unknown as Environment
  return { guard: new AddressGuard(queue, { address: '10.0.0.1' }), written, counted, announced, env }
}

test('what a call came to is written when it has ended, once', async () => {
  const { guard, written, announced, env } = guardOver(1)
  await guard.assertNoCooldown(env, 'key')
  await guard.failed()
  await guard.failed()
  assert.deepEqual(written, ['place taken'])
  await guard.settle()
  await guard.settle()
  assert.deepEqual(written, ['place taken', 'counted', 'comptoir_audit'])
  assert.deepEqual(announced, [
    { event: 'login.failed', uid: null, login: 'ann', address: '10.0.0.1', detail: { by: 'call' } },
  ])
})

test('the failure that makes an address wait says so in the log', async () => {
  const { guard, announced, env } = guardOver(2)
  await guard.assertNoCooldown(env, 'key')
  await guard.failed()
  await guard.settle()
  assert.deepEqual((announced[0] as { detail: unknown }).detail, { by: 'call', paused: true })
})

test('a password is guessed at for its login too, a key for the address alone', async () => {
  for (const [judged, kinds] of [
    ['password', ['address', 'login']],
    ['key', ['address']],
  ] as const) {
    const { guard, counted, env } = guardOver(0)
    await guard.assertNoCooldown(env, judged)
    assert.deepEqual(counted, kinds)
    await guard.settle()
  }
})

test('a place is given back by a success, and by what neither was right nor wrong', async () => {
  for (const outcome of ['succeeded', null] as const) {
    const { guard, written, env } = guardOver(2)
    await guard.assertNoCooldown(env, 'key')
    if (outcome) await guard[outcome](env)
    await guard.settle()
    assert.deepEqual(written, ['place taken', 'given back'])
  }
})

test('an attempt that has to wait is refused, and is not counted again', async () => {
  const { guard, written, env } = guardOver(3)
  await assert.rejects(guard.assertNoCooldown(env, 'key'), AccessDenied)
  assert.equal(guard.concerned, false)
  assert.deepEqual(written, [])
})
