// Small rules of currencies, accounts, zones and avatars.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sanitized } from '../contacts/bank-account.ts'
import { drawAvatar } from '../files/image.ts'
import { decimalPlaces } from './currency.ts'
import { offsetOf, timeZones } from './time-zones.ts'

test('decimal places follow from the rounding', () => {
  const places = [0.05, 1, 0.001, 0.01, 100, 0.000001, 0.5].map(decimalPlaces)
  assert.deepEqual(places, [2, 0, 3, 2, 0, 6, 1])
})

test('account numbers lose punctuation and case', () => {
  assert.equal(sanitized(' be-12 34 '), 'BE1234')
  assert.equal(sanitized('x.y_z'), 'XYZ')
})

test('time zones give their offsets', () => {
  const winter = new Date('2024-01-15T12:00:00Z')
  assert.equal(offsetOf('Asia/Kolkata', winter), '+0530')
  assert.equal(offsetOf('America/New_York', winter), '-0500')
  assert.equal(offsetOf(null, winter), '+0000')
})

test('every zone on offer is one that the runtime knows', () => {
  const zones = Object.keys(timeZones())
  assert.ok(zones.includes('Europe/Kyiv') && zones.includes('UTC') && !zones.includes('Mars/Base'))
  for (const zone of zones) assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone: zone }), zone)
})

test('avatars show the first letter and no markup of the name', () => {
  const svg = (name: string) => Buffer.from(drawAvatar(name), 'base64').toString()
  assert.match(svg('ann'), />A<\/text>/)
  assert.match(svg('<b>'), />&#60;<\/text>/)
  assert.equal(drawAvatar('Same'), drawAvatar('Same'))
})
