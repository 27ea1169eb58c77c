// Interfaces of the engine and of the utilities stay small: a reader depends on the members that it needs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { interfaces } from '../../scripts/interfaces.ts'

/** Members of an interface, with those that it inherits. */
const MOST = 25

test(`interfaces: none of src/models and src/kit has more than ${MOST} members`, () => {
  const all = interfaces().filter(({ at }) => /^src\/(models|kit)\//.test(at))
  assert.ok(all.length > 300, 'the reader of interfaces found next to nothing')
  const large = all.filter(({ members }) => members > MOST)
  assert.deepEqual(
    large.map(({ at, members }) => `${at}: ${members} members`),
    [],
  )
})
