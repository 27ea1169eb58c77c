// Complete names, as recorded in computed/partner-names and read/display-name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeName } from './partner-names.ts'

const bare = {
  name: null,
  type: 'contact',
  is_company: false,
  parent_id: null,
  company_name: null,
  commercial_company_name: null,
}
const cases: readonly [string, Partial<Parameters<typeof completeName>[0]>, string][] = [
  ['a company', { name: 'Acme', is_company: true, commercial_company_name: 'Acme' }, 'Acme'],
  [
    'a person of a company',
    { name: 'Ann', parent_id: { name: 'Acme' }, commercial_company_name: 'Acme' },
    'Acme, Ann',
  ],
  [
    'an unnamed address',
    { type: 'invoice', parent_id: { name: 'Acme' }, commercial_company_name: 'Acme' },
    'Acme, Invoice',
  ],
  [
    'a sub-company',
    { name: 'Sub', is_company: true, parent_id: { name: 'Acme' }, commercial_company_name: 'Sub' },
    'Sub',
  ],
  [
    'a person with a company name',
    { name: 'Zoe', company_name: 'Own Co', commercial_company_name: 'Own Co' },
    'Own Co, Zoe',
  ],
  ['below a person', { name: 'Dock 4', parent_id: { name: 'Acme' } }, 'Acme, Dock 4'],
  [
    'far below a company',
    { name: 'Desk', parent_id: { name: 'Ann' }, commercial_company_name: 'Acme' },
    'Acme, Desk',
  ],
  ['spaces around', { name: '  spaced name  ' }, 'spaced name'],
  ['an address of nobody', { type: 'invoice' }, ''],
]

for (const [what, spelling, expected] of cases)
  test(`complete name: ${what}`, () => assert.equal(completeName({ ...bare, ...spelling }), expected))
