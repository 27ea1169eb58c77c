// The rules of API keys, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessDenied, InvalidValue, ValidationError } from '../../../errors.ts'
import {
  assertLife,
  expirationOf,
  isOn,
  keyOf,
  lastEnd,
  limitFrom,
  nameOf,
  scopeFor,
} from './apikeys-rules.ts'
import { endOf } from './apikeys-wizard.ts'

const now = new Date('2026-01-31T12:00:00Z')

test('a parameter opens the methods only when it says yes', () => {
  for (const yes of ['1', 'yes', 'True', 'TRUE', 't', 'y', 'on']) assert.equal(isOn(yes), true, yes)
  for (const no of [null, '', '0', 'no', 'off', 'False', 'maybe', ' true'])
    assert.equal(isOn(no), false, String(no))
})

test('a limit that is no integer means ten', () => {
  assert.deepEqual(['3', '0', '-1', 'many', '4.5', '', null].map(limitFrom), [3, 0, -1, 10, 10, 10, 10])
})

test('expiration dates of API keys are read strictly', () => {
  assert.equal(expirationOf('2026-02-01'), '2026-02-01 00:00:00')
  assert.equal(expirationOf('2026-02-01 10:20:30'), '2026-02-01 10:20:30')
  assert.equal(expirationOf('2026-02-01T10:20:30Z'), '2026-02-01 10:20:30')
  assert.equal(expirationOf('2026-02-01T00:30:00+01:00'), '2026-01-31 23:30:00')
  for (const none of [null, false, '']) assert.equal(expirationOf(none), null)
  for (const bad of [
    'tomorrow',
    '31/12/2026',
    '2026-13-01',
    '2027-02-30',
    '10000-01-01',
    ' ',
    '2026-01-01T',
    '2026-01-05 25:00:00',
    '2026-01-05T10:00:00+24:00',
    '2026-01-05T10:00:00 Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:00:00-02:00',
    5,
    true,
    [],
    {},
  ]) {
    assert.throws(() => expirationOf(bad), InvalidValue, JSON.stringify(bad))
  }
})

test('a key lives three months and what the groups allow, administrators three months', () => {
  assertLife('2026-04-30 12:00:00', null, now)
  assert.throws(() => assertLife('2026-04-30 12:00:01', null, now), ValidationError)
  assert.throws(() => assertLife(null, null, now), ValidationError)
  assertLife('2026-02-20 00:00:00', 20, now)
  assert.throws(() => assertLife('2026-02-22 00:00:00', 20.5, now), ValidationError)
  assertLife('2026-02-21 00:00:00', 20.5, now)
  assertLife('2026-02-01 00:00:00', 0, now)
  assert.throws(() => assertLife('2026-02-03 00:00:00', 0, now), ValidationError)
  assert.throws(() => assertLife('2026-08-01 00:00:00', 365, now), ValidationError)
  assertLife('2001-01-01 00:00:00', 1, now)
})

test('an unscoped key makes any scope, a scoped one only its own', () => {
  assert.equal(scopeFor(null, null), null)
  assert.equal(scopeFor('side', null), 'side')
  assert.equal(scopeFor('rpc', 'rpc'), 'rpc')
  for (const [scope, keyScope] of [
    [null, 'rpc'],
    ['side', 'rpc'],
    ['RPC', 'rpc'],
  ] as const)
    assert.throws(() => scopeFor(scope, keyScope), AccessDenied)
  for (const bad of [5, {}, [], true, ['rpc']]) assert.throws(() => scopeFor(bad, null), InvalidValue)
})

test('keys and names of API keys must be texts', () => {
  for (const bad of [null, '', 5, true, [], {}]) assert.throws(() => keyOf(bad), InvalidValue)
  assert.throws(() => nameOf(null), ValidationError)
  for (const bad of [false, 5, {}, []]) assert.throws(() => nameOf(bad), InvalidValue)
})

test('the last end is the nearer one of three months and what the groups allow', () => {
  const february = new Date('2026-02-01T08:00:00Z')
  assert.equal(lastEnd(null, february), '2026-05-01 08:00:00')
  // Ninety days would be longer than February, March and April.
  assert.equal(lastEnd(90, february), '2026-05-01 08:00:00')
  assert.equal(lastEnd(10, february), '2026-02-11 08:00:00')
  assert.equal(lastEnd(0, february), '2026-02-02 08:00:00')
  assert.equal(endOf({ duration: '90', expiration_date: null }, february), '2026-05-01 08:00:00')
  assert.equal(endOf({ duration: '90', expiration_date: null }, now), '2026-04-30 12:00:00')
  assert.equal(
    endOf({ duration: '7', expiration_date: '2026-04-01 00:00:00' }, february),
    '2026-02-08 08:00:00',
  )
  assert.equal(
    endOf({ duration: '-1', expiration_date: '2026-04-01 00:00:00' }, february),
    '2026-04-01 00:00:00',
  )
})
