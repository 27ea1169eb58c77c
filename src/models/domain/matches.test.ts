// Tests of matching in memory: the same answers as SQL where it may be asked, and knowing where it may not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidable, matches, pathsOf } from './matches.ts'
import { parseDomain } from './parse.ts'
import { testModel } from './test-models.ts'

const person = testModel('person')
const ann = {
  id: 5,
  name: 'Ann 100%',
  color: 0,
  employee: false,
  kind: null,
  born: '1990-05-01',
  seen_at: null,
  parent_id: { id: 3, name: 'Bob', color: 2, parent_id: null },
  log_ids: [
    { id: 1, text: 'x' },
    { id: 2, text: null },
  ],
}

test('conditions over a loaded record', () => {
  // biome-ignore format: one line a kind
  const yes = [
    ['name', '=', 'Ann 100%'], ['name', '!=', 'Bob'], ['name', 'ilike', 'aNN'], ['name', 'like', '0\\%'], ['name', '=like', 'Ann%'], ['name', 'like', ''],
    ['color', '=', false], ['color', '<', 1], ['color', 'in', [0, 7]], ['employee', '=', 'no'], ['kind', '=', false], ['kind', '!=', 'a'],
    ['born', '>', '1990-04-30'], ['born', 'in', ['1990-05-01']], ['seen_at', '!=', '2024-01-01 00:00:00'], ['parent_id', '=', 3], ['parent_id.name', '=', 'Bob'],
    ['parent_id.parent_id', '=', false], ['log_ids', 'in', [2]], ['log_ids.text', '=', false], ['log_ids', 'any', [['text', '=', 'x']]],
    ['log_ids', 'not any', [['text', '=', 'y']]], ['id', 'in', [5]],
  ]
  // biome-ignore format: one line a kind
  const no = [
    ['name', 'not ilike', 'ann'], ['name', 'like', 'ann'], ['name', '=like', 'nn'], ['name', 'like', '.n'], ['name', 'not like', false], ['kind', 'like', 'a'],
    ['seen_at', '<', '2024-01-01 00:00:00'], ['parent_id.parent_id.name', '!=', 'x'], ['parent_id', '!=', 3], ['log_ids', '=', false], ['id', '=', false],
  ]
  for (const [conditions, expected] of [
    [yes, true],
    [no, false],
  ] as const) {
    for (const condition of conditions) {
      const tree = parseDomain([condition])
      assert.equal(decidable(tree, person), true, JSON.stringify(condition))
      assert.equal(matches(tree, ann, person), expected, JSON.stringify(condition))
      assert.equal(matches(parseDomain(['!', condition]), ann, person), !expected, JSON.stringify(condition))
    }
  }
  assert.equal(matches(parseDomain(['|', ['color', '=', 1], '&', ['id', '=', 5], ['employee', '=', false]]), ann, person), true)
})

test('what only the database can decide', () => {
  // biome-ignore format: one line a kind
  const conditions = [
    ['display_name', '=', 'x'], ['parent_id', '=', 'Bob'], ['id', 'child_of', 1], ['born', '>', 'today'], ['seen_at', '>', '2024-01-01'], ['born.year_number', '=', 1],
    ['name', '<', 'b'], ['tag_ids', '=', 1], ['child_ids', '=', 1], ['photo', '=', false], ['secret', '=', 'x'], ['nope', '=', 1], ['height', '=', 1],
  ]
  for (const condition of conditions)
    assert.equal(decidable(parseDomain([['color', '=', 1], condition]), person), false, JSON.stringify(condition))
})

test('paths to load', () => {
  assert.deepEqual(
    pathsOf(parseDomain(['|', ['name', '=', 'x'], ['parent_id.name', '=', 'y'], ['log_ids', 'any', [['text', '=', 'x']]]])),
    ['name', 'parent_id.name', 'log_ids', 'log_ids.text'],
  )
})
