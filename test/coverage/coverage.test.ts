// Every recorded name is here, or on a list that may only shrink.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { constants, declares, listed, listNames, listOf, missingOf, pageOf } from './names.ts'

const advice = 'run node --import ./bin/imports.js test/coverage/run.ts --update'

test('coverage: names that clients use are declared, or listed as missing', () => {
  const missing = missingOf(['A', 'B'])
  for (const list of listNames) {
    const expected = Object.fromEntries(Object.entries(missing).filter(([model]) => listOf(model) === list))
    assert.deepEqual(listed(list), expected, `missing/${list}.json differs: ${advice}`)
  }
})

test('coverage: the page of what is not offered has the helpers of a user interface that are missing', () => {
  const page = readFileSync(new URL('../../docs/reference/coverage.md', import.meta.url), 'utf8')
  assert.equal(page, pageOf(missingOf(['C'])), `docs/reference/coverage.md differs: ${advice}`)
})

test('coverage: fields with one value are fields that are declared', () => {
  assert.deepEqual(
    Object.keys(constants).filter((name) => !declares(name)),
    [],
  )
})
