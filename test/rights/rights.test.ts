// The property of rights in small, with a fixed seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from './plan.ts'
import { describe, findDifference } from './property.ts'
import { smallerConditions, smallerPlans } from './shrink.ts'

test('rights: users see and do what a plain model allows', async () => {
  const difference = await findDifference({ rounds: 12, seed: 5, steps: 60, shapes: 2 })
  assert.equal(difference, null, difference ? describe(difference) : '')
})

test('rights: shrinking tries smaller plans', () => {
  const leaf = { kind: 'leaf', field: 'number', by: '=', value: 1 } as const
  assert.deepEqual(
    [...smallerConditions({ kind: 'or', of: [leaf, { kind: 'not', of: leaf }] })],
    [leaf, { kind: 'not', of: leaf }, { kind: 'or', of: [leaf, leaf] }],
  )
  const step = { do: 'search_count', domain: null, user: 0, model: 'a', companies: null } as const
  const plan: Plan = { implied: [], users: [], access: [], rules: [], rows: [], steps: [step, step] }
  assert.deepEqual(
    [...smallerPlans(plan)].map(({ steps }) => steps.length),
    [0, 1, 1],
  )
})
