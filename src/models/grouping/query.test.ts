// Tests of the statement for groups: one for a call, rules and joins in it, and everything that is refused
// before it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestOptions, testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { AccessError, InvalidValue } from '../../errors.ts'
import { parseDomain } from '../domain/index.ts'
import { parseGroupOrder } from './order.ts'
import { type GroupOptions, readGroups } from './query.ts'
import { parseAggregate, parseGroup, specList } from './specs.ts'

const person = testModel('person')

/** The statements of a call over `person`, quotes left out, and the bound on what an answer shows. */
async function asked(
  groupby: string[],
  aggregates: string[] = [],
  options: Omit<GroupOptions, 'order'> & { order?: string } = {},
  rights: TestOptions = {},
) {
  const texts: string[] = []
  const env = testEnvironment({
    ...rights,
    query: ({ text }) => {
      texts.push(text.replaceAll('"', '').replace(/ LIMIT \d{6}$/, ''))
      return []
    },
  })
  const groups = groupby.map((spec) => parseGroup(env, person, spec))
  const wanted = aggregates.map((spec) => parseAggregate(env, person, spec))
  await readGroups(env, person, parseDomain([]), groups, wanted, {
    ...options,
    order: parseGroupOrder(options.order),
  })
  return texts
}

test('one statement, related records joined to the groups', async () => {
  const texts = await asked(['country_id', 'kind'], ['color:sum'])
  assert.equal(texts.length, 1)
  const [inner, outer] = texts[0]?.split(') AS g ') ?? []
  assert.match(inner ?? '', /GROUP BY 1, 2$/)
  assert.doesNotMatch(inner ?? '', /JOIN/)
  assert.match(
    outer ?? '',
    /^LEFT JOIN country o0 ON o0.id = g.k0 ORDER BY \(g.k0 IS NULL\), o0.name, o0.id, g.k1$/,
  )
})

test('terms of the order come first, the keys left decide', async () => {
  const [text] = await asked(['country_id', 'kind'], [], { order: 'color:max desc, kind desc nulls last' })
  assert.match(text ?? '', /max\(t.color\) AS b0/)
  assert.match(text ?? '', /ORDER BY g.b0 DESC, g.k1 DESC NULLS LAST, \(g.k0 IS NULL\), o0.name, o0.id$/)
})

test('descending, a related model is turned round', async () => {
  const [text] = await asked(['parent_id'], [], { order: 'parent_id desc' })
  assert.match(text ?? '', /ORDER BY \(g.k0 IS NULL\) DESC, o0.name DESC, o0.id$/)
})

test('values of records that rules hide are unset', async () => {
  const [text] = await asked(['country_id.code'], [], {}, { rules: { country: [['name', '=', 'x']] } })
  assert.match(text ?? '', /CASE WHEN .*tj1.name.* THEN tj1.code END AS k0/)
})

test('rules of the model and of linked records are in the statement', async () => {
  const [text] = await asked(
    ['tag_ids'],
    [],
    {},
    { rules: { person: [['color', '=', 5]], tag: [['color', '=', 6]] } },
  )
  assert.match(
    text ?? '',
    /LEFT JOIN \w+ link0 ON link0.person_id = t.id AND link0.tag_id IN \(SELECT .*color/,
  )
  assert.match(text ?? '', /WHERE .*t.color = /)
})

test('a model that the user may not read is closed on every way', async () => {
  await assert.rejects(asked(['kind'], [], {}, { closed: ['person'] }), /no access to person/)
  await assert.rejects(asked(['country_id.code'], [], {}, { closed: ['country'] }), /no access to country/)
  await assert.rejects(asked(['tag_ids'], [], {}, { closed: ['tag'] }), /no access to tag/)
})

test('conditions on aggregates filter groups', async () => {
  const [text] = await asked(['kind'], [], {
    having: ['|', ['__count', '>', 1], ['color:sum', 'in', [2, false]]],
  })
  assert.match(
    text ?? '',
    /HAVING \(COALESCE\(count\(\*\) > \$\d::numeric, FALSE\) OR \(COALESCE\(sum\(t.color\) = \$\d::numeric, FALSE\) OR sum\(t.color\) IS NULL\)\)/,
  )
  for (const condition of [
    ['color', '>', 1],
    ['color:sum', '>', 'x'],
    ['color:sum', 'like', 1],
    ['id:array_agg', '=', 1],
    ['born:max', '=', '2024-02-30'],
  ]) {
    await assert.rejects(asked(['kind'], [], { having: [condition] }), InvalidValue, String(condition))
  }
})

test('what makes no groups is refused', async () => {
  const bad = [
    'nope',
    'token',
    'child_ids',
    'photo',
    'age',
    'display_name',
    'born',
    'born:hour',
    'born:decade',
    'kind:month',
    'tag_ids.name',
    'country_id.nope',
    'kind;',
    '',
    'club_ids',
  ]
  for (const spec of bad) await assert.rejects(asked([spec]), InvalidValue, spec)
  await assert.rejects(asked(['secret']), AccessError)
})

test('what cannot be reckoned is refused', async () => {
  for (const spec of [
    'color',
    'color:median',
    'nope:sum',
    'name:sum',
    'tag_ids:count',
    'age:sum',
    'employee:max',
    'name:bool_or',
    'color:recordset',
    'color:sum;drop',
  ]) {
    await assert.rejects(asked([], [spec]), InvalidValue, spec)
  }
  await assert.rejects(asked([], ['secret:count']), AccessError)
})

test('orders and windows that do not hold are refused', async () => {
  for (const order of ['nope', 'color', 'kind; drop', 'kind,', 'kind desc desc', 'id:array_agg'])
    await assert.rejects(asked(['kind'], [], { order }), InvalidValue, order)
  for (const limit of [-1, 1.5, '-2', 'two', true])
    await assert.rejects(asked(['kind'], [], { limit }), InvalidValue)
})

test('lists of groupings and aggregates are read', () => {
  assert.deepEqual(specList('groupby', null), [])
  assert.deepEqual(specList('groupby', ['a', 'b', 'a']), ['a', 'b'])
  for (const value of ['a', [1], {}]) assert.throws(() => specList('groupby', value), InvalidValue)
})
