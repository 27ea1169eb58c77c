// Values that forms get from onchange, of models whose save only writes rows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([base])
})
after(() => db.close())

async function changedForm(env: Environment, model: string, values: object, shown: readonly string[]) {
  const answer = await env.model(model as 'res.partner').invoke('onchange', {
    values,
    field_names: Object.keys(values),
    fields_spec: Object.fromEntries([...Object.keys(values), ...shown].map((name) => [name, {}])),
  })
  return (answer as { value?: Record<string, unknown> }).value ?? {}
}

test('onchange: forms of tags, banks, currencies, rates and states get computed values', async () => {
  await db.run(async (env) => {
    const [be] = (await env.model('res.country').search([['code', '=', 'BE']])).ids
    const [eur] = (await env.model('res.currency').search([['name', '=', 'EUR']])).ids
    const [tag] = (await env.model('res.partner.category').create([{ name: 'Top' }])).ids
    const ask = changedForm.bind(null, env)
    assert.deepEqual(await ask('res.partner.category', { name: 'New', parent_id: tag }, ['display_name']), {
      display_name: 'Top / New',
    })
    assert.deepEqual(await ask('res.bank', { name: 'Bank', bic: 'ABC' }, ['display_name']), {
      display_name: 'Bank - ABC',
    })
    assert.deepEqual(
      await ask('res.currency', { name: 'ZZB', symbol: 'z', rounding: 0.001 }, ['decimal_places']),
      {
        decimal_places: 3,
      },
    )
    assert.deepEqual(
      await ask('res.currency.rate', { currency_id: eur, name: '2020-01-01', rate: 4 }, [
        'inverse_company_rate',
      ]),
      { inverse_company_rate: 0.25 },
    )
    assert.deepEqual(
      await ask('res.country.state', { name: 'North', code: 'N', country_id: be }, ['display_name']),
      {
        display_name: 'North (BE)',
      },
    )
    // Values that could not be saved give no computed ones.
    assert.deepEqual(await ask('res.country.state', { name: 'North' }, ['display_name']), {})
    const count = await env.model('res.country.state').searchCount([['name', '=', 'North']])
    assert.equal(count, 0)
  })
})

test('onchange: forms of custom models get computed values', async () => {
  const key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
  const ask = async (path: string, named: Record<string, unknown>) => {
    const [model = '', method = ''] = path.split('/')
    const answer = await call(db.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model,
      method,
      body: () => ({ ids: [], named }),
      remote: '127.0.0.1',
      requestId: 'test',
    })
    return JSON.parse(answer.json)
  }
  const field = (name: string, ttype: string, more: object = {}) => [
    0,
    0,
    { name, ttype, field_description: name, ...more },
  ]
  const [model] = await ask('ir.model/create', {
    vals_list: [
      {
        name: 'Form',
        model: 'x_form',
        field_id: [
          field('x_name', 'char'),
          field('x_country_id', 'many2one', { relation: 'res.country' }),
          field('x_code', 'char', { related: 'x_country_id.code', readonly: true }),
        ],
      },
    ],
  })
  const rights = { perm_read: true, perm_write: true, perm_create: true, perm_unlink: true }
  await ask('ir.model.access/create', { vals_list: [{ name: 'all', model_id: model, ...rights }] })
  const [be] = await ask('res.country/search', { domain: [['code', '=', 'BE']] })
  const answer = await ask('x_form/onchange', {
    values: { x_country_id: be },
    field_names: ['x_country_id'],
    fields_spec: { x_country_id: {}, x_code: {} },
  })
  assert.deepEqual(answer, { value: { x_code: 'BE' } })
})
