// Casts in the sources, and casts that hide a possibly missing value.
// Begins first: it takes 6 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count } from '../../scripts/casts.ts'

/** Casts a thousand lines stay below this. */
const A_THOUSAND = 6.6

test('casts are few, and none hides that a value may be missing: `kit/present.ts` is the way', () => {
  const { casts, lines } = count()
  assert.ok(lines > 100_000 && casts.length > 0, 'the reader of casts found next to nothing')
  const each = (casts.length / lines) * 1000
  assert.ok(each < A_THOUSAND, `${casts.length} casts in ${lines} lines: ${each.toFixed(2)} a thousand`)
  const hidden = casts.filter((cast) => cast.hidden)
  assert.deepEqual(
    hidden.map(({ at, text }) => `${at} ${text}`),
    [],
  )
})
