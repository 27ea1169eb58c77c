// Tests of preparation: search rules with their own queries, names at the end of paths, and trees that
// are left unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { anyOf, leaf, not } from '../language/tree.ts'
import { parseDomain } from './parse.ts'
import { needsPreparation, prepareDomain } from './prepare.ts'

const person = testModel('person')

test('plain domains are the same tree afterwards', async () => {
  const tree = parseDomain([
    '|',
    ['name', 'ilike', 'x'],
    ['parent_id', '=', 'Bob'],
    ['tag_ids.color', '=', 1],
  ])
  assert.equal(needsPreparation(person, tree), false)
  assert.equal(await prepareDomain(testEnvironment(), person, tree), tree)
})

test('prepared domains: rules are evaluated with positive operators, on the record and through relations', async () => {
  const tree = parseDomain(['|', ['slow', '!=', 'a'], ['parent_id.slow', 'in', ['b', false]]])
  assert.equal(needsPreparation(person, tree), true)
  assert.deepEqual(
    await prepareDomain(testEnvironment(), person, tree),
    anyOf([not(leaf(['kind'], '=', 'a')), leaf(['parent_id'], 'any', leaf(['kind'], 'in', ['b', false]))]),
  )
})

test('a computed relation is asked for the ids of the related records that the user sees', async () => {
  const statements: string[] = []
  const env = testEnvironment({
    rules: { club: [['name', '!=', 'hidden']] },
    query: ({ text }) => {
      statements.push(text)
      return [[4], [9]]
    },
  })
  const tree = parseDomain([['club_ids.name', '=', 'chess']])
  assert.deepEqual(await prepareDomain(env, person, tree), leaf(['id'], 'in', [4, 9]))
  assert.equal(statements.length, 1)
  assert.match(statements[0] as string, /^SELECT "t"."id" FROM "club" "t" WHERE .* NOT /)
  assert.deepEqual(
    await prepareDomain(env, person, parseDomain([['club_ids', 'not ilike', 'chess']])),
    not(leaf(['id'], 'in', [4, 9])),
  )
  assert.deepEqual(
    await prepareDomain(env, person, parseDomain([['club_ids', 'in', [1]]])),
    leaf(['id'], 'in', [1]),
  )
  assert.equal(statements.length, 2)
})
