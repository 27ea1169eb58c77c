// The nearest address of each kind, as recorded in sale/customer-addresses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './partner-addresses.ts'

const [mill, rosa, ledger, gate, branch, far] = [1, 2, 3, 4, 5, 6]
const node = (id: number, type: string, parent: number | null, more = {}) =>
  [
    id,
    {
      id,
      type,
      is_company: false,
      active: true,
      parent_id: parent === null ? null : { id: parent },
      ...more,
    },
  ] as const
const family = new Map([
  node(mill, 'contact', null, { is_company: true }),
  node(rosa, 'contact', mill),
  node(ledger, 'invoice', mill),
  node(gate, 'delivery', mill),
])
const kinds = new Set(['contact', 'invoice', 'delivery'])

test('from the company, from a person, from an address', () => {
  assert.deepEqual(nearest(mill, family, kinds), { contact: mill, delivery: gate, invoice: ledger })
  assert.deepEqual(nearest(rosa, family, kinds), { contact: rosa, delivery: gate, invoice: ledger })
  assert.deepEqual(nearest(gate, family, kinds), { contact: mill, delivery: gate, invoice: ledger })
})

test('what is not there is the contact itself', () => {
  assert.deepEqual(nearest(mill, family, new Set(['contact', 'other'])), { contact: mill, other: mill })
})

test('archived addresses and those of sub-companies are passed by', () => {
  const more = new Map([
    node(mill, 'contact', null, { is_company: true }),
    node(ledger, 'invoice', mill, { active: false }),
    node(branch, 'contact', mill, { is_company: true }),
    node(far, 'invoice', branch),
  ])
  assert.deepEqual(nearest(mill, more, new Set(['contact', 'invoice'])), { contact: mill, invoice: mill })
})
