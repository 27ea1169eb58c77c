// Values as they come: what is too long is refused before a model's own preparation works on it.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setLimits } from '../../limits.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { prepareVals } from './values.ts'

afterEach(() => setLimits())

test('the length of a text is looked at before it is prepared; pictures have a limit of their own', () => {
  const prepared: string[] = []
  const fields = new Map(['char', 'text', 'binary'].map((kind) => [kind, { kind }]))
  const prepare = (vals: object) => prepared.push(...Object.keys(vals))
  const model = { fields, hooks: { prepares: [prepare] } } as unknown as ModelDef
  const run = (vals: Record<string, unknown>) => prepareVals({} as Environment, model, vals, null)
  setLimits({ line: 4, text: 8 })
  assert.throws(() => run({ char: 'longer' }), /limit "line"/)
  assert.throws(() => run({ text: 'longer than 8' }), /limit "text"/)
  assert.deepEqual(prepared, [])
  run({ char: 'fits', text: 'longer', binary: 'longer than 8' })
  assert.deepEqual(prepared, ['char', 'text', 'binary'])
})
