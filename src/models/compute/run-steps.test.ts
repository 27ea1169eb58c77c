// Tests of runSteps (values.ts).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps } from './values.ts'

/** Steps by what they follow. */
function stepsOf(afters: readonly (readonly number[])[]) {
  return afters.map((after, n) => ({ n, after }))
}

const later = (ticks: number) => new Promise<void>((resolve) => setTimeout(resolve, ticks))

test('in turn: available values are processed in order, without waiting', () => {
  const done: number[] = []
  const steps = stepsOf([[], [0], [], [1, 2]])
  assert.equal(
    runSteps(steps, ({ n }) => {
      done.push(n)
      return null
    }),
    null,
  )
  assert.deepEqual(done, [0, 1, 2, 3])
})

test('in turn: a step begins when the last of its predecessors is done, and its followers with it', async () => {
  const said: string[] = []
  const steps = stepsOf([[], [], [0], [0, 1], [2], [3, 4]])
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const all = runSteps(steps, ({ n }) => {
    said.push(`begun ${n}`)
    return n === 0 ? first.promise : n === 1 ? second.promise : null
  })
  assert.deepEqual(said, ['begun 0', 'begun 1'])
  first.resolve()
  // Before any statement leaves, which it does once promises have run.
  await new Promise(process.nextTick)
  assert.deepEqual(said.splice(0), ['begun 0', 'begun 1', 'begun 2', 'begun 4'])
  second.resolve()
  await all
  assert.deepEqual(said, ['begun 3', 'begun 5'])
})

test('in turn: after a failure no step begins, running ones finish, and the first failure is thrown', async () => {
  const done: number[] = []
  const steps = stepsOf([[], [], [1], [], [3]])
  const all = runSteps(steps, async ({ n }) => {
    await later(n === 0 ? 8 : 1)
    if (n === 0 || n === 1) throw new Error(`${n} failed`)
    done.push(n)
  })
  await assert.rejects(async () => all, /0 failed/)
  assert.deepEqual(done, [3, 4])
})

test('what throws at once is a failure as any other', async () => {
  const done: number[] = []
  const steps = stepsOf([[], [0], []])
  const all = runSteps(steps, ({ n }) => {
    if (n === 0) throw new Error('at once')
    done.push(n)
    return null
  })
  await assert.rejects(async () => all, /at once/)
  assert.deepEqual(done, [2])
})

test('any steps end as they do one after the other', async () => {
  for (let seed = 1; seed < 200; seed++) {
    let state = seed
    const random = (below: number) => {
      state = (state * 1103515245 + 12345) % 2 ** 31
      return Math.floor((state / 2 ** 31) * below)
    }
    const steps = stepsOf(
      Array.from({ length: 1 + random(8) }, (_, n) =>
        [...new Set(Array.from({ length: random(3) }, () => random(Math.max(1, n))))].filter(
          (one) => one < n,
        ),
      ),
    )
    const done = new Set<number>()
    await runSteps(steps, ({ n, after }) => {
      for (const earlier of after) assert.ok(done.has(earlier), `${seed}: ${earlier} before ${n}`)
      const end = () => void done.add(n)
      if (random(2)) return end() ?? null
      return (random(2) ? Promise.resolve() : later(1)).then(end)
    })
    assert.equal(done.size, steps.length, `${seed}`)
  }
})
