// Texts of sequences, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../errors.ts'
import { fillIn, momentsOf, numberText } from './ir-sequence-text.ts'

const now = new Date('2026-03-01T23:05:09Z')
const moments = momentsOf(null, null, null, now)

test('every placeholder of a sequence prefix is filled in', () => {
  const text =
    '%(year)s %(month)s %(day)s %(y)s %(doy)s %(woy)s %(weekday)s %(h24)s %(h12)s %(min)s %(sec)s %(isoyear)s %(isoy)s %(isoweek)s'
  assert.equal(fillIn(text, moments), '2026 03 01 26 060 08 0 23 11 05 09 2026 26 09')
})

test('the ISO year differs from the year around New Year, and week 0 is before the first Monday', () => {
  const newYear = momentsOf(null, '2027-01-01', null, now)
  assert.equal(fillIn('%(year)s-%(woy)s %(isoyear)s-%(isoweek)s', newYear), '2027-00 2026-53')
})

test('range and current are apart from the date of the number', () => {
  const moments = momentsOf(null, '2021-05-05', '2021-01-01', now)
  assert.equal(fillIn('%(month)s/%(range_month)s/%(current_year)s', moments), '05/01/2026')
})

test('the time zone of the caller decides what day it is', () => {
  assert.equal(fillIn('%(day)s', momentsOf('Europe/Brussels', null, null, now)), '02')
  assert.equal(fillIn('%(day)s', momentsOf('Mars/Base', null, null, now)), '01')
})

test('two percent signs are one, and broken parts are refused', () => {
  assert.equal(fillIn('%%P-', moments), '%P-')
  for (const bad of [
    '100%',
    '%(nope)s',
    '%(year)',
    '%(range_nope)s',
    '%d',
    '%(constructor)s',
    '%(current_)s',
  ]) {
    assert.throws(() => fillIn(bad, moments), UserError, bad)
  }
})

test('numbers are padded, never cut', () => {
  assert.equal(numberText({ prefix: 'A/', suffix: '-z', padding: 4 }, 7, moments), 'A/0007-z')
  assert.equal(numberText({ prefix: null, suffix: null, padding: 2 }, 12345, moments), '12345')
})
