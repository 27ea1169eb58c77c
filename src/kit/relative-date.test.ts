// Tests of relative dates, always from the same Wednesday.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DateTime } from 'luxon'
import { readRelative, weekStartOf } from './relative-date.ts'

const now = DateTime.fromISO('2024-01-31T15:45:30.250', { zone: 'Europe/Brussels' })
const read = (text: string, weekStart = 1): string | null => {
  const moment = readRelative(text, now, weekStart)
  return moment && (moment.day ? moment.at.toFormat('yyyy-MM-dd') : moment.at.toFormat('yyyy-MM-dd HH:mm:ss'))
}

test('today is a day, now a moment, and now goes without saying', () => {
  assert.equal(read('today'), '2024-01-31')
  assert.equal(read('now'), '2024-01-31 15:45:30')
  assert.equal(read('+2d'), '2024-02-02 15:45:30')
  assert.equal(read('today +3H'), '2024-01-31 03:00:00')
})

test('terms move and set parts, one after the other', () => {
  assert.equal(read('today +1m'), '2024-02-29')
  assert.equal(read('today -1y -1w'), '2023-01-24')
  assert.equal(read('today =1m =1d -2y'), '2022-01-01')
  assert.equal(read('=1d'), '2024-01-01 00:00:00')
  assert.equal(read('=9H'), '2024-01-31 09:00:00')
  assert.equal(read('-90M =0S'), '2024-01-31 14:15:00')
})

test('weekdays: forward, back and within the week', () => {
  assert.equal(read('today +monday'), '2024-02-05')
  assert.equal(read('today -monday'), '2024-01-29')
  assert.equal(read('today +wednesday'), '2024-01-31')
  assert.equal(read('today =sunday'), '2024-02-04')
  assert.equal(read('today =sunday', 7), '2024-01-28')
  assert.equal(read('today -week_start', 7), '2024-01-28')
})

test('relative dates: other texts are not parsed', () => {
  for (const text of [
    '',
    ' ',
    'tomorrow',
    'today +2q',
    'today 2d',
    'today +d',
    'now today',
    '=31d =2m =30d',
    '+999999y',
    '=13m',
    '=2w',
  ]) {
    assert.equal(read(text), null, text)
  }
})

test('weeks begin as the language has it', () => {
  assert.equal(weekStartOf('en_US'), 7)
  assert.equal(weekStartOf('fr_FR'), 1)
  assert.equal(weekStartOf('no such language'), 1)
})
