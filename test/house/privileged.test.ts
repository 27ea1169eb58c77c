// Privileged access: code that works past rights or rules is listed with its reason (privileged.json), and
// rights are asked together with rules, by `assertAllowed`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sources } from './sources.ts'

const PRIVILEGED = /\bsudo\(\)|\.asUser\(|\.system\(/g
const RIGHTS = /\bcheck_access_r(?:ights|ule)\b|\b(?:mayModel|assertModel)\(/

/** Modules that ask for rights without the rules of records, and why that is enough. */
const rightsAlone: Readonly<Record<string, string>> = {
  'account/move/prefetch.ts': 'reads ahead for new entries: their creation is judged as a whole',
  'base/actions/ir-cron.ts': 'jobs have no record rules, and belong to administrators',
  'base/contacts/partner-users.ts': 'the rules of the contact are judged by its own write',
  'base/keys/apikeys-policy.ts': 'a new key has no record yet',
  'base/keys/apikeys.ts': 'keys are shown and removed by their owners, told by the statement itself',
  'base/reflection/ir-model.ts': 'lists models, which have no records here',
  'base/reflection/ir-module.ts': 'modules have no record rules',
  'base/reflection/catalogued.ts': 'rows that describe models have no record rules',
  'base/rights/chain.ts': 'chains have no record rules, and belong to administrators',
  'base/rights/ir-model-access.ts': 'answers what clients ask of a model',
  'base/rights/record-rights.ts': 'makes the rule itself: the model first, its records by SQL',
  'base/rights/refusal.ts': 'is the helper',
  'base/users/users.ts': 'decides which refusal is told; the removal that follows is judged',
  'base/webhooks/endpoint-values.ts': 'what is told later is judged record by record then',
  'base/webhooks/webhook.ts': 'as above',
  'sale/order-numbers.ts': 'reads ahead for new orders: their creation is judged as a whole',
  'stock/barcodes/find.ts': "searches with the caller's rules afterwards",
}

const codeOf = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

test('privileged access: every use of it is listed with a reason, and nothing else is', () => {
  const listed = JSON.parse(readFileSync(new URL('privileged.json', import.meta.url), 'utf8')) as Readonly<
    Record<string, Readonly<Record<string, number>>>
  >
  const expected = Object.values(listed).flatMap((files) => Object.entries(files))
  const actual = sources().flatMap(({ path, text }) => {
    const uses = codeOf(text).match(PRIVILEGED)?.length ?? 0
    return uses ? [[path, uses] as const] : []
  })
  const differing = [
    ...actual.filter(([path, uses]) => !expected.some(([name, count]) => name === path && count === uses)),
    ...expected.filter(([path]) => !actual.some(([name]) => name === path)),
  ]
  assert.deepEqual(
    differing,
    [],
    'Say in test/house/privileged.json why this code may work past rights and rules, and how often it does.',
  )
})

test('rights checks: modules ask for rights and rules together by assertAllowed', () => {
  const alone = sources().flatMap(({ path, text }) =>
    path.startsWith('src/modules/') && RIGHTS.test(codeOf(text)) ? [path.slice('src/modules/'.length)] : [],
  )
  assert.deepEqual(alone.toSorted(), Object.keys(rightsAlone).toSorted())
})
