// Tests of filling: which periods are added, where they stand, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { fillGroups, periodsOf, temporalFillOf } from './formatted.ts'
import { parseGroupOrder } from './order.ts'
import type { Calendar } from './periods.ts'
import type { Groups } from './query.ts'
import { parseAggregate, parseGroup } from './specs.ts'

const calendar: Calendar = { zone: 'UTC', weekStart: 7, lang: 'en_US', formats: new Map() }
const env = testEnvironment()
const person = testModel('person')
const specs = [parseGroup(env, person, 'born:month'), parseGroup(env, person, 'kind')]
const aggregates = ['__count', 'color:sum', 'id:array_agg'].map((spec) => parseAggregate(env, person, spec))
const row = (...keys: unknown[]) => ({ keys, count: 1, aggregates: [1, 2, [3]] })
const sparse: Groups = {
  rows: [row('2024-01-01', 'a'), row('2024-01-01', 'b'), row('2024-03-01', 'a'), row(null, 'a')],
  length: 4,
  names: [],
  calendar,
}
const starts = (groups: Groups) => groups.rows.map(({ keys }) => keys[0])
const whole = { from: null, to: null, least: 0 }

test('missing periods stand between the others, unset last', async () => {
  const filled = await fillGroups(sparse, specs, aggregates, [], whole)
  assert.deepEqual(starts(filled), ['2024-01-01', '2024-01-01', '2024-02-01', '2024-03-01', null])
  assert.deepEqual(filled.rows[2], { keys: ['2024-02-01', null], count: 0, aggregates: [0, false, []] })
})

test('missing periods are filled downwards in descending order', async () => {
  const filled = await fillGroups(sparse, specs, aggregates, parseGroupOrder('born:month desc'), whole)
  assert.deepEqual(starts(filled), [null, '2024-03-01', '2024-02-01', '2024-01-01', '2024-01-01'])
})

test('groups by something else are left unchanged', async () => {
  assert.equal(await fillGroups(sparse, specs.slice(1), aggregates, [], whole), sparse)
})

test('filling keeps bounds and the least number of groups', async () => {
  const periods = (from: string | null, to: string | null, least = 0) =>
    periodsOf(['2024-02-01'], 'month', false, calendar, { from, to, least })
  assert.deepEqual(await periods('2023-12-15', '2024-01-31'), ['2023-12-01', '2024-01-01'])
  assert.deepEqual(await periods(null, null, 3), ['2024-02-01', '2024-03-01', '2024-04-01'])
  assert.deepEqual(await periods('2024-05-01', null), [])
  assert.deepEqual(await periodsOf([], 'month', false, calendar, whole), [])
})

test('more periods than anybody can look at are refused', async () => {
  await assert.rejects(
    periodsOf([], 'day', false, calendar, { from: '0001-01-01', to: '9999-01-01', least: 0 }),
    /more than/,
  )
})

test('the context asks for filled periods', () => {
  const fillIn = (fill_temporal: unknown) => temporalFillOf(testEnvironment({ context: { fill_temporal } }))
  assert.equal(fillIn(false), null)
  assert.deepEqual(fillIn(true), whole)
  assert.deepEqual(fillIn({ fill_from: '2024-01-01', min_groups: 4 }), {
    from: '2024-01-01',
    to: null,
    least: 4,
  })
  assert.throws(() => fillIn({ fill_from: 'yesterday' }), /fill_from/)
  assert.throws(() => fillIn({ min_groups: -1 }), /min_groups/)
})
