// Fields are described as recorded: kind, relation, and whether they are stored, read-only and required
// (attributes.json, from spec/coverage.json, priorities A and B).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FieldDef } from '../../src/models/language/definitions.ts'
import { shapeOf } from '../../src/models/methods/describe.ts'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { modules } from '../../src/modules/index.ts'

/** Model → field → its words, such as `many2one res.partner stored required`. */
const recorded: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(new URL('attributes.json', import.meta.url), 'utf8'),
)

/** Fields that are described otherwise on purpose, with the reason. */
const judged: Record<string, string> = {
  'account.bank.statement.line.payment_ids': 'lines name their payments by the side of the payment',
  'crm.team.member.name': 'the name of a user is not for the leader of a team to write',
}

function wordsOf(field: FieldDef): string {
  const { type, relation, store, readonly, required } = shapeOf(field)
  const flags = { stored: store, readonly, required }
  const names = Object.entries(flags).flatMap(([name, holds]) => (holds ? [name] : []))
  return [type, ...(relation ? [relation] : []), ...names].join(' ')
}

test('coverage: fields that clients know are described with the recorded kinds and flags', () => {
  const { models } = composeRegistry(modules)
  const differing = Object.entries(recorded).flatMap(([model, fields]) =>
    Object.entries(fields).flatMap(([name, words]) => {
      const field = models.get(model)?.fields.get(name)
      return field && wordsOf(field) !== words
        ? [`${model}.${name}: ${wordsOf(field)}, recorded ${words}`]
        : []
    }),
  )
  assert.deepEqual(
    differing.filter((line) => !judged[line.slice(0, line.indexOf(':'))]),
    [],
  )
  assert.equal(
    differing.length,
    Object.keys(judged).length,
    'a judged difference is gone: take it off the list',
  )
})
