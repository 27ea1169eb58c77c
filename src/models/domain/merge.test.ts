// Tests of merging: many conditions of a kind are one comparison or one subquery, few are left unchanged;
// costs are counted where they arise.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { compiled } from '../../../test/support/small-models.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { type Limits, setLimits } from '../../limits.ts'
import { MANY } from './merge.ts'

afterEach(() => setLimits())

type Make = (n: number) => unknown[]
const times = (count: number, make: Make): unknown[][] => Array.from({ length: count }, (_, n) => make(n))
const any = (conditions: readonly unknown[]): unknown[] => [
  ...Array(conditions.length - 1).fill('|'),
  ...conditions,
]
const all = (conditions: readonly unknown[]): unknown[] => [...conditions]
const subqueries = (domain: unknown[]): number => compiled(domain).text.split('SELECT').length - 1

/** Conditions that are about one thing, joined so that one asks for all. */
const alike: readonly (readonly [string, typeof any, Make])[] = [
  ['equality', any, (n) => ['name', '=', `x${n}`]],
  ['inequality', all, (n) => ['name', '!=', `x${n}`]],
  ['lists of numbers', any, (n) => ['color', 'in', [n, n + 100]]],
  ['ids of a relation', any, (n) => ['tag_ids', '=', n + 1]],
  ['days', any, (n) => ['born', '=', `20${n + 10}-02-03`]],
  ['parts of dates', any, (n) => ['born.year_number', '=', 2000 + n]],
  ['patterns', any, (n) => ['name', 'ilike', `x${n}`]],
  ['denied patterns', all, (n) => ['name', 'not like', `x${n}`]],
  ['trees', any, (n) => ['tag_ids', 'child_of', [n + 1]]],
  ['a path', any, (n) => ['parent_id.parent_id.name', 'like', `x${n}`]],
  ['a path of many', any, (n) => ['all_child_ids.tag_ids.color', '=', n + 1]],
  ['a path to one record', all, (n) => ['parent_id.parent_id.name', '!=', `x${n}`]],
  ['names of a relation', any, (n) => ['parent_id', 'ilike', `x${n}`]],
  ['domains of a relation', any, (n) => ['tag_ids', 'any', [['color', '=', n + 1]]]],
  ['denied domains', all, (n) => ['tag_ids', 'not any', [['color', '=', n + 1]]]],
]

for (const [what, join, make] of alike) {
  test(`${what}: many are one`, () => {
    const single = subqueries([make(0)])
    assert.ok(subqueries(join(times(40, make))) <= single + 1)
    assert.ok(compiled(join(times(40, make))).values.length <= 3)
    // Two are left to PostgreSQL as they are.
    assert.equal(subqueries(join(times(2, make))), 2 * single)
  })
}

/** Conditions that each ask for something of their own, whatever they have in common. */
const apart: readonly (readonly [string, typeof any, Make])[] = [
  ['each of several lines may be another one', all, (n) => ['all_child_ids.color', '=', n + 1]],
  ['archived lines are asked for by name', any, () => ['tag_ids.active', '=', false]],
  [
    'archived lines within a domain',
    any,
    (n) => [
      'tag_ids',
      'any',
      [
        ['active', '=', false],
        ['color', '=', n],
      ],
    ],
  ],
  ['unset is no value', any, () => ['name', '=', false]],
  ['ends of ranges', any, (n) => ['color', '>', n]],
]

for (const [what, join, make] of apart) {
  test(`not merged: ${what}`, () => {
    const { text, values } = compiled(join(times(MANY, make)))
    const single = compiled([make(0)])
    const size = (of: { text: string; values: readonly unknown[] }) => of.text.length + 10 * of.values.length
    assert.ok(size({ text, values }) > (MANY - 1) * size(single), text)
  })
}

test('steps and costly conditions are counted with what rules, names and merging make of them', () => {
  const cases: readonly (readonly [Partial<Limits>, unknown[], unknown[]])[] = [
    [
      { steps: 3 },
      [['parent_id.parent_id.parent_id.name', '=', 'x']],
      [['parent_id.parent_id.parent_id.parent_id.name', '=', 'x']],
    ],
    [
      { steps: 3 },
      times(3, (n) => ['all_child_ids.name', '=', `${n}`]),
      times(4, (n) => ['all_child_ids.name', '=', `${n}`]),
    ],
    [
      { steps: 2 },
      any(times(40, (n) => ['parent_id.parent_id.name', '=', `${n}`])),
      [['tag_ids.child_ids.child_ids', '!=', false]],
    ],
    [
      { steps: 3 },
      [['tag_ids', 'child_of', 1]],
      [
        ['tag_ids', 'child_of', 1],
        ['parent_id', 'child_of', 1],
      ],
    ],
    [{ costly: 3 }, times(3, (n) => ['name', 'like', `${n}`]), times(4, (n) => ['name', 'like', `${n}`])],
    [
      { costly: 3 },
      any(times(24, (n) => ['name', 'ilike', `${n}`])),
      any(times(25, (n) => ['name', 'ilike', `${n}`])),
    ],
    [
      { costly: 3 },
      times(3, (n) => ['born.month_number', '>', n]),
      times(4, (n) => ['born.month_number', '>', n]),
    ],
    [
      { costly: 3 },
      [['born', 'in', ['today', '-1d', '+1d', '2024-01-01']]],
      [['born', 'in', ['today', '-1d', '+1d', '+2d']]],
    ],
    [
      { costly: 3 },
      times(3, (n) => ['tag_ids.name', '>', `${n}`]),
      times(4, (n) => ['tag_ids.name', '>', `${n}`]),
    ],
    [
      { costly: 3 },
      times(9, (n) => ['color', '>', n]),
      times(4, (n) => ['display_name', 'not =like', `${n}`]),
    ],
  ]
  for (const [limit, within, beyond] of cases) {
    setLimits(limit)
    const [name] = Object.keys(limit)
    assert.doesNotThrow(() => compiled(within), `${name} ${JSON.stringify(within)}`)
    assert.throws(
      () => compiled(beyond),
      (error: Error) => error instanceof PayloadTooLarge && error.message.includes(`"${name}"`),
      `${name} ${JSON.stringify(beyond)}`,
    )
  }
})

test('long lists are looked up, not gone through', () => {
  const ids = Array.from({ length: 1000 }, (_, n) => n + 1)
  for (const condition of [
    ['id', 'in', ids],
    ['color', 'in', ids],
    ['parent_id', 'in', ids],
    ['tag_ids', 'in', ids],
    ['name', 'in', ids],
    ['id', 'child_of', ids],
  ]) {
    assert.match(compiled([condition]).text, /IN \(SELECT unnest\(/, String(condition[0]))
    assert.doesNotMatch(compiled([condition]).text, /ANY\(/, String(condition[0]))
  }
})
