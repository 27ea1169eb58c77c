// The limits: refusals name them, the setting reads them, nonsense is refused, and the guide lists each with
// its default.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterEach, test } from 'node:test'
import { assertWithin, type LimitName, limits, readLimits, setLimits, table, written } from './limits.ts'

afterEach(() => setLimits())

test('what goes beyond a limit is refused with its name and number, what equals it is not', () => {
  setLimits({ terms: 3 })
  assertWithin('terms', 3)
  assert.throws(
    () => assertWithin('terms', 4),
    (error: Error & { status: number }) =>
      error.status === 413 && /3 at most \(limit "terms"\)/.test(error.message),
  )
})

test('limits not given have their defaults again', () => {
  setLimits({ terms: 3 })
  setLimits({ ids: 5 })
  assert.deepEqual([limits.terms, limits.ids], [table.terms.fallback, 5])
})

test('the setting is a list of names with numbers; bytes take a unit', () => {
  assert.deepEqual(readLimits(' html=4m, terms=5000 ,'), { html: 4 * 1024 ** 2, terms: 5000 })
  assert.deepEqual(readLimits(''), {})
  for (const wrong of ['colour=3', 'terms', 'terms=-1', 'terms=5k', '__proto__=1', 'terms=1=2'])
    assert.throws(() => readLimits(wrong), /^Error: must/, wrong)
})

test('the guide of request limits lists every limit with its default', () => {
  const guide = readFileSync(new URL('../docs/guides/limits.md', import.meta.url), 'utf8')
  const rows = Object.fromEntries(
    [...guide.matchAll(/^\| `([a-z-]+)` \| ([0-9]+[kmg]?) \| /gm)].map(([, name, value]) => [name, value]),
  )
  for (const name of Object.keys(table) as LimitName[])
    assert.equal(rows[name], written(name, table[name].fallback), `the row of ${name}`)
})
