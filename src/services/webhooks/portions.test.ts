// Portions of changes that are handled together: as many as their values allow.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Item } from '../changes/rows.ts'
import { portionsOf } from './portions.ts'

const items = (op: string) => Array.from({ length: 500 }, (_, n) => ({ op, n }) as unknown as Item)
const endpoints = (count: number, fields: Readonly<Record<string, readonly string[]>>) =>
  Array.from({ length: count }, () => ({ fields }))
const sizes = (op: string, count: number, fields = {}) =>
  [...portionsOf(items(op), endpoints(count, fields), 500)].map(({ length }) => length)

test('without values all go together; values for many endpoints are bounded, however many there are', () => {
  assert.deepEqual(sizes('c', 200), [500])
  assert.deepEqual(sizes('c', 1, { 'res.partner': ['name'] }), [500])
  assert.deepEqual(sizes('c', 20, { 'res.partner': ['name'] }), Array<number>(20).fill(25))
  assert.deepEqual(sizes('c', 200, { 'res.partner': ['name'] }), Array<number>(50).fill(10))
  assert.deepEqual(sizes('e', 20), Array<number>(20).fill(25))
})

test('their order stays, and none is missing', () => {
  const all = items('u')
  const portioned = [...portionsOf(all, endpoints(7, { 'res.partner': ['name'] }), 500)].flat()
  assert.deepEqual(portioned, all)
})
