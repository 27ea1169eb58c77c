// Lists of ids in SQL: written by `idList` everywhere but in domains, or PostgreSQL plans statements about
// few records anew each time (decision 0026).
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
