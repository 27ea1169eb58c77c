// Tests of parsing: prefix logic, arity, spellings of operators and values, and bounds.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { InvalidValue, PayloadTooLarge } from '../../errors.ts'
import { type Limits, setLimits } from '../../limits.ts'
import { all, always, anyOf, leaf, not } from '../language/tree.ts'
import { parseDomain } from './parse.ts'

afterEach(() => setLimits())

const a = ['a', '=', 1]
const b = ['b', '=', 2]
const c = ['c', '=', 3]
const [la, lb, lc] = [leaf(['a'], '=', 1), leaf(['b'], '=', 2), leaf(['c'], '=', 3)]

test('domain: operands without an operator are joined by and', () => {
  assert.deepEqual(parseDomain([]), always(true))
  assert.deepEqual(parseDomain([a]), la)
  assert.deepEqual(parseDomain([a, b, c]), all([la, lb, lc]))
  assert.deepEqual(parseDomain([a, '|', b, c]), all([la, anyOf([lb, lc])]))
})

test('domain: prefix operators take the operands that follow, in order', () => {
  assert.deepEqual(parseDomain(['|', '&', a, b, c]), anyOf([all([la, lb]), lc]))
  assert.deepEqual(parseDomain(['|', a, '&', b, c]), anyOf([la, all([lb, lc])]))
  assert.deepEqual(parseDomain(['|', '|', a, b, c]), anyOf([la, lb, lc]))
  assert.deepEqual(parseDomain(['|', a, '|', b, c]), anyOf([la, lb, lc]))
  assert.deepEqual(parseDomain(['!', '|', a, b, c]), all([not(anyOf([la, lb])), lc]))
  assert.deepEqual(parseDomain(['!', '!', a]), la)
  assert.deepEqual(parseDomain(['|', '!', a, [0, '=', 1]]), anyOf([not(la), always(false)]))
})

test('domain: all spellings of an operator parse to the same operator', () => {
  assert.deepEqual(parseDomain([['a', 'ILIKE', 'x']]), leaf(['a'], 'ilike', 'x'))
  assert.deepEqual(parseDomain([['a', '==', 1]]), la)
  assert.deepEqual(parseDomain([['a', '<>', 1]]), leaf(['a'], '!=', 1))
  assert.deepEqual(parseDomain([['a', '=', [1, 2]]]), leaf(['a'], 'in', [1, 2]))
  assert.deepEqual(parseDomain([['a', '!=', [1]]]), leaf(['a'], 'not in', [1]))
  assert.deepEqual(parseDomain([['a', '=', []]]), leaf(['a'], '=', false))
  assert.deepEqual(parseDomain([['a', 'in', 5]]), leaf(['a'], 'in', [5]))
  assert.deepEqual(parseDomain([['a', 'in', false]]), leaf(['a'], 'in', []))
  assert.deepEqual(parseDomain([['a', '=', null]]), leaf(['a'], '=', false))
  assert.deepEqual(parseDomain([['a.b.c', 'in', [null, 1]]]), leaf(['a', 'b', 'c'], 'in', [false, 1]))
  assert.deepEqual(parseDomain([['a', 'any', [b]]]), leaf(['a'], 'any', lb))
})

test('domain: the error for an unknown operator lists the operators', () => {
  assert.throws(
    () => parseDomain([['a', 'resembles', 1]]),
    /unknown operator; use =, in, .*ilike, .*child_of, .*not any$/,
  )
})

test('domain: a malformed domain is refused', () => {
  // biome-ignore format: one line a kind
  const refused: unknown[] = [
    null, 5, 'a = 1', { a: 1 }, ['a', '=', 1], [['a', '=']], [['a', '=', 1, 2]], [[]], [5], [true], [null], ['^', a],
    ['&', a], ['|'], ['!'], [[1, '=', 2]], [[2, '=', 1]], [['', '=', 1]], [[null, '=', 1]], [['a', null, 1]], [['a', '~', 1]], [['a', '===', 1]],
    [['a', ' = ', 1]], [['a..b', '=', 1]], [['.a', '=', 1]], [['a', '=', { a: 1 }]], [['a', 'in', [[1]]]], [['a', 'in', [{}]]], [['a', 'any', 'x']],
    [['a', 'any', 5]], [['a', 'any!', [a]]], [['a', '=like', 5]], [['a', '=like', ['x']]], [['a', '<', [1]]], [['a', '=', 'x\0']],
    [['a', 'constructor', 1]], [['a', '=', Number.NaN]],
  ]
  for (const domain of refused) assert.throws(() => parseDomain(domain), InvalidValue, JSON.stringify(domain))
})

test('domain: long and deep domains are refused without a stack overflow', () => {
  const conditions = Array.from({ length: 4001 }, () => a)
  const flat = parseDomain([...Array.from({ length: 4000 }, () => '&'), ...conditions])
  assert.equal(flat.type === 'all' && flat.children.length, 4001)
  assert.deepEqual(parseDomain([...Array.from({ length: 4000 }, () => '!'), a]), la)
  const alternating = Array.from({ length: 4000 }, (_, i) => [i % 2 ? '&' : '|', a]).flat()
  assert.throws(() => parseDomain([...alternating, a]), InvalidValue)
  assert.throws(() => parseDomain(Array.from({ length: 20_000 }, () => a)), InvalidValue)
  let nested: unknown[] = [a]
  for (let i = 0; i < 5000; i++) nested = [['a', 'any', nested]]
  assert.throws(() => parseDomain(nested), InvalidValue)
})

test('domain: conditions are counted while they are parsed, sub-domains included', () => {
  const cases: readonly (readonly [Partial<Limits>, (amount: number) => unknown[]])[] = [
    [{ terms: 5 }, (n) => Array(n).fill(a)],
    [{ terms: 5 }, (n) => [['a', 'any', Array(n - 1).fill(a)]]],
    [{ list: 5 }, (n) => [['a', 'in', Array(n).fill(1)]]],
    [{ list: 5 }, (n) => [['a', 'not any', [['b', 'child_of', Array(n).fill(1)]]]]],
    [{ list: 5 }, (n) => [['a', '=', Array(n).fill('x')]]],
    [{ pattern: 5 }, (n) => [['a', 'not =like', 'x'.repeat(n)]]],
    [{ pattern: 5 }, (n) => [['a.b', 'ilike', '%'.repeat(n)]]],
    [{ compared: 5 }, (n) => [['a', '=', 'x'.repeat(n)]]],
    [{ compared: 5 }, (n) => ['|', ['a', 'in', Array(n - 1).fill('x')], ['a', 'like', 'x']]],
  ]
  for (const [limit, domain] of cases) {
    setLimits(limit)
    const [name] = Object.keys(limit)
    assert.ok(parseDomain(domain(5)), name)
    assert.throws(
      () => parseDomain(domain(6)),
      (error: Error) => error instanceof PayloadTooLarge && error.message.includes(`"${name}"`),
      name,
    )
  }
})

test('domain: the error names the condition, truncated', () => {
  assert.throws(() => parseDomain([['name', '~', 'x']]), /\["name","~","x"\].*operator/)
  assert.throws(
    () => parseDomain([['name', '~', 'x'.repeat(10_000)]]),
    (error: Error) => error.message.length < 500,
  )
})
