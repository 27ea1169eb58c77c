// Handles of plans: good for ten minutes, for one call of one user in one database, and for nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gone, UnprocessableEntity } from '../../errors.ts'
import { sealed, type Touched, unsealed } from './plan-handle.ts'

const seal = { secret: 'the secret of a database', subject: '7 update_records' }
const touched: readonly Touched[] = [['res.partner', 'v1', [1, 2]]]
const MINUTES = 60_000

test('a plan is good for ten minutes, and over then', () => {
  const { plan, expires } = sealed(seal, touched, 0)
  assert.equal(expires, new Date(10 * MINUTES).toISOString())
  assert.deepEqual(unsealed(seal, plan, 0), touched)
  assert.deepEqual(unsealed(seal, plan, 10 * MINUTES), touched)
  assert.throws(
    () => unsealed(seal, plan, 10 * MINUTES + 1),
    (error) => error instanceof Gone && error.code === 'plan_expired',
  )
})

test('plans: one of another call, user or database is refused, whatever its time, and a changed one too', () => {
  const { plan } = sealed(seal, touched, 0)
  const [, body = ''] = plan.split('.')
  const later = Buffer.from(JSON.stringify([1e15, touched])).toString('base64url')
  const changed = Buffer.from(body, 'base64url').map((byte, i) => (i === 30 ? byte ^ 1 : byte))
  for (const [other, handle] of [
    [{ ...seal, subject: '8 update_records' }, plan],
    [{ ...seal, secret: 'of a copy' }, plan],
    [seal, `${plan}A`],
    [seal, `${plan}=`],
    [seal, `${plan}.${body}`],
    [seal, `p2.${later}`],
    [seal, `p2.${Buffer.from(changed).toString('base64url')}`],
    [seal, `p2.${body.slice(0, 20)}`],
    [seal, `p1.${body}`],
    [seal, ''],
  ] as const)
    assert.throws(
      () => unsealed(other, handle, 0),
      (error) => error instanceof UnprocessableEntity && error.code === 'plan_mismatch',
      handle,
    )
})

test('plans: a handle shows no records that a call would touch', () => {
  const { plan } = sealed(seal, touched, 0)
  const text = Buffer.from(plan.slice(3), 'base64url').toString('latin1')
  assert.ok(!text.includes('res.partner') && !plan.includes(Buffer.from('res.partner').toString('base64url')))
})
