// Which events patterns mean.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesPatterns } from './event-patterns.ts'

const models = new Set(['sale.order', 'sale.order.line', 'product.product'])
const means = (patterns: string[], text: string) => {
  const [, model = '', event = ''] = /^(.+)\.([^.]+)$/.exec(text) ?? []
  return matchesPatterns(patterns, (name) => models.has(name))({ model, event })
}

test('a pattern of a model means its own events, others any that look so', () => {
  assert.equal(means(['sale.order.*'], 'sale.order.confirmed'), true)
  assert.equal(means(['sale.order.*'], 'sale.order.line.created'), false)
  assert.equal(means(['sale.*'], 'sale.order.line.created'), true)
  assert.equal(means(['*.created'], 'product.product.created'), true)
  assert.equal(means(['*.created'], 'product.product.updated'), false)
  assert.equal(means(['sale.order.confirmed', 'product.product.updated'], 'product.product.updated'), true)
  assert.equal(means([], 'product.product.updated'), false)
})
