// Which domains see files of fields, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excludeFieldFiles } from './attachment-search.ts'

const hidden = ['res_field', '=', false]

test('files of fields stay out unless the domain names them', () => {
  assert.deepEqual(excludeFieldFiles([]), [hidden])
  assert.deepEqual(excludeFieldFiles(null), [hidden])
  assert.deepEqual(excludeFieldFiles(['|', ['name', '=', 'res_field'], ['id', '=', 1]]), [
    hidden,
    '|',
    ['name', '=', 'res_field'],
    ['id', '=', 1],
  ])
  const naming = ['!', ['res_field', '!=', false]]
  assert.equal(excludeFieldFiles(naming), naming)
})

test('what is not a domain is passed on', () => {
  assert.equal(excludeFieldFiles('x'), 'x')
  assert.equal(excludeFieldFiles(5), 5)
})
