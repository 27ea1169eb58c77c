// The guard of a call: what a call leaves behind, and when.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessDenied } from '../errors.ts'
import type { Environment } from '../models/environment.ts'
import type { Ask } from './ask.ts'
import { AddressGuard } from './cooldown.ts'

/** A guard over a state, and the statements it wrote outside of the call's transaction. */
function guardOver(count: number) {
  const written: string[] = []
  const ask: Ask = async ({ text }) => {
    if (text.startsWith('SELECT json')) {
      const failures = count ? [{ kind: 'address', name: '10.0.0.1', count, age: 1 }] : null
      return [[JSON.stringify({ parameters: { 'base.login_cooldown_after': '3' }, failures, known: false })]]
    }
    written.push(/failed_login|comptoir_audit/.exec(text)?.[0] ?? text)
    return text.includes('RETURNING') ? [['address', count + 1]] : []
  }
  const told: unknown[] = []
  const env = { unit: { run: ask }, user: { login: 'ann' } } as unknown as Environment
  return { guard: new AddressGuard(ask, { address: '10.0.0.1', tell: (row) => told.push(row) }), written, told, env }
}

test('what a call came to is written when it has ended, once', async () => {
  const { guard, written, told, env } = guardOver(1)
  await guard.assertNoCooldown(env, 'key')
  await guard.failed()
  await guard.failed()
  assert.deepEqual(written, [])
  await guard.settle()
  await guard.settle()
  assert.deepEqual(written, ['failed_login', 'comptoir_audit'])
  assert.deepEqual(told, [{ event: 'login.failed', uid: null, login: 'ann', address: '10.0.0.1', detail: { by: 'call' } }])
})

test('the failure that makes an address wait says so in the log', async () => {
  const { guard, told, env } = guardOver(2)
  await guard.assertNoCooldown(env, 'key')
  await guard.failed()
  await guard.settle()
  assert.deepEqual((told[0] as { detail: unknown }).detail, { by: 'call', paused: true })
})

test('a password is guessed at for its login too, a key for the address alone', async () => {
  for (const [judged, kinds] of [
    ['password', ['address', 'login']],
    ['key', ['address']],
  ] as const) {
    const counted: unknown[] = []
    const ask: Ask = async ({ text, values }) => {
      if (text.startsWith('SELECT json')) return [[JSON.stringify({ parameters: null, failures: null, known: false })]]
      if (text.includes('RETURNING')) counted.push(...(values.find(Array.isArray) as string[]))
      return []
    }
    const guard = new AddressGuard(ask, { address: '10.0.0.1' })
    await guard.assertNoCooldown({ unit: { run: ask }, user: { login: 'ann' } } as unknown as Environment, judged)
    await guard.failed()
    await guard.settle()
    assert.deepEqual(counted, kinds)
  }
})

test('a success clears the count, where there is one', async () => {
  for (const [failures, expected] of [
    [2, ['failed_login']],
    [0, []],
  ] as const) {
    const { guard, written, env } = guardOver(failures)
    await guard.assertNoCooldown(env, 'key')
    await guard.succeeded(env)
    await guard.settle()
    assert.deepEqual(written, expected)
  }
})

test('who has to wait hears so, and is not counted again', async () => {
  const { guard, written, env } = guardOver(3)
  await assert.rejects(guard.assertNoCooldown(env, 'key'), AccessDenied)
  await guard.settle()
  assert.deepEqual(written, [])
})
