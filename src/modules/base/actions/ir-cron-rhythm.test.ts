// Rhythms of scheduled jobs: clocks that change, short months, jobs that were not run for long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHopeless, nextMoment, retryMoment } from './ir-cron-rhythm.ts'

test('whole steps from where it was', () => {
  assert.equal(
    nextMoment('2024-01-01 10:00:00', 5, 'minutes', '2024-01-01 10:12:00', null),
    '2024-01-01 10:15:00',
  )
  assert.equal(
    nextMoment('2024-01-01 10:00:00', 1, 'hours', '2031-05-05 10:00:00', null),
    '2031-05-05 11:00:00',
  )
  assert.equal(
    nextMoment('2024-01-01 10:00:00', 2, 'weeks', '2024-01-01 10:00:00', null),
    '2024-01-15 10:00:00',
  )
  assert.equal(
    nextMoment('2024-01-31 10:00:00', 1, 'months', '2024-02-01 00:00:00', null),
    '2024-02-29 10:00:00',
  )
  assert.equal(
    nextMoment('2024-01-31 10:00:00', 1, 'months', '2024-03-01 00:00:00', null),
    '2024-03-31 10:00:00',
  )
})

test('a job that was not run for years comes as soon as any', () => {
  assert.equal(
    nextMoment('1990-01-31 10:00:00', 1, 'months', '2024-02-10 00:00:00', null),
    '2024-02-29 10:00:00',
  )
  assert.equal(
    nextMoment('1990-01-01 10:00:00', 5, 'minutes', '2024-02-10 00:00:00', null),
    '2024-02-10 00:05:00',
  )
  assert.equal(
    nextMoment('1990-01-07 10:00:00', 1, 'weeks', '2024-02-10 00:00:00', 'Europe/Paris'),
    '2024-02-11 10:00:00',
  )
})

test('scheduled jobs: a rhythm beyond the calendar never comes, and is computed at once', () => {
  for (const unit of ['minutes', 'days', 'months'] as const)
    assert.equal(
      nextMoment('2024-01-01 10:00:00', 2_147_483_647, unit, '2024-02-10 00:00:00', 'Europe/Paris').slice(
        0,
        4,
      ) >= '6000',
      true,
    )
  assert.equal(
    nextMoment('2024-01-01 10:00:00', 2_147_483_647, 'months', '2024-02-10 00:00:00', null),
    '9999-12-31 23:59:59',
  )
})

test('days are those of the time zone', () => {
  // Clocks in Paris went forward on 31 March 2024: three in the morning is 02:00 UTC before, 01:00 after.
  assert.equal(
    nextMoment('2024-03-30 02:00:00', 1, 'days', '2024-03-30 12:00:00', 'Europe/Paris'),
    '2024-03-31 01:00:00',
  )
  assert.equal(
    nextMoment('2024-03-30 02:00:00', 1, 'days', '2024-03-30 12:00:00', null),
    '2024-03-31 02:00:00',
  )
  assert.equal(
    nextMoment('2024-03-30 02:00:00', 24, 'hours', '2024-03-30 12:00:00', 'Europe/Paris'),
    '2024-03-31 02:00:00',
  )
  assert.equal(
    nextMoment('2024-03-30 02:00:00', 1, 'days', '2024-03-30 12:00:00', 'Nowhere/Land'),
    '2024-03-31 02:00:00',
  )
})

test('tries come slower and slower, and end', () => {
  assert.equal(retryMoment(1, '2024-01-01 00:00:00'), '2024-01-01 00:01:00')
  assert.equal(retryMoment(4, '2024-01-01 00:00:00'), '2024-01-01 00:08:00')
  assert.equal(retryMoment(60, '2024-01-01 00:00:00'), '2024-01-01 01:00:00')
  assert.equal(isHopeless(5, '2024-01-01 00:00:00', '2024-01-07 23:00:00'), false)
  assert.equal(isHopeless(4, '2024-01-01 00:00:00', '2024-02-01 00:00:00'), false)
  assert.equal(isHopeless(5, '2024-01-01 00:00:00', '2024-01-08 00:00:00'), true)
})
