// The engine stays small: its files, and the caches of the process that it has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

const MOST_FILES = 218

/**
 * Caches of the whole process. All else that is worked out once is a fact of an object (kit/once-per.ts,
 * kit/slot.ts), and goes with it.
 */
const CACHES = [
  'domain/zone.ts: spellings',
  'load/tree.ts: trees',
  'read/request-keys.ts: conditions',
  'read/short/dictionary.ts: kept',
  'row/plans.ts: planCache',
  'unit/large.ts: usesByText',
]

/** A map or set at the top of a file that begins empty and has no type that forbids to fill it. */
const CACHE =
  /^(?:export )?(?:const|let) (\w+)(?:: (?!Readonly|KnownMarkup)[^=\n]*)? = new (?:(?:Weak)?(?:Map|Set)(?:<[^(\n]*>)?\(\)|(?:Recent|ByList)\b)/gm

const engine = sources().filter(({ path }) => path.startsWith('src/models/'))

test(`engine: src/models has at most ${MOST_FILES} files`, () => {
  assert.ok(engine.length > 100, 'the reader of sources found next to nothing')
  assert.ok(engine.length <= MOST_FILES, `${engine.length} files`)
})

test(`engine: src/models has the ${CACHES.length} listed caches of the process, and no other`, () => {
  const caches = engine.flatMap(({ path, text }) =>
    [...text.matchAll(CACHE)].map(([, name]) => `${path.slice('src/models/'.length)}: ${name}`),
  )
  assert.deepEqual(caches.sort(), CACHES)
})
