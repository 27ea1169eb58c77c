// Python's spelling of values and signatures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optional, required, returns } from '../models/contract/param.ts'
import type { MethodDef } from '../models/language/definitions.ts'
import { html, literal, parametersOf, signature } from './python.ts'

const method = (params: MethodDef['params'], result: MethodDef['returns'] = null) =>
  ({ params, returns: result }) as MethodDef

test('JSON values become Python literals', () => {
  const spelled = [
    null,
    true,
    false,
    0,
    -1.5,
    'ilike',
    "it's",
    `"it's"`,
    'a\nb\\',
    [1, 'a'],
    { a: null },
  ].map(literal)
  assert.deepEqual(spelled, [
    'None',
    'True',
    'False',
    '0',
    '-1.5',
    "'ilike'",
    `"it's"`,
    `'"it\\'s"'`,
    "'a\\nb\\\\'",
    "[1, 'a']",
    "{'a': None}",
  ])
})

test('a signature has defaults, the result, and one place for what goes by name only', () => {
  const search = method(
    { domain: required('domain'), limit: optional('limit', null) },
    returns('ids', 'list[int]'),
  )
  assert.equal(signature(search), '(domain, limit=None) -> list[int]')
  assert.equal(signature(method({})), '()')
  const read = method({
    load: optional('any', null, { gathered: 'kwargs', doc: 'How' }),
    fields: optional('fields', null),
  })
  assert.equal(signature(read), '(fields=None, **kwargs)')
  assert.deepEqual(Object.keys(parametersOf(read)), ['fields', 'kwargs'])
})

test('a parameter has a default only where the contract gives one, null included', () => {
  const { domain, limit } = parametersOf(
    method({ domain: required('domain'), limit: optional('limit', null) }),
  )
  assert.deepEqual(domain, { annotation: 'DomainType' })
  assert.deepEqual(limit, { default: null, annotation: 'int | None' })
})

test('texts cannot bring markup along', () => assert.equal(html('<b>"&'), '<p>&#60;b&#62;&#34;&#38;</p>'))
