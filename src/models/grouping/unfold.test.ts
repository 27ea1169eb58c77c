// Tests of opened groups: which open by themselves, which by choice, and that records of all of them are read
// at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { InvalidValue, UserError } from '../../errors.ts'
import { parseDomain } from '../domain/index.ts'
import type { Row } from '../language/unit.ts'
import { type UnfoldOptions, unfoldedGroups } from './unfold.ts'

const defaults: UnfoldOptions = {
  groupby: ['kind'],
  aggregates: [],
  limit: null,
  offset: 0,
  order: null,
  auto_unfold: false,
  opening_info: null,
  unfold_read_specification: null,
  unfold_read_default_limit: 80,
  groupby_read_specification: null,
}

/** Groups by `rows`; each search finds the next id, reading gives just the ids. */
async function unfolded(rows: readonly Row[], options: Partial<UnfoldOptions>) {
  const queries = { groups: 0, searches: [] as string[], reads: 0 }
  let id = 0
  const env = testEnvironment({
    query: ({ text, values }) => {
      if (text.includes('AS "g"')) {
        queries.groups++
        return rows
      }
      if (text.includes('json_agg')) {
        queries.reads++
        const ids = String(values.find(Array.isArray)).split(',')
        // The ids are the only column, and none is hidden.
        return [[JSON.stringify(ids.map(Number)), 0]]
      }
      queries.searches.push(text)
      // Ids of a search come as one array.
      return [[[++id]]]
    },
  })
  return {
    answer: await unfoldedGroups(env, testModel('person'), parseDomain([]), { ...defaults, ...options }),
    queries,
  }
}

const many = Array.from({ length: 12 }, (_, i): Row => [`k${i}`, null, 1, 1, 12])

test('nothing opens unasked; the count is always there', async () => {
  const { answer, queries } = await unfolded([['a', null, 3, 3, 7]], {})
  assert.deepEqual(answer, {
    groups: [{ kind: 'a', __extra_domain: [['kind', '=', 'a']], __count: 3 }],
    length: 7,
  })
  assert.deepEqual(queries, { groups: 1, searches: [], reads: 0 })
})

test('the first ten open by themselves, their records are read at once', async () => {
  const { answer, queries } = await unfolded(many, { auto_unfold: true, order: 'name desc' })
  assert.deepEqual(
    answer.groups.map((group) => group.__records),
    [...Array.from({ length: 10 }, (_, i) => [{ id: i + 1 }]), undefined, undefined],
  )
  assert.equal(queries.reads, 1)
  assert.match(queries.searches[0] ?? '', /ORDER BY "t"\."name" DESC/)
})

test('records without a related one stay closed', async () => {
  const { answer } = await unfolded([[null, null, 1, 1, 1]], { groupby: ['country_id'], auto_unfold: true })
  assert.equal(answer.groups[0]?.__records, undefined)
})

test('chosen groups open, folded ones do not', async () => {
  const { answer } = await unfolded(many, {
    opening_info: [
      { value: 'k1', folded: false },
      { value: 'k2', folded: true },
    ],
  })
  assert.deepEqual(
    answer.groups.flatMap((group) => (group.__records ? [group.kind] : [])),
    ['k1'],
  )
})

test('levels above the last hold groups', async () => {
  const { answer, queries } = await unfolded([['a', null, 1, 1, 1]], {
    groupby: ['kind', 'name'],
    opening_info: [{ value: 'a', folded: false }],
  })
  const [group] = answer.groups
  assert.equal((group?.__groups as { length: number } | undefined)?.length, 1)
  assert.deepEqual(queries, { groups: 2, searches: [], reads: 0 })
})

test('what does not hold is refused', async () => {
  await assert.rejects(unfolded([], { groupby: [] }), InvalidValue)
  await assert.rejects(unfolded([], { order: 'nope' }), InvalidValue)
  await assert.rejects(unfolded([], { order: 'tag_ids' }), InvalidValue)
  await assert.rejects(
    unfolded([], { order: 'name;drop' }),
    (error) => error instanceof InvalidValue || error instanceof UserError,
  )
  await assert.rejects(unfolded([], { opening_info: {} }), InvalidValue)
  await assert.rejects(unfolded([], { unfold_read_specification: ['name'] }), InvalidValue)
  await assert.rejects(
    unfolded([['a', null, 1, 1, 1]], { groupby_read_specification: { kind: {} } }),
    InvalidValue,
  )
})
