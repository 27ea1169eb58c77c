// Which variants there should be: examples, and properties against the plain cartesian product.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keyOf, type PlannedLine, type PresentVariant, planVariants } from './plan.ts'

const line = (values: readonly number[], dynamic = false): PlannedLine => ({ values, dynamic })
const variant = (id: number, values: readonly number[], active = true): PresentVariant => ({
  id,
  values,
  active,
})

test('a product without lines has one variant, made once', () => {
  assert.deepEqual(planVariants([], [], []).create, [[]])
  const again = planVariants([], [], [variant(7, [])])
  assert.deepEqual([again.create, again.keep, again.drop], [[], [7], []])
})

test('combinations come in the order of lines and values', () => {
  const plan = planVariants([line([1, 2]), line([3, 4])], [], [])
  assert.deepEqual(plan.create, [
    [1, 3],
    [1, 4],
    [2, 3],
    [2, 4],
  ])
})

test('a line with one value is taken over by the variants there are', () => {
  const plan = planVariants([line([1, 2]), line([9])], [], [variant(5, [1]), variant(6, [2], false)])
  assert.deepEqual(
    [...plan.widen],
    [
      [5, [1, 9]],
      [6, [2, 9]],
    ],
  )
  assert.deepEqual([plan.create, plan.keep, plan.drop], [[], [5, 6], []])
})

test('a first line with several values replaces the variant without values', () => {
  const plan = planVariants([line([1, 2])], [], [variant(5, [])])
  assert.deepEqual([plan.create, plan.keep, plan.drop], [[[1], [2]], [], [5]])
})

test('excluded pairs make no variant, in either order', () => {
  const plan = planVariants([line([1, 2]), line([3, 4])], [[4, 1]], [variant(5, [1, 4])])
  assert.deepEqual(plan.create, [
    [1, 3],
    [2, 3],
    [2, 4],
  ])
  assert.deepEqual(plan.drop, [5])
})

test('variants made on demand are kept while they fit, and none is made', () => {
  const plan = planVariants(
    [line([1, 2], true), line([3])],
    [],
    [variant(5, [1, 3]), variant(6, [8, 3]), variant(7, [3])],
  )
  assert.deepEqual([plan.create, plan.keep, plan.drop], [[], [5], [6, 7]])
})

test('of two variants with one combination the active one stays, then the older', () => {
  assert.deepEqual(
    planVariants([line([1])], [], [variant(5, [1], false), variant(6, [1]), variant(7, [1])]).keep,
    [6],
  )
})

test('too many variants are not made', () => {
  const ten = (from: number) => line(Array.from({ length: 10 }, (_, i) => from + i))
  assert.equal(planVariants([ten(1), ten(20), ten(40)], [], []).tooMany, false)
  assert.equal(planVariants([ten(1), ten(20), ten(40), line([70, 71])], [], []).tooMany, true)
})

/** Lines with values of their own, and pairs among these. */
const products = fc
  .array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 })
  .map((sizes) => sizes.map((size, i) => line(Array.from({ length: size }, (_, j) => 1 + i * 10 + j))))
  .chain((lines) => {
    const values = lines.flatMap((l) => l.values)
    const pairs =
      values.length < 2
        ? fc.constant([])
        : fc.array(fc.tuple(fc.constantFrom(...values), fc.constantFrom(...values)), { maxLength: 4 })
    return fc.record({ lines: fc.constant(lines), pairs })
  })

test('what is planned is the cartesian product without the excluded pairs, and planning again changes nothing', () => {
  fc.assert(
    fc.property(products, ({ lines, pairs }) => {
      const apart = (pairs as readonly [number, number][]).filter(([a, b]) => a !== b)
      let expected: number[][] = [[]]
      for (const { values } of lines)
        if (values.length) expected = expected.flatMap((head) => values.map((value) => [...head, value]))
      expected = expected.filter(
        (values) => !apart.some(([a, b]) => values.includes(a) && values.includes(b)),
      )
      const plan = planVariants(lines, apart, [])
      assert.deepEqual(plan.create, expected)
      const created = plan.create.map((values, i) => variant(i + 1, values))
      const again = planVariants(lines, apart, created)
      assert.deepEqual(
        [again.create, again.keep.length, again.drop, again.widen.size],
        [[], created.length, [], 0],
      )
      assert.equal(new Set(created.map(({ values }) => keyOf(values))).size, created.length)
    }),
  )
})
