// Contacts, companies, languages and money over a real database: what the recorded conversations do not say.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadTerms } from '#engine'
import type { Environment } from '#models'
import { openTestDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { UserError, ValidationError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { base } from '../index.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base])
})
after(() => database.close())

const contacts = (env: Environment) => env.model('res.partner')

test('who comes from another company keeps nothing of it; who stood alone brings the number along', () =>
  database.run(async (env) => {
    const [a, b, solo] = (
      await contacts(env).create([
        { name: 'A', is_company: true, vat: 'VA' },
        { name: 'B', is_company: true },
        { name: 'Solo', vat: 'VS' },
      ])
    ).ids as [number, number, number]
    const [ann] = (await contacts(env).create([{ name: 'Ann', parent_id: a }])).ids as [number]
    await contacts(env).browse([ann]).write({ parent_id: b })
    assert.deepEqual(
      (await contacts(env).browse([ann, b]).load(['vat'])).map((p) => p.vat),
      [null, null],
    )
    await contacts(env).browse([solo]).write({ parent_id: b })
    assert.deepEqual(
      (await contacts(env).browse([solo, b, ann]).load(['vat'])).map((p) => p.vat),
      ['VS', 'VS', 'VS'],
    )
  }))

test('a change of a company takes as many statements for many people as for a few', () =>
  database.run(async (env) => {
    const cost = async (people: number) => {
      const [company] = (
        await contacts(env).create([{ name: `Firm ${people}`, is_company: true, street: 'Old' }])
      ).ids as [number]
      await contacts(env).create(
        Array.from({ length: people }, (_, i) => ({ name: `P${i}`, parent_id: company })),
      )
      const start = env.unit.usage.statements
      await contacts(env).browse([company]).write({ street: 'New', vat: 'V9', name: 'Renamed' })
      const matching = await contacts(env).search([
        ['parent_id', '=', company],
        ['street', '=', 'New'],
        ['vat', '=', 'V9'],
        ['complete_name', '=like', 'Renamed, %'],
      ])
      assert.equal(matching.length, people)
      return env.unit.usage.statements - start
    }
    assert.equal(await cost(3), await cost(60))
  }))

test('a person cannot be above themselves, and an account is archived rather than removed', () =>
  database.run(async (env) => {
    const [top, below] = (await contacts(env).create([{ name: 'Top' }, { name: 'Below' }])).ids as [
      number,
      number,
    ]
    await contacts(env).browse([below]).write({ parent_id: top })
    await assert.rejects(contacts(env).browse([top]).write({ parent_id: below }), ValidationError)
    await contacts(env)
      .browse([top])
      .write({ bank_ids: [[0, 0, { acc_number: 'be 1' }]] })
    const { bank_ids } = await contacts(env)
      .browse([top])
      .one(['bank_ids.sanitized_acc_number', 'bank_ids.acc_holder_name'])
    assert.deepEqual(
      bank_ids.map((account) => [account.sanitized_acc_number, account.acc_holder_name]),
      [['BE1', 'Top']],
    )
    await contacts(env)
      .browse([top])
      .write({ bank_ids: [[2, bank_ids[0]?.id]] })
    const [kept] = await env
      .model('res.partner.bank')
      .browse([bank_ids[0]?.id as number])
      .load(['active'])
    assert.equal(kept?.active, false)
  }))

test('a company is a contact: its name goes both ways, branches keep their place and their currency', () =>
  database.run(async (env) => {
    const companies = env.model('res.company')
    const [main] = (await companies.search([['id', '=', 1]])).ids as [number]
    const [euro] = (await env.model('res.currency').search([['name', '=', 'EUR']])).ids as [number]
    const [root] = (await companies.create([{ name: 'Root', currency_id: euro }])).ids as [number]
    const [branch] = (await companies.create([{ name: 'Branch', parent_id: root }])).ids as [number]
    const branchRow = await companies
      .browse([branch])
      .one(['currency_id.name', 'root_id', 'partner_id.is_company', 'parent_ids'])
    assert.deepEqual(
      [branchRow.currency_id.name, branchRow.root_id?.id, branchRow.partner_id.is_company],
      ['EUR', root, true],
    )
    await companies.browse([branch]).write({ name: 'Twig' })
    const { partner_id } = await companies.browse([branch]).one(['partner_id.name'])
    assert.equal(partner_id.name, 'Twig')
    await contacts(env).browse([partner_id.id]).write({ name: 'Leaf' })
    assert.deepEqual((await companies.search([['name', '=', 'Leaf']])).ids, [branch])
    await assert.rejects(companies.browse([branch]).write({ parent_id: main }), UserError)
    const [dollar] = (await env.model('res.currency').search([['name', '=', 'USD']])).ids as [number]
    await companies.browse([root]).write({ currency_id: dollar })
    assert.equal((await companies.browse([branch]).one(['currency_id.name'])).currency_id.name, 'USD')
  }))

test('currency rates: an empty rate is refused, and rates are for one unit of the company currency', () =>
  database.run(async (env) => {
    const [yen] = (await env.model('res.currency').create([{ name: 'XYN', symbol: 'y', rounding: 1 }]))
      .ids as [number]
    const rates = env.model('res.currency.rate')
    await assert.rejects(
      rates.create([{ currency_id: yen, name: '2024-01-01', inverse_company_rate: 0 }]),
      ValidationError,
    )
    const extremes = [
      { rate: 1e300 },
      { rate: 1e-300 },
      { company_rate: 1e300 },
      { inverse_company_rate: 1e300 },
    ]
    for (const [n, vals] of extremes.entries())
      await assert.rejects(
        rates.create([{ currency_id: yen, name: `2023-01-0${n + 1}`, ...vals }]),
        ValidationError,
        JSON.stringify(vals),
      )
    const [usd] = (await env.model('res.currency').search([['name', '=', 'USD']])).ids as [number]
    await rates.create([{ currency_id: usd, name: '2024-02-01', rate: 2 }])
    const [rateId] = (await rates.create([{ currency_id: yen, name: '2024-03-01', company_rate: 150 }]))
      .ids as [number]
    assert.equal((await rates.browse([rateId]).one(['rate'])).rate, 300)
    assert.equal((await env.model('res.currency').browse([yen]).one(['rate'])).rate, 150)
  }))

test('languages: terms are added next to the English ones and keep existing translations', () =>
  database.run(async (env) => {
    await env.query(sql`UPDATE res_country SET name = name || '{"fr_FR": "Chez nous"}' WHERE code = 'FR'`)
    await loadTerms(env, ['fr_FR'])
    const rows = await env.query(
      sql`SELECT name->>'en_US', name->>'fr_FR' FROM res_country WHERE code IN ('BE', 'FR') ORDER BY code`,
    )
    assert.deepEqual(rows, [
      ['Belgium', 'Belgique'],
      ['France', 'Chez nous'],
    ])
  }))

test('contacts: onchange returns all that follows from the typed values, even if they cannot be saved yet', () =>
  database.run(async (env) => {
    const [firm] = (await contacts(env).create([{ name: 'Firm', is_company: true, street: 'Main 1' }])).ids
    const onchange = (values: object, ids: number[] = []) =>
      contacts(env)
        .browse(ids)
        .invoke('onchange', {
          values,
          field_names: Object.keys(values).slice(-1),
          fields_spec: { company_type: {}, is_company: {}, street: {}, complete_name: {}, display_name: {} },
        })
    const named = (name: string) => ({ complete_name: name, display_name: name })
    assert.deepEqual(await onchange({ name: 'Annelise' }), { value: named('Annelise') })
    assert.deepEqual(await onchange({ name: 'Annelise', parent_id: firm }), {
      value: { street: 'Main 1', ...named('Firm, Annelise') },
    })
    assert.deepEqual(await onchange({ is_company: true }), { value: { company_type: 'company' } })
    assert.deepEqual(await onchange({ company_type: 'company' }), { value: { is_company: true } })
    assert.deepEqual(await onchange({ name: 'Retitled' }, [firm as number]), { value: named('Retitled') })
    assert.deepEqual(await contacts(env).searchCount([['name', 'in', ['Annelise', 'Retitled']]]), 0)
  }))
