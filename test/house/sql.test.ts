// SQL in the sources: lists of ids are written by `idList` everywhere but in domains, because
// PostgreSQL would plan statements about few records anew each time (decision 0026); changes are
// recorded in one place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

const LIST = /\b(?:ANY|unnest)\(\$\{[^}]*\}::int\[\]\)/

test('lists of ids are written by idList', () => {
  const wrong = sources()
    .filter(({ path }) => !path.startsWith('src/models/domain/'))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, i) => (LIST.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
    )
  assert.deepEqual(wrong, [])
})

test('one place records changes: their position is taken in the last statement before COMMIT', () => {
  const writers = sources()
    .filter(({ text }) => /INSERT INTO comptoir_change\b/.test(text))
    .map(({ path }) => path)
  assert.deepEqual(writers, ['src/models/changes/last.ts'])
})
