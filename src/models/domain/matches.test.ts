// Tests of conditions in memory over a few plain records, with those on related records that the tests judge
// (test/fuzz/related.ts); test/fuzz holds them against SQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeOf, type Knowledge } from '../../../test/fuzz/related.ts'
import { type TestOptions, testEnvironment, testModel } from '../../../test/support/small-models.ts'
import type { FieldDef } from '../language/definitions.ts'
import { parseDomain } from './parse.ts'

const rows: Readonly<Record<string, Readonly<Record<number, Record<string, unknown>>>>> = {
  person: {
    3: { name: 'Bob', color: 2, active: true, all_child_ids: [5] },
    4: { name: 'Cid', active: true },
    6: { name: 'Dan', active: false },
    5: {
      name: 'Ann 100%',
      all_child_ids: [4, 6],
      color: null,
      kind: null,
      born: '1990-05-01',
      parent_id: 3,
      log_ids: [1, 2],
      height: 1.85,
      seen_at: '2024-03-31 22:30:00',
      tag_ids: [8, 9],
    },
  },
  log: { 1: { text: 'x' }, 2: { text: null } },
  tag: {
    7: { name: 'Top', active: true },
    8: { name: 'Below', parent_id: 7, active: true },
    9: { name: 'Old', parent_id: 8, active: false },
  },
}

const world: Knowledge = {
  value: (field: FieldDef, id) => rows[field.model.name]?.[id]?.[field.name] ?? null,
  all: (model) => Object.keys(rows[model.name] ?? {}).map(Number),
}

/** Whether Ann satisfies a domain. */
function ann(domain: unknown[], options: TestOptions = {}): boolean {
  return judgeOf(testEnvironment(options), testModel('person'), parseDomain(domain), world)(5)
}

test('conditions match a record in memory as in SQL', () => {
  // biome-ignore format: one line a kind
  const yes = [
    ['name', '=', 'Ann 100%'], ['name', '!=', 'Bob'], ['name', 'ilike', 'aNN'], ['name', 'like', '0\\%'], ['name', '=like', 'Ann%'], ['name', 'like', ''],
    ['name', '<', 'B'], ['color', '=', false], ['color', '<', 1], ['color', 'in', [0, 7]], ['employee', '=', 'no'], ['kind', '=', false], ['kind', '!=', 'a'],
    ['height', '=', 1.851], ['height', '>', '1.8'], ['born', '>', '1990-04-30'], ['born', 'in', ['1990-05-01']], ['born', '<', 'today'],
    ['born.year_number', '=', 1990], ['born.day_of_week', 'in', [2]], ['seen_at', '!=', '2024-01-01 00:00:00'], ['seen_at.hour_number', '=', 22],
    ['parent_id', '=', 3], ['parent_id', '=', 'Bob'], ['parent_id', 'ilike', 'bo'], ['parent_id.name', '=', 'Bob'], ['parent_id.parent_id', '=', false],
    ['log_ids', 'in', [2]], ['log_ids.text', '=', false], ['log_ids', 'any', [['text', '=', 'x']]], ['log_ids', 'not any', [['text', '=', 'y']]],
    ['id', 'in', [5]], ['id', 'child_of', 3], ['id', 'parent_of', [5]], ['id', 'child_of', 'Bo'], ['parent_id', 'child_of', 3], ['tag_ids', 'child_of', 'top'],
    ['tag_ids', 'parent_of', 9], ['tag_ids', 'in', [9]], ['tag_ids.name', 'not like', 'Old'], ['display_name', 'like', 'Ann'], ['id', 'any', [['name', '!=', 'Bob']]],
  ]
  // biome-ignore format: one line a kind
  const no = [
    ['name', 'not ilike', 'ann'], ['name', 'like', 'ann'], ['name', '=like', 'nn'], ['name', 'like', '.n'], ['name', 'not like', false], ['kind', 'like', 'a'],
    ['seen_at', '<', '2024-01-01 00:00:00'], ['parent_id.parent_id.name', '!=', 'x'], ['parent_id', '!=', 3], ['log_ids', '=', false], ['id', '=', false],
    ['color', 'like', '0'], ['tag_ids.name', '=', 'Old'], ['tag_ids', '=', 'Old'], ['id', 'child_of', [false, 99]], ['parent_id', '<', false],
  ]
  for (const condition of yes) assert.equal(ann([condition]), true, JSON.stringify(condition))
  for (const condition of no) assert.equal(ann([condition]), false, JSON.stringify(condition))
  for (const condition of [...yes, ...no])
    assert.equal(ann(['!', condition]), !ann([condition]), JSON.stringify(condition))
  assert.equal(ann(['|', ['color', '=', 1], '&', ['id', '=', 5], ['employee', '=', false]]), true)
})

test('the context decides on zones and archived lines', () => {
  assert.equal(ann([['seen_at.day_of_month', '=', 1]], { context: { tz: 'Europe/Paris' } }), true)
  assert.equal(ann([['seen_at', '=', '2024-04-01']], { context: { tz: 'Europe/Paris' } }), false)
  assert.equal(ann([['seen_at', '>=', '2024-04-01']], { context: { tz: 'Europe/Paris' } }), true)
  assert.equal(ann([['tag_ids.name', '=', 'Old']], { context: { active_test: false } }), true)
  assert.equal(ann([['tag_ids', 'any', [['active', '=', false]]]]), true)
  for (const condition of [
    ['all_child_ids', '=', 6],
    ['all_child_ids', 'in', [6]],
    ['all_child_ids', '=?', 6],
  ]) {
    assert.equal(ann([condition]), false, JSON.stringify(condition))
    assert.equal(ann([condition], { context: { active_test: false } }), true, JSON.stringify(condition))
  }
  assert.equal(ann([['all_child_ids', 'in', [6, 4]]]), true)
  assert.equal(ann([['all_child_ids', '!=', 6]]), true)
  assert.equal(ann([['tag_ids', '=', 9]]), true, 'links of a many2many count as they stand')
})

test('matching in memory refuses what SQL refuses', () => {
  // biome-ignore format: one line a kind
  const conditions = [
    ['nope', '=', 1], ['token', '=', 'x'], ['secret', '=', 'x'], ['employee', '<', 1], ['color', '=', 'x'], ['born', '=', '2024-02-30'], ['log_ids', '<', 3],
    ['name', 'child_of', 1], ['name', 'any', []], ['name.x', '=', 1], ['born.century', '=', 20], ['seen_at', '=', 'soon'], ['id', 'child_of', true],
  ]
  for (const condition of conditions) assert.throws(() => ann([condition]), JSON.stringify(condition))
})
