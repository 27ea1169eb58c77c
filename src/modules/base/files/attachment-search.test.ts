// Which domains see files of fields, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leavingOut } from './attachment-search.ts'

const hidden = ['res_field', '=', false]

test('files of fields stay out unless the domain names them', () => {
  assert.deepEqual(leavingOut([]), [hidden])
  assert.deepEqual(leavingOut(null), [hidden])
  assert.deepEqual(leavingOut(['|', ['name', '=', 'res_field'], ['id', '=', 1]]), [
    hidden,
    '|',
    ['name', '=', 'res_field'],
    ['id', '=', 1],
  ])
  const naming = ['!', ['res_field', '!=', false]]
  assert.equal(leavingOut(naming), naming)
})

test('what is not a domain is passed on', () => {
  assert.equal(leavingOut('x'), 'x')
  assert.equal(leavingOut(5), 5)
})
