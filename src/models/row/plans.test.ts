// Keys of cached statements: each part of what a statement depends on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment } from '../../../test/support/small-models.ts'
import type { Environment } from '../language/environment.ts'
import { callerNumber } from './plans.ts'

test('callers that differ in one thing alone have nothing in common', () => {
  const env = testEnvironment()
  const { unit, user, context, su } = env
  const { registry, rights } = unit
  const parts = { unit, user, context, su }
  const number = (other: object) => callerNumber({ ...parts, ...other } as Environment)
  const baseNumber = number({})
  assert.ok(baseNumber)
  assert.equal(number({ context: { ...context } }), baseNumber, 'a context that says the same')
  const others = {
    // Alike in all that they say: what follows from one is not known to hold of the other.
    registry: { unit: { registry: { ...registry }, rights } },
    rights: { unit: { registry, rights: { ...rights } } },
    user: { user: { ...user } },
    su: { su: !su },
    context: { context: { ...context, lang: 'fr_FR' } },
  }
  const numbers = Object.entries(others).map(([what, other]) => [what, number(other)] as const)
  for (const [what, otherNumber] of numbers) assert.notEqual(otherNumber, baseNumber, what)
  assert.equal(new Set(numbers.map(([, one]) => one)).size, numbers.length)
  assert.equal(number({}), baseNumber, 'who comes again has the same')
})
