// Functions of the sources stay short enough to be seen at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { functions } from '../../scripts/functions.ts'

/** Lines of a function. */
const MOST = 60

test(`no function has more than ${MOST} lines`, () => {
  const all = functions()
  assert.ok(all.length > 10_000, 'the reader of functions found next to nothing')
  const long = all.filter(({ lines }) => lines > MOST)
  assert.deepEqual(
    long.map(({ at, lines }) => `${at}: ${lines} lines`),
    [],
  )
})
