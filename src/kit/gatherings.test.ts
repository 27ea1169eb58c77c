// Gatherings: who goes at once, who goes with whom, and that nothing stays of a line that is over.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { Gatherings } from './gatherings.ts'

const gatherings = (options: { atOnce?: number; most?: number; mostWeight?: number } = {}) =>
  new Gatherings<number>({
    atOnce: 1,
    patienceMs: 50,
    most: 10,
    mostWeight: 100,
    weigh: (n) => n,
    kinds: 2,
    isAlike: (a, b) => a % 1 === b % 1,
    ...options,
  })

type Turn = readonly number[] | Promise<readonly number[] | null>

/** Its items at once for who may begin, else when its turn comes. */
const enter = (line: Gatherings<number>, key: string, item: number): Turn =>
  line.begins(key) ? [item] : line.wait(key, item)

/** What came of turns by now: items, null for those whom another has, `waits` for those who wait. */
const heard = (turns: readonly Turn[]) =>
  Promise.all(turns.map((turn) => Promise.race([turn, Promise.resolve().then(() => 'waits')])))

test('as many as may go at once, the others together behind the first of those that ends', async () => {
  const line = gatherings({ atOnce: 2 })
  const turns = [1, 2, 3, 4, 5].map((n) => enter(line, 'a', n))
  assert.deepEqual(turns.slice(0, 2), [[1], [2]], 'without waiting for anything')
  assert.deepEqual(await heard(turns.slice(2)), ['waits', 'waits', 'waits'])
  line.end('a')
  assert.deepEqual(await Promise.all(turns.slice(2)), [[3, 4, 5], null, null])
  const last = enter(line, 'a', 6)
  assert.deepEqual(await heard([last]), ['waits'], 'two go on: one of before, and these')
  line.end('a')
  assert.deepEqual(await last, [6])
  line.end('a')
  line.end('a')
  assert.equal(line.size, 0)
})

test('what is not alike does not wait for each other', () => {
  const line = gatherings()
  assert.deepEqual([enter(line, 'a', 1), enter(line, 'b', 2)], [[1], [2]])
  line.end('b')
  assert.deepEqual(enter(line, 'b', 3), [3])
  line.end('a')
  line.end('b')
  assert.equal(line.size, 0)
})

test('so many go together, and so much; one by itself whatever it weighs', async () => {
  for (const [options, weights, expected] of [
    [{ most: 2 }, [1, 1, 1], [[1, 1], null, [1]]],
    [{ mostWeight: 10 }, [5, 5, 1], [[5, 5], null, [1]]],
    [{ mostWeight: 10 }, [50, 5, 5], [[50], [5, 5], null]],
  ] as const) {
    const line = gatherings(options)
    enter(line, 'a', 1)
    const turns = weights.map((n) => enter(line, 'a', n))
    for (let n = 0; n < 3; n++) line.end('a')
    assert.deepEqual(await Promise.all(turns), expected)
    assert.equal(line.size, 0)
  }
})

test('only those are done together that are alike, the others in their order', async () => {
  const line = gatherings()
  enter(line, 'a', 1)
  const turns = [2, 3.5, 4, 5.5, 6].map((n) => enter(line, 'a', n))
  line.end('a')
  assert.deepEqual(await heard(turns), [[2, 4, 6], 'waits', null, 'waits', null])
  line.end('a')
  assert.deepEqual(await heard([turns[1] as Turn, turns[3] as Turn]), [[3.5, 5.5], null])
  line.end('a')
  assert.equal(line.size, 0)
})

test('who is of yet another kind than those who wait is told so', () => {
  const line = gatherings()
  assert.equal(line.mayJoin('a', 1), true)
  enter(line, 'a', 1)
  assert.equal(line.mayJoin('a', 2.5), true, 'nobody waits so far')
  void line.wait('a', 2.5)
  assert.deepEqual([line.mayJoin('a', 3.5), line.mayJoin('a', 4)], [true, true], 'a second kind may')
  void line.wait('a', 4)
  assert.deepEqual(
    [line.mayJoin('a', 3.5), line.mayJoin('a', 5), line.mayJoin('a', 2.25)],
    [true, true, false],
  )
  for (let n = 0; n < 3; n++) line.end('a')
  assert.equal(line.size, 0)
})

test('nobody waits for long behind what takes long, and no clock goes on behind it', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const line = gatherings({ most: 2 })
    enter(line, 'a', 1)
    const turns = [2, 3, 4].map((n) => enter(line, 'a', n))
    mock.timers.tick(49)
    assert.deepEqual(await heard(turns), ['waits', 'waits', 'waits'])
    mock.timers.tick(1)
    assert.deepEqual(await heard(turns), [[2, 3], null, 'waits'])
    mock.timers.tick(50)
    assert.deepEqual(await turns[2], [4])
    for (let n = 0; n < 3; n++) line.end('a')
    assert.equal(line.size, 0)
    assert.deepEqual(enter(line, 'a', 5), [5])
    mock.timers.tick(1000)
    line.end('a')
    assert.equal(line.size, 0, 'a clock that went on would have begun with nothing')
  } finally {
    mock.timers.reset()
  }
})
