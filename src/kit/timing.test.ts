// Phases of a request: booked in order, added up, moved from one to another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Timing } from './timing.ts'

const phases = (timing: Timing) =>
  timing.header.split(', ').map((entry) => {
    const [, name, milliseconds] = /^(\w+);dur=(\d+\.\d{3})$/.exec(entry) ?? []
    return [name, Number(milliseconds)] as const
  })

test('phases come in the order of their first mark and never below zero', () => {
  const timing = new Timing()
  timing.mark('parse')
  timing.mark('plan')
  timing.mark('parse')
  timing.move(1e9, 'plan', 'query')
  assert.deepEqual(
    phases(timing).map(([name]) => name),
    ['parse', 'plan', 'query'],
  )
  assert.equal(phases(timing)[1]?.[1], 0)
  assert.ok((phases(timing)[2]?.[1] ?? 0) >= 1e9 - 1)
})

test('a request without marks has no timing header', () => assert.equal(new Timing().header, ''))
