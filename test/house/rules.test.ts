// Record rules of our modules are declared by `recordRule`, whose domains the compiler looks through: none is
// a text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sources } from './sources.ts'

test('no module writes the text of a rule by hand', () => {
  const modules = sources().filter(({ path }) => path.startsWith('src/modules/'))
  assert.ok(modules.filter(({ text }) => /\brecordRules?\(/.test(text)).length >= 8)
  const wrong = modules.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (/\bdomain_force: *['"`]/.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  )
  assert.deepEqual(wrong, [])
})
