// The test runner: it reports failures with file and name, and never counts a failure as passed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeTemp } from '../../test/support/temp.ts'
import { LaneProcess } from './lane-process.ts'
import { Outcomes } from './outcomes.ts'
import { needsDatabase } from './tiers.ts'

const temp = makeTemp('runner')
after(() => temp.remove())

/** Runs test files of these texts in one lane, in order. */
async function runLane(...texts: readonly string[]) {
  const lane = new LaneProcess(process.env, [])
  const outcomes = []
  for (const [at, text] of texts.entries()) {
    const file = join(temp.path, `${at}-${Math.random()}.test.mjs`)
    writeFileSync(file, `import { after, before, test } from 'node:test'\n${text}`)
    outcomes.push(await lane.run(file))
  }
  await lane.end()
  return outcomes
}

/** The lines that a run prints for these outcomes. */
function printed(outcomes: Awaited<ReturnType<typeof runLane>>): { lines: string[]; failed: number } {
  const lines: string[] = []
  const all = new Outcomes((line) => lines.push(...line.split('\n').filter(Boolean)))
  for (const outcome of outcomes) all.add(outcome)
  return { lines, failed: all.failed }
}

test('hooks of a file run around its tests, and end before the next file begins', async () => {
  const [first, second] = await runLane(
    `globalThis.seen = []; before(() => seen.push('before')); after(() => seen.push('after'))
     test('inside', () => { seen.push('test') })`,
    `import assert from 'node:assert/strict'
     test('sees them', () => assert.deepEqual(globalThis.seen, ['before', 'test', 'after']))`,
  )
  assert.deepEqual(
    [first, second].map((outcome) =>
      outcome?.results.filter(({ isSuite }) => !isSuite).map(({ outcome: o }) => o),
    ),
    [['passed'], ['passed']],
  )
})

test('a test that fails is reported with the names around it and the output of its file', async () => {
  const { lines, failed } = printed(
    await runLane(`console.log('on the way')
      test('outer', async (t) => { await t.test('inner', () => { throw new Error('the reason') }) })
      test('fine', () => {})`),
  )
  assert.equal(failed, 2)
  assert.match(lines.join('\n'), /FAILED .*\n {2}outer > inner\n {4}Error: the reason[\s\S]*on the way/)
  assert.doesNotMatch(lines.join('\n'), /fine/)
})

test('a file that cannot be loaded, or whose hook fails, has failed', async () => {
  const { failed, lines } = printed(
    await runLane(
      `import './nowhere.mjs'`,
      `before(() => { throw new Error('no server') }); test('a', () => {})`,
    ),
  )
  assert.ok(failed >= 2, lines.join('\n'))
  assert.match(lines.join('\n'), /nowhere\.mjs[\s\S]*no server/)
})

test('a file whose process ends has failed, whatever passed before', async () => {
  const { failed, lines } = printed(await runLane(`test('a', () => {}); test('b', () => process.exit(0))`))
  assert.equal(failed, 1)
  assert.match(lines.join('\n'), /It ended with 0/)
})

test('what a file changed of mocks and of the environment is gone for the next', async () => {
  const [, second] = await runLane(
    `import { mock } from 'node:test'
     test('changes', () => { process.env.LEFT = 'x'; mock.method(console, 'log', () => 1) })`,
    `import assert from 'node:assert/strict'
     test('sees nothing of it', () => assert.deepEqual([process.env.LEFT, console.log('')], [undefined, undefined]))`,
  )
  assert.equal(second?.results[0]?.outcome, 'passed')
})

test('files that open a database or start a process are no unit tests, their helpers counted', () => {
  assert.equal(needsDatabase('src/limits.test.ts'), false)
  assert.equal(needsDatabase('test/engine/hierarchy.test.ts'), true)
  assert.equal(needsDatabase('src/cli/command-line.test.ts'), true)
})
