// Types and digits of fields as clients of the recorded system received them: generated clients and
// spreadsheets depend on them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { modules } from '../../src/main.ts'
import { describeField } from '../../src/models/methods/describe.ts'
import { composeRegistry } from '../../src/models/registry/registry.ts'

interface Said {
  readonly type?: string
  /** null: nothing is said of digits. */
  readonly digits?: readonly [number, number] | 0 | false | null
}
type Recorded = Readonly<Record<string, Readonly<Record<string, Said>>>>

const recorded = JSON.parse(
  readFileSync(new URL('vendor/field-types.json', import.meta.url), 'utf8'),
) as Recorded
const registry = composeRegistry(modules)
const unlabelled = { label: () => '', help: () => '', options: () => ({}) } as never

test('field types: match the types and digits of the recorded system', () => {
  const said = (model: string, name: string): Said => {
    const field = registry.get(model)?.fields.get(name)
    assert.ok(field, `${model}.${name} is not there`)
    const { digits = null, ...attributes } = describeField(field, unlabelled)
    return { ...attributes, digits } as Said
  }
  for (const [model, fields] of Object.entries(recorded))
    for (const [name, expected] of Object.entries(fields)) {
      const all = said(model, name)
      const actual = Object.keys(expected).map((key) => [key, all[key as keyof Said]])
      assert.deepEqual(Object.fromEntries(actual), expected, `${model}.${name}`)
    }
})

test('field types: quantities of a till are whole or fractional as sold', () => {
  // The recorded report takes 0.5 kg for 0: a whole number loses what is weighed.
  assert.equal(registry.get('report.pos.order')?.fields.get('product_qty')?.type.wireType, 'float')
})
