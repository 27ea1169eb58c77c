// Tests of compiling: the SQL of each family of conditions, its parameters, rights, and that nothing is ever
// NULL by form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compiled, type TestOptions, testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { AccessError, InvalidValue } from '../../errors.ts'
import { all, leaf } from '../language/tree.ts'
import { parseDomain } from './parse.ts'
import { activeDomain } from './search-rule.ts'

/** One condition's SQL and values. */
function is(
  condition: unknown[],
  text: string,
  values: unknown[] = [],
  options: TestOptions = {},
  model = 'person',
) {
  assert.deepEqual(compiled([condition], options, model), { text, values }, JSON.stringify(condition))
}
const refused = (condition: unknown[], error = InvalidValue) =>
  assert.throws(() => compiled([condition]), error, JSON.stringify(condition))

test('texts: unset and empty are one', () => {
  is(['name', '=', 'x'], '(t.name = $1::text AND t.name IS NOT NULL)', ['x'])
  is(['name', '=', 15], '(t.name = $1::text AND t.name IS NOT NULL)', ['15'])
  is(['name', '=', ''], "(t.name IS NULL OR t.name = '')")
  is(['name', '!=', 'x'], 'NOT ((t.name = $1::text AND t.name IS NOT NULL))', ['x'])
  is(['name', 'in', ['a', 'b', false]], "(t.name = ANY($1::text[]) OR (t.name IS NULL OR t.name = ''))", [
    ['a', 'b'],
  ])
  is(['name', 'in', []], 'FALSE')
  is(['name', 'not in', []], 'TRUE')
  is(['name', '<', 'b'], '(t.name < $1::text OR t.name IS NULL)', ['b'])
  is(['name', '>', ''], '(t.name > $1::text AND t.name IS NOT NULL)', [''])
  is(['name', '>=', ''], '(t.name >= $1::text OR t.name IS NULL)', [''])
  refused(['name', '=', true])
  refused(['name', 'any', [['id', '=', 1]]])
  refused(['name', 'child_of', 1])
  refused(['name.length', '=', 1])
})

test('many values: joined where an index finds them, else looked up for each row', () => {
  const many = Array.from({ length: 300 }, (_, at) => at + 1)
  const texts = many.map(String)
  is(['id', 'in', many], '(t.id IN (SELECT unnest($1::int[])))', [many])
  is(['name', 'in', texts], '((t.name IN (SELECT unnest($1::text[]))) IS TRUE AND t.name IS NOT NULL)', [
    texts,
  ])
  is(['color', 'in', many], '((t.color IN (SELECT unnest($1::int[]))) IS TRUE AND t.color IS NOT NULL)', [
    many,
  ])
})

test('patterns: wrapped or whole, escapes kept, the empty one by itself, letters alone are folded', () => {
  is(['name', 'ilike', 'a_b'], '(t.name ILIKE $1 AND t.name IS NOT NULL)', ['%a_b%'])
  is(['name', 'ilike', '+32 99'], '(t.name LIKE $1 AND t.name IS NOT NULL)', ['%+32 99%'])
  is(['name', 'ilike', '9_9'], '(t.name ILIKE $1 AND t.name IS NOT NULL)', ['%9_9%'])
  is(['name', '=like', 'a%'], '(t.name LIKE $1 AND t.name IS NOT NULL)', ['a%'])
  is(['name', '=like', 'a\\'], '(t.name LIKE $1 AND t.name IS NOT NULL)', ['a\\\\'])
  is(['name', 'like', ''], 'TRUE')
  is(['name', 'not ilike', false], 'FALSE')
  is(['name', '=like', ''], "(t.name IS NULL OR t.name = '')")
  is(['color', 'like', 3], '((t.color)::text COLLATE C LIKE $1 AND (t.color)::text IS NOT NULL)', ['%3%'])
  is(['name', 'ilike', '%9%42'], '(t.name COLLATE C LIKE $1 AND t.name IS NOT NULL)', ['%%9%42%'])
  is(['name', 'like', 'Zq'], '(t.name COLLATE C LIKE $1 AND t.name IS NOT NULL)', ['%Zq%'])
  is(['name', 'like', '429'], '(t.name LIKE $1 AND t.name IS NOT NULL)', ['%429%'])
  is(['name', '=like', '42%'], '(t.name LIKE $1 AND t.name IS NOT NULL)', ['42%'])
  refused(['employee', 'ilike', 't'])
})

test('numbers: unset is zero; what does not fit the column is no error', () => {
  is(['color', '=', 0], '(t.color = $1::int OR t.color IS NULL)', [0])
  is(['color', '=', false], '(t.color = $1::int OR t.color IS NULL)', [0])
  is(['color', 'in', ['1', true, 5]], '(t.color = ANY($1::int[]) AND t.color IS NOT NULL)', [[1, 1, 5]])
  is(['color', '<', 1], '(t.color < $1::int OR t.color IS NULL)', [1])
  is(['color', '>', 0], '(t.color > $1::int AND t.color IS NOT NULL)', [0])
  is(['color', '=', 99999999999], '(t.color = $1::numeric AND t.color IS NOT NULL)', [99999999999])
  is(['color', '=', 1.5], '(t.color = $1::numeric AND t.color IS NOT NULL)', [1.5])
  is(['height', '=', 1.005], '(t.height = $1::numeric AND t.height IS NOT NULL)', [1.01])
  is(['height', '<=', '-1.005'], '(t.height <= $1::numeric AND t.height IS NOT NULL)', [-1.01])
  refused(['color', '=', 'five'])
  refused(['height', '=', 'north'])
})

test('conditions on booleans, selections and ids compile to SQL', () => {
  is(['employee', '=', 'Yes'], 't.employee IS TRUE')
  is(['employee', '=', 'maybe'], 't.employee IS NOT TRUE')
  is(['employee', 'in', [true, false]], 'TRUE')
  is(['employee', 'not in', [true]], 'NOT (t.employee IS TRUE)')
  refused(['employee', '>', false])
  is(['kind', 'in', ['a', false]], "((t.kind = 'a' AND t.kind IS NOT NULL) OR t.kind IS NULL)")
  is(['kind', 'in', ['b', 'a']], "(t.kind IN ('b', 'a') AND t.kind IS NOT NULL)")
  is(['kind', '=', "it's none"], '(t.kind = $1::text AND t.kind IS NOT NULL)', ["it's none"])
  is(['kind', '>', false], 'FALSE')
  is(['id', '=', '5'], '(t.id = $1::int)', [5])
  is(['id', '=', false], 'FALSE')
  is(['id', 'in', [1, 2, 99999999999]], '(t.id = ANY((SELECT $1::int[])::int[]))', [[1, 2]])
  is(['id', 'any', [['color', '>', 1]]], '(t.color > $1::int AND t.color IS NOT NULL)', [1])
  refused(['id', '=', 'b'])
})

test('dates and moments: whole days, whole seconds, zones', () => {
  is(['born', '>', '2024-02-01 10:30:00'], '(t.born > $1::date AND t.born IS NOT NULL)', ['2024-02-01'])
  is(['born', '=', false], 't.born IS NULL')
  is(['born', '<=', false], 'FALSE')
  is(
    ['seen_at', '=', '2031-05-01T12:30:15.9'],
    '(t.seen_at >= $1::timestamp AND t.seen_at < $2::timestamp AND t.seen_at IS NOT NULL)',
    ['2031-05-01 12:30:15', '2031-05-01 12:30:16'],
  )
  const below = '(t.seen_at < $1::timestamp AND t.seen_at IS NOT NULL)'
  const from = '(t.seen_at >= $1::timestamp AND t.seen_at IS NOT NULL)'
  is(['seen_at', '<=', '2031-05-01'], below, ['2031-05-02 00:00:00'])
  is(['seen_at', '<', '2031-05-01'], below, ['2031-05-01 00:00:00'])
  is(['seen_at', '>', '2031-05-01'], from, ['2031-05-02 00:00:00'])
  is(['seen_at', '>', '2031-05-01 10:00'], from, ['2031-05-01 10:00:01'])
  is(['seen_at', '>=', '2031-05-02'], from, ['2031-05-01 15:00:00'], { context: { tz: 'Asia/Tokyo' } })
  is(['seen_at', '>=', '2031-05-02'], from, ['2031-05-02 00:00:00'], { context: { tz: 'Not/AZone' } })
  is(['seen_at', '>=', '2031-05-02 00:00:00'], from, ['2031-05-02 00:00:00'], {
    context: { tz: 'Asia/Tokyo' },
  })
  is(['seen_at', '>', '9999-12-31'], from, ['infinity'])
  for (const value of ['2024-13-01', '2024-02-30', 'yesterday', 20240101, '01/02/2024', '', true])
    refused(['born', '=', value])
  for (const value of [
    '2031-05-01 12:30:15+02:00',
    '2031-05-01 12:30:15Z',
    '2031-05-01 25:00:00',
    'not a moment',
    5,
    '',
  ]) {
    refused(['seen_at', '=', value])
  }
})

test('conditions on parts of dates compile to SQL', () => {
  is(
    ['born.month_number', '=', '6'],
    '(floor(EXTRACT(MONTH FROM t.born))::int = $1::numeric AND t.born IS NOT NULL)',
    [6],
  )
  is(['born.day_of_week', '=', false], 't.born IS NULL')
  is(
    ['seen_at.hour_number', '<', 5],
    "(floor(EXTRACT(HOUR FROM (t.seen_at AT TIME ZONE 'UTC' AT TIME ZONE $1::text)))::int < $2::numeric AND t.seen_at IS NOT NULL)",
    ['Europe/Brussels', 5],
    { context: { tz: 'Europe/Brussels' } },
  )
  for (const part of ['month', 'century', 'hour_number', 'constructor', 'year_number.x'])
    refused([`born.${part}`, '=', 1])
})

test('many2one: ids see everything, names and paths what the user may see', () => {
  is(['parent_id', '=', 3], '(t.parent_id = $1::int AND t.parent_id IS NOT NULL)', [3])
  is(['parent_id', 'ilike', ''], 't.parent_id IS NOT NULL')
  const named =
    '(t.parent_id IS NOT NULL AND t.parent_id IN (SELECT t_1.id FROM person t_1 WHERE (t_1.name = $1::text AND t_1.name IS NOT NULL)))'
  is(['parent_id', '=', 'Bob'], named, ['Bob'])
  is(['parent_id.name', '=', 'Bob'], named, ['Bob'])
  is(['parent_id', 'any', []], 't.parent_id IS NOT NULL')
  is(['parent_id', 'not any', [[0, '=', 1]]], 'TRUE')
  const rules = { person: [['color', '=', 1]] }
  is(['parent_id', '=', 3], '(t.parent_id = $1::int AND t.parent_id IS NOT NULL)', [3], { rules })
  is(
    ['parent_id', 'any', []],
    '(t.parent_id IS NOT NULL AND t.parent_id IN (SELECT t_1.id FROM person t_1 WHERE (t_1.color = $1::int AND t_1.color IS NOT NULL)))',
    [1],
    { rules },
  )
  is(['parent_id', 'any', []], 't.parent_id IS NOT NULL', [], { rules, su: true })
  is(['country_code', '=', 'BE'], '(tj1.code = $1::text AND tj1.code IS NOT NULL)', ['BE'])
  refused(['parent_id', '<', 'abc'])
  refused(['parent_id', '=', true])
  refused(['parent_id.nope', '=', 1])
  assert.throws(
    () => compiled([['country_id.code', '=', 'BE']], { closed: ['country'] }),
    /no access to country/,
  )
  assert.doesNotThrow(() => compiled([['country_id', '=', 5]], { closed: ['country'] }))
})

test('x2many: archived lines count for ids of a many2many, and not for those of a one2many nor for paths; the fixed domain always holds', () => {
  const linked = '(t.id IN (SELECT t_1_link.person_id FROM person_tag_rel t_1_link'
  is(['tag_ids', '=', 4], `${linked} WHERE t_1_link.tag_id = $1::int))`, [4])
  is(['tag_ids', '=', false], `NOT (${linked})))`)
  is(
    ['tag_ids.color', '=', 7],
    `${linked} WHERE t_1_link.tag_id IN (SELECT t_1.id FROM tag t_1 WHERE (t_1.active IS TRUE AND (t_1.color = $1::int AND t_1.color IS NOT NULL)))))`,
    [7],
  )
  is(
    ['tag_ids.active', '=', false],
    `${linked} WHERE t_1_link.tag_id IN (SELECT t_1.id FROM tag t_1 WHERE t_1.active IS NOT TRUE)))`,
  )
  is(
    ['tag_ids', 'any', [['active', 'in', [true, false]]]],
    `${linked} WHERE t_1_link.tag_id IN (SELECT t_1.id FROM tag t_1 WHERE t_1.active IS TRUE)))`,
  )
  const lines = '(t.id IN (SELECT t_1.parent_id FROM person t_1 WHERE'
  is(
    ['child_ids', '=', 3],
    `${lines} (t_1.id = $1::int AND t_1.active IS TRUE AND t_1.parent_id IS NOT NULL)))`,
    [3],
  )
  is(
    ['all_child_ids', '=', 3],
    `${lines} ((t_1.id = $1::int AND t_1.active IS TRUE) AND t_1.parent_id IS NOT NULL)))`,
    [3],
  )
  const everybody = { context: { active_test: false } }
  is(['all_child_ids', '=', 3], `${lines} (t_1.id = $1::int AND t_1.parent_id IS NOT NULL)))`, [3], everybody)
  is(['all_child_ids', '=', false], `NOT (${lines} t_1.parent_id IS NOT NULL)))`)
  is(
    ['log_ids.text', '=', 'x'],
    "(t.id IN (SELECT t_1.res_id FROM log t_1 WHERE ((t_1.text = $1::text AND t_1.text IS NOT NULL) AND t_1.model = 'person' AND t_1.res_id IS NOT NULL)))",
    ['x'],
  )
  is(
    ['parent_tag_ids', '=', 4],
    '(tj1.id IS NOT NULL AND tj1.id IN (SELECT tj1_2_link.person_id FROM person_tag_rel tj1_2_link WHERE tj1_2_link.tag_id = $1::int))',
    [4],
  )
})

test('trees by path where it is kept, by recursion elsewhere', () => {
  is(
    ['id', 'child_of', 1],
    "(t.id IN (SELECT t_2.id FROM tag t_2, tag t_1 WHERE (t_1.id = $1::int AND t_1.id IS NOT NULL) AND t_2.parent_path ~>=~ t_1.parent_path AND t_2.parent_path ~<~ (left(t_1.parent_path, -1) || '0')))",
    [1],
    {},
    'tag',
  )
  is(
    ['parent_id', 'child_of', 1],
    '(t.id IN (SELECT unnest(ARRAY(WITH RECURSIVE t_2_tree(id) AS (SELECT t_1.id FROM person t_1 WHERE (t_1.id = $1::int AND t_1.id IS NOT NULL) UNION SELECT t_2.id FROM t_2_tree, person t_2 WHERE t_2.parent_id = t_2_tree.id) SELECT id FROM t_2_tree))))',
    [1],
  )
  is(['id', 'child_of', false], 'FALSE')
  is(['id', 'parent_of', []], 'FALSE')
})

test('conditions on binary fields ask whether there is a file', () => {
  const holders =
    "(t.id IN (SELECT t_1.res_id FROM ir_attachment t_1 WHERE t_1.res_model = 'person' AND t_1.res_field = 'photo' AND t_1.res_id IS NOT NULL))"
  is(['photo', '=', false], `NOT (${holders})`)
  is(['small', 'in', [false]], `NOT (${holders})`)
  refused(['photo', '=', 'x'])
})

test('display names are searched by the naming fields', () => {
  is(
    ['display_name', '=', 'x'],
    '((t.name = $1::text AND t.name IS NOT NULL) OR (t.code = $2::text AND t.code IS NOT NULL))',
    ['x', 'x'],
    {},
    'country',
  )
  is(['display_name', 'ilike', ''], 'TRUE', [], {}, 'country')
})

test('rights on fields, and fields that are not there to be searched', () => {
  refused(['secret', '=', 'x'], AccessError)
  refused(['parent_id.secret', '=', 'x'], AccessError)
  assert.throws(() => compiled(['|', ['name', '=', 'a'], ['secret', '=', 'x']]), AccessError)
  is(['secret', '=', 'x'], '(t.secret = $1::text AND t.secret IS NOT NULL)', ['x'], { su: true })
  for (const name of ['token', 'nope', '_name', 'name; drop table person', 'age', 'constructor'])
    refused([name, '=', 1])
  is(['initials', '!=', 'A'], 'NOT ((t.name = $1::text AND t.name IS NOT NULL))', ['A'])
})

test('=? asks nothing when nothing is given', () => {
  for (const value of [false, null, 0, '', []]) is(['color', '=?', value], 'TRUE')
  is(['color', '=?', 5], '(t.color = $1::int AND t.color IS NOT NULL)', [5])
  refused(['nope', '=?', false])
})

test('archived records are left out unless the domain speaks of them', () => {
  const person = testModel('person')
  const env = testEnvironment()
  const name = parseDomain([['name', '=', 'x']])
  const active = leaf(['active'], '=', true)
  assert.deepEqual(activeDomain(env, person, name), all([active, name]))
  assert.deepEqual(activeDomain(env, person, parseDomain([])), active)
  for (const condition of [
    ['active', '=', false],
    ['active', 'in', [true, false]],
    ['active', '=?', false],
  ]) {
    const tree = parseDomain(['|', ['name', '=', 'x'], condition])
    assert.equal(activeDomain(env, person, tree), tree)
  }
  const through = parseDomain([['parent_id.active', '=', false]])
  assert.deepEqual(activeDomain(env, person, through), all([active, through]))
  assert.equal(activeDomain(testEnvironment({ context: { active_test: false } }), person, name), name)
  assert.equal(activeDomain(env, testModel('country'), name), name)
})

test('the text of a statement does not depend on values of one shape', () => {
  const text = (ids: number[], word: string) =>
    compiled([
      ['tag_ids', 'in', ids],
      ['name', 'ilike', word],
    ]).text
  assert.equal(text([1, 2], 'a'), text([3, 4, 5], 'b'))
})
