// Days and moments as texts, checked against the platform's calendar.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InvalidValue } from '../errors.ts'
import { addDays, addMonths, daysInMonth, isDate, isMoment, isTimeZone, nowUtc, today } from './dates.ts'

const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((d) => d.toISOString().slice(0, 10))

test('only days that exist are dates', () => {
  for (const text of ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])
    assert.equal(isDate(text), true, text)
  for (const text of [
    '2023-02-29',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '0000-01-01',
    '2024-1-1',
    '2024-01-01 ',
    '10000-01-01',
    '٢٠٢٤-٠١-٠١',
  ]) {
    assert.equal(isDate(text), false, text)
  }
  fc.assert(fc.property(day, isDate))
})

test('a text is a day exactly when the calendar has it', () => {
  const part = fc.tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  fc.assert(
    fc.property(part, ([y, m, d]) => {
      const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
      const parsed = new Date(`${text}T00:00:00Z`)
      assert.equal(isDate(text), !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text))
    }),
  )
})

test('only moments that exist are datetimes', () => {
  assert.equal(isMoment('2024-02-29 23:59:59'), true)
  for (const text of [
    '2024-02-29',
    '2024-02-30 00:00:00',
    '2024-02-29 24:00:00',
    '2024-02-29T10:00:00',
    '2024-02-29 10:60:00',
    '2024-02-29 10:00:60',
    '2024-02-29 10:00:00.5',
  ]) {
    assert.equal(isMoment(text), false, text)
  }
})

test('now and today follow the clock that is given', () => {
  const at = new Date('2024-12-31T23:30:15.999Z')
  assert.equal(nowUtc(at), '2024-12-31 23:30:15')
  assert.equal(today(null, at), '2024-12-31')
  assert.equal(today('Asia/Tokyo', at), '2025-01-01')
  assert.equal(today('America/New_York', at), '2024-12-31')
  assert.equal(today('Mars/Base', at), '2024-12-31')
  assert.equal(isTimeZone('Europe/Brussels'), true)
  assert.equal(isTimeZone('Mars/Base'), false)
})

test('adding days is what the calendar does', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -50_000, max: 50_000 }), (from, days) => {
      const date = new Date(`${from}T00:00:00Z`)
      date.setUTCDate(date.getUTCDate() + days)
      const year = date.getUTCFullYear()
      if (year < 1 || year > 9999) return assert.throws(() => addDays(from, days), InvalidValue)
      assert.equal(addDays(from, days), date.toISOString().slice(0, 10))
    }),
  )
  assert.equal(addDays('2024-02-28 10:20:30', 1), '2024-02-29 10:20:30')
})

test('adding months keeps the day, or takes the last one', () => {
  assert.equal(addMonths('2024-01-31', 1), '2024-02-29')
  assert.equal(addMonths('2024-03-31 01:02:03', -1), '2024-02-29 01:02:03')
  assert.equal(addMonths('2024-01-15', -1), '2023-12-15')
  assert.throws(() => addMonths('9999-12-01', 1), InvalidValue)
  assert.throws(() => addMonths('0001-01-01', -1), InvalidValue)
  fc.assert(
    fc.property(day, fc.integer({ min: -600, max: 600 }), (from, months) => {
      const count = Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) - 1 + months
      const [year, month] = [Math.floor(count / 12), (count % 12) + 1]
      if (year < 1 || year > 9999) return assert.throws(() => addMonths(from, months), InvalidValue)
      const to = addMonths(from, months)
      assert.ok(isDate(to))
      assert.deepEqual([Number(to.slice(0, 4)), Number(to.slice(5, 7))], [year, month])
      assert.equal(Number(to.slice(8)), Math.min(Number(from.slice(8)), daysInMonth(year, month)))
    }),
  )
})
