// The checker of histories finds each anomaly that it is for, and none in a history that is right.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anomaliesOf, type Read, type Write } from './histories.ts'

const write = (before: string, value: string, at: number, outcome: Write['outcome'] = 'done'): Write => ({
  register: 1,
  before,
  value,
  from: at,
  to: at + 10,
  outcome,
})
const read = (value: string, from: number): Read => ({ register: 1, value, from, to: from + 5 })
const judge = (writes: readonly Write[], reads: readonly Read[], last: string) =>
  anomaliesOf({ first: '0', writes, reads, last: new Map([[1, last]]) })

test('histories: one that is right has no anomaly, whatever became of unknown writes', () => {
  const writes = [
    write('0', 'a', 0),
    write('a', 'b', 20, 'unknown'),
    write('b', 'c', 40),
    write('c', 'd', 60, 'undone'),
  ]
  const reads = [read('0', 5), read('a', 10), read('a', 30), read('b', 45), read('c', 90)]
  assert.deepEqual(judge(writes, reads, 'c'), [])
})

test('histories: lost updates, dirty reads, stale reads and undone writes are found', () => {
  for (const [writes, reads, last, anomaly] of [
    [
      [write('0', 'a', 0), write('0', 'b', 5)],
      [],
      'b',
      /^lost update: a \(0.0 to 0.0 s\) and b \(.*\) both replaced 0,lost update: a \(.*\)$/,
    ],
    [[write('0', 'a', 0)], [], '0', /^lost update: a \(0.0 to 0.0 s\)$/],
    [[write('0', 'a', 0, 'undone')], [], 'a', /^a was undone and is there$/],
    [[write('0', 'a', 0)], [read('0', 11)], 'a', /^stale read: 0 was read 1 ms after it was replaced$/],
    [[write('0', 'a', 0, 'undone')], [read('a', 5)], '0', /^dirty read: a was read/],
    [[], [], 'x', /^register 1 ends with x/],
  ] as const)
    assert.match(judge(writes, reads, last).join(), anomaly)
})
