// Tests of the older form of groups: keys, counts, whole domains, ranges, and what its order may name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { InvalidValue } from '../../errors.ts'
import type { Row } from '../language/unit.ts'
import { type LegacyOptions, legacyGroups } from './legacy.ts'

const domain = [['color', '>', 0]]

/** The answer for `rows` of PostgreSQL, and the statement that was sent. */
async function legacy(rows: readonly Row[], options: Partial<LegacyOptions>) {
  const texts: string[] = []
  const env = testEnvironment({
    query: ({ text }) => {
      texts.push(text.replaceAll('"', '').replace(/ LIMIT \d{6}$/, ''))
      return rows
    },
  })
  const defaults = { fields: [], groupby: [], offset: 0, limit: null, orderby: false, lazy: true }
  const groups = await legacyGroups(env, testModel('person'), domain, { ...defaults, ...options })
  return { groups, text: texts.join('\n') }
}

test('lazy groups are by the first field, the others are left for later', async () => {
  const { groups, text } = await legacy([['a', null, 2, 5]], {
    fields: ['color', 'name'],
    groupby: ['kind', 'country_id'],
  })
  assert.deepEqual(groups, [
    {
      kind: 'a',
      kind_count: 2,
      color: 5,
      __domain: ['&', ['color', '>', 0], ['kind', '=', 'a']],
      __context: { group_by: ['country_id'] },
    },
  ])
  assert.doesNotMatch(text, /country/)
})

test('dates are grouped by month and give their label and range', async () => {
  const { groups } = await legacy(
    [
      ['2024-01-01', null, 1],
      [null, null, 3],
    ],
    { groupby: 'born' },
  )
  assert.deepEqual(groups, [
    {
      born: 'January 2024',
      born_count: 1,
      __domain: ['&', '&', ['color', '>', 0], ['born', '>=', '2024-01-01'], ['born', '<', '2024-02-01']],
      __range: { born: { from: '2024-01-01', to: '2024-02-01' } },
    },
    {
      born: false,
      born_count: 3,
      __domain: ['&', ['color', '>', 0], ['born', '=', false]],
      __range: { born: false },
    },
  ])
})

test('named aggregates and the plain count', async () => {
  const { groups } = await legacy([[4, 10, 1]], { fields: ['big:max(color)', 'color:min'], lazy: false })
  assert.deepEqual(groups, [{ __count: 4, big: 10, color: 1, __domain: domain }])
})

test('the order may name keys of the answer', async () => {
  const order = async (orderby: string) =>
    (await legacy([], { fields: ['color:max'], groupby: ['born'], orderby })).text.split('ORDER BY ')[1]
  assert.equal(await order('born desc'), 'g.k0 DESC')
  assert.equal(await order('born:month'), 'g.k0')
  assert.equal(await order('color desc'), 'g.a0 DESC, g.k0')
  assert.equal(await order('born_count, height'), 'g.b0, g.b1, g.k0')
  await assert.rejects(order('name'), InvalidValue)
  await assert.rejects(order('nope'), InvalidValue)
})

test('fields that do not hold are refused, those without an aggregator are ignored', async () => {
  for (const field of ['nope', 'color:median', 'color:max(', 'x:max(nope)', 'token'])
    await assert.rejects(legacy([], { fields: [field] }), InvalidValue, field)
  const { text } = await legacy([], { fields: ['age', 'name', 'id'] })
  assert.match(text, /^SELECT g.n FROM/)
})
