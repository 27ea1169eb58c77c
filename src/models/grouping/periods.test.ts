// Tests of periods: their bounds in zones whose clocks change, and their labels by language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../sql/index.ts'
import { type Calendar, isGranularity, nextStart, periodLabel, startOf, startSql } from './periods.ts'

const utc: Calendar = { zone: 'UTC', weekStart: 7, lang: 'en_US', formats: new Map() }
const brussels: Calendar = { ...utc, zone: 'Europe/Brussels', weekStart: 1, lang: 'fr_FR' }
const german: Calendar = { ...utc, weekStart: 1, lang: 'de_DE' }

test('which granularities a kind has', () => {
  assert.ok(
    isGranularity('month', 'date') &&
      isGranularity('day_of_week', 'date') &&
      isGranularity('hour_number', 'datetime'),
  )
  for (const name of ['hour', 'hour_number', 'decade', 'toString'])
    assert.equal(isGranularity(name, 'date'), false, name)
})

test('each granularity has its next period', () => {
  assert.equal(nextStart('2024-02-28', 'day', utc), '2024-02-29')
  assert.equal(nextStart('2023-12-31', 'week', utc), '2024-01-07')
  assert.equal(nextStart('2024-12-01', 'month', utc), '2025-01-01')
  assert.equal(nextStart('2024-10-01', 'quarter', utc), '2025-01-01')
  assert.equal(nextStart('2024-01-01', 'year', utc), '2025-01-01')
})

test('nothing follows the last year', () => {
  assert.equal(nextStart('9999-01-01', 'year', utc), null)
  assert.equal(nextStart('9999-12-31 23:00:00', 'hour', utc), null)
})

test('moments are bounded by days of the zone, also when clocks change', () => {
  assert.equal(nextStart('2024-03-30 23:00:00', 'day', brussels), '2024-03-31 22:00:00')
  assert.equal(nextStart('2024-10-26 22:00:00', 'day', brussels), '2024-10-27 23:00:00')
  assert.equal(nextStart('2024-02-29 23:00:00', 'month', brussels), '2024-03-31 22:00:00')
  assert.equal(nextStart('2024-10-27 00:00:00', 'hour', brussels), '2024-10-27 01:00:00')
})

test('a day without midnight begins later, the next one at midnight', () => {
  const beirut = { ...utc, zone: 'Asia/Beirut' }
  assert.equal(nextStart('2021-03-27 22:00:00', 'day', beirut), '2021-03-28 21:00:00')
})

test('a day belongs to one period of each granularity', () => {
  assert.equal(startOf('2024-05-20', 'quarter', false, utc), '2024-04-01')
  assert.equal(startOf('2024-05-20', 'week', false, utc), '2024-05-19')
  assert.equal(startOf('2024-05-20', 'week', false, german), '2024-05-20')
  assert.equal(startOf('2024-05-20', 'month', true, brussels), '2024-04-30 22:00:00')
  assert.equal(startOf('2024-04-30 23:30:00', 'month', true, brussels), '2024-04-30 22:00:00')
})

test('weeks of PostgreSQL are moved to the first day of the language', () => {
  const days = (weekStart: number) => startSql(sql`d`, 'week', false, { ...utc, weekStart }).compile().text
  assert.match(days(7), /d \+ 1\)::timestamp\)::date - 1/)
  assert.match(days(1), /d \+ 0\)::timestamp\)::date - 0/)
})

test('periods have labels in the language of the user', () => {
  assert.equal(periodLabel('2024-01-01', 'day', utc), '01 Jan 2024')
  assert.equal(periodLabel('2024-02-04', 'day', brussels), '04 févr. 2024')
  assert.equal(periodLabel('2024-08-01', 'month', brussels), 'août 2024')
  assert.equal(periodLabel('2024-07-01', 'quarter', brussels), 'T3 2024')
  assert.equal(periodLabel('2024-07-01', 'quarter', german), 'Q3 2024')
  assert.equal(periodLabel('2024-03-01', 'month', german), 'März 2024')
  assert.equal(periodLabel('2024-03-01', 'month', { ...utc, lang: 'ja_JP' }), '3月 2024')
  assert.equal(periodLabel('2024-07-01', 'quarter', { ...utc, lang: 'pl_PL' }), 'III kw. 2024')
  assert.equal(periodLabel('2024-01-01', 'month', { ...utc, lang: 'not a language' }), 'January 2024')
})

test('hours are those of a clock with twelve', () => {
  assert.equal(periodLabel('2031-12-31 23:00:00', 'hour', utc), '11:00 31 Dec')
  assert.equal(periodLabel('2031-12-31 23:00:00', 'hour', { ...brussels, lang: 'en_US' }), '12:00 01 Jan')
  assert.equal(periodLabel('2031-12-31 18:30:00', 'hour', { ...utc, zone: 'Asia/Kolkata' }), '12:00 01 Jan')
})

test('weeks are counted by 1 January, from Monday on as ISO does', () => {
  assert.equal(periodLabel('2023-12-31', 'week', utc), 'W1 2024')
  assert.equal(periodLabel('2024-12-29', 'week', utc), 'W1 2025')
  assert.equal(periodLabel('2024-05-19', 'week', utc), 'W21 2024')
  assert.equal(periodLabel('2024-01-29', 'week', german), 'W5 2024')
  assert.equal(periodLabel('2020-12-28', 'week', german), 'W53 2020')
})
