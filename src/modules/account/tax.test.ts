// Taxes over a real database: distribution, validation, computation, and mapping by fiscal positions.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { type Accounting, openAccounting } from '../../../test/support/accounting.ts'
import { ValidationError } from '../../errors.ts'
import { documentTotals, loadTaxes, mapAccounts, mapTaxes, positionsFor, priceUnderTaxes } from './index.ts'

let database: Accounting
before(async () => {
  database = await openAccounting()
})
after(() => database?.close())

type Call = Accounting['call']
const call: Call = (...args) => database.call(...args)

const taxes = (env: Environment) => env.model('account.tax')
const only = <T>(list: readonly T[]): T => list[0] as T
const parts = (...shares: readonly number[]) => [
  [0, 0, { repartition_type: 'base' }] as const,
  ...shares.map((factor_percent) => [0, 0, { repartition_type: 'tax', factor_percent }] as const),
]

test('tax distribution: 100 percent by default; that of invoices is the default of refunds, and the other way round', () =>
  database.run(async (env) => {
    const createdTaxes = await taxes(env).create([
      { name: 'plain', amount: 4 },
      { name: 'split', amount: 4, invoice_repartition_line_ids: parts(75, 25) },
    ])
    const rows = await createdTaxes.load([
      'invoice_repartition_line_ids.factor_percent',
      'refund_repartition_line_ids.factor_percent',
    ])
    const shares = rows.map((t) =>
      [t.invoice_repartition_line_ids, t.refund_repartition_line_ids].map((side) =>
        side.map((p) => p.factor_percent),
      ),
    )
    assert.deepEqual(shares, [
      [
        [100, 100],
        [100, 100],
      ],
      [
        [100, 75, 25],
        [100, 75, 25],
      ],
    ])
    const copy = await createdTaxes.browse([only(createdTaxes.ids.slice(1))]).copy()
    const { name, refund_repartition_line_ids } = await copy.one([
      'name',
      'refund_repartition_line_ids.factor_percent',
    ])
    assert.deepEqual(
      [name, refund_repartition_line_ids.map((p) => p.factor_percent)],
      ['split (copy)', [100, 75, 25]],
    )
  }))

test('taxes: reject invalid distributions, groups and changes of group members', async () => {
  const refused = async (vals: object) =>
    assert.rejects(
      database.run((env) => taxes(env).create([{ name: 'never', ...vals }])),
      ValidationError,
      JSON.stringify(vals),
    )
  await refused({ invoice_repartition_line_ids: parts(60) })
  await refused({ invoice_repartition_line_ids: parts(100, -40) })
  await refused({ invoice_repartition_line_ids: parts() })
  await refused({ invoice_repartition_line_ids: parts(60, 40), refund_repartition_line_ids: parts(40, 60) })
  const [sale, goods] = (
    await database.run((env) =>
      taxes(env).create([
        { name: 'for sales', amount: 1 },
        { name: 'for goods', amount: 1, tax_scope: 'consu' },
      ]),
    )
  ).ids as [number, number]
  await refused({ amount_type: 'group', type_tax_use: 'purchase', children_tax_ids: [[6, 0, [sale]]] })
  await refused({ amount_type: 'group', tax_scope: 'service', children_tax_ids: [[6, 0, [goods]]] })
  const group = await database.run((env) =>
    taxes(env).create([{ name: 'g', amount_type: 'group', children_tax_ids: [[6, 0, [sale]]] }]),
  )
  await refused({ amount_type: 'group', children_tax_ids: [[6, 0, [group.ensureOne()]]] })
  // A member of a group must keep the use and scope of the group.
  for (const vals of [
    { type_tax_use: 'purchase' },
    { tax_scope: 'service' },
    { amount_type: 'group' },
  ] as const)
    await assert.rejects(
      database.run((env) => taxes(env).browse([sale]).write(vals)),
      ValidationError,
      JSON.stringify(vals),
    )
  await database.run((env) => taxes(env).browse([sale]).write({ type_tax_use: 'none' }))
  // A group gets parts when it becomes a tax.
  await database.run(async (env) => {
    const former = taxes(env).browse(group.ids)
    await former.write({ amount_type: 'percent', amount: 3, children_tax_ids: [[5]] })
    assert.equal((await former.one(['repartition_line_ids'])).repartition_line_ids.length, 4)
  })
})

test('compute_all: splits a tax over its distribution to the cent, in refunds too', async () => {
  const tax = only(
    (
      await call('boss', 'account.tax/create', {
        vals_list: [{ name: 'thirds', amount: 10, invoice_repartition_line_ids: parts(33.33, 33.33, 33.34) }],
      })
    ).body as number[],
  )
  for (const is_refund of [false, true]) {
    const { status, body } = await call('clerk', 'account.tax/compute_all', {
      ids: [tax],
      price_unit: 1,
      is_refund,
    })
    const result = body as {
      taxes: { amount: number; tax_repartition_line_id: number }[]
      total_included: number
      total_void: number
    }
    assert.equal(status, 200)
    assert.deepEqual(
      result.taxes.map((t) => t.amount),
      [0.04, 0.03, 0.03],
    )
    assert.deepEqual([result.total_included, result.total_void], [1.1, 1.1])
    assert.equal(new Set(result.taxes.map((t) => t.tax_repartition_line_id)).size, 3)
  }
})

test('compute_all: takes the currency, the rounding method and reverse charges, and reports errors', async () => {
  const jpy = await database.run((env) => env.ref('base.JPY'))
  const vals = { name: 'turned', amount: 21, invoice_repartition_line_ids: parts(100, -100) }
  const turned = only((await call('boss', 'account.tax/create', { vals_list: [vals] })).body as number[])
  const ask = async (more: object) =>
    (await call('clerk', 'account.tax/compute_all', { ids: [turned], price_unit: 10.4, ...more })).body
  type TaxResult = {
    taxes: { amount: number; is_reverse_charge: boolean }[]
    total_excluded: number
    total_included: number
  }
  const plain = (await ask({})) as TaxResult
  assert.deepEqual(
    plain.taxes.map((t) => [t.amount, t.is_reverse_charge]),
    [
      [2.18, false],
      [-2.18, true],
    ],
  )
  assert.deepEqual([plain.total_excluded, plain.total_included], [10.4, 10.4])
  const yen = (await ask({ currency: jpy, rounding_method: 'round_per_line' })) as TaxResult
  assert.deepEqual([yen.total_excluded, yen.taxes[0]?.amount], [10, 2])
  for (const wrong of [
    { price_unit: 'ten' },
    { quantity: null },
    { currency: 'EUR' },
    { currency: 987_654 },
    { rounding_method: 'up' },
    { ids: [987_654] },
  ]) {
    const { status } = await call('clerk', 'account.tax/compute_all', {
      ids: [turned],
      price_unit: 1,
      ...wrong,
    })
    assert.ok(status >= 400 && status < 500, `${JSON.stringify(wrong)} gives ${status}`)
  }
  assert.deepEqual(
    (await call('clerk', 'account.tax/compute_all', { ids: [], price_unit: 3, quantity: 2 })).body,
    {
      base_tags: [],
      taxes: [],
      total_excluded: 6,
      total_included: 6,
      total_void: 6,
    },
  )
})

test('documents: load taxes with the members of groups, archived ones too', () =>
  database.run(async (env) => {
    const createdTaxes = await taxes(env).create([
      { name: 'late', amount: 10, sequence: 50 },
      { name: 'early', amount: 5, sequence: 40, include_base_amount: true, active: false },
      { name: 'first', amount: 1, sequence: 2, amount_type: 'fixed' },
    ])
    const [late, early, first] = createdTaxes.ids as [number, number, number]
    const group = (
      await taxes(env).create([
        { name: 'both', amount_type: 'group', sequence: 1, children_tax_ids: [[6, 0, [late, early]]] },
      ])
    ).ensureOne()
    const of = await loadTaxes(env, [group, first, 987_654])
    assert.deepEqual(
      of([first, group, 987_654]).map((t) => t.id),
      [early, late, first],
    )
    const totals = documentTotals([{ priceUnit: 100, quantity: 1, taxes: of([first, group]) }], {
      rounding: 0.01,
      method: 'round_globally',
    })
    assert.deepEqual([totals.untaxed, totals.tax, totals.total], [100, 16.5, 116.5])
  }))

test('price_include: follows the company unless the tax overrides it', () =>
  database.run(async (env) => {
    const createdTaxes = await taxes(env).create([
      { name: 'follows', amount: 2 },
      { name: 'insists', amount: 2, price_include_override: 'tax_excluded' },
    ])
    const company = env.model('res.company').browse([1])
    const holding = async () => (await createdTaxes.filtered([['price_include', '=', true]])).ids.length
    assert.equal(await holding(), 0)
    await company.write({ account_price_include: 'tax_included' })
    assert.deepEqual(
      [await holding(), (await createdTaxes.load(['price_include'])).map((t) => t.price_include)],
      [1, [true, false]],
    )
    assert.equal(
      (
        await taxes(env).search([
          ['id', 'in', createdTaxes.ids],
          ['price_include', '=', true],
        ])
      ).ids.length,
      1,
    )
    await company.write({ account_price_include: 'tax_excluded' })
  }))

test('fiscal positions: that of the delivery address, else of the customer, else the first that matches the address', () =>
  database.run(async (env) => {
    const [fi, se] = [await env.ref('base.fi'), await env.ref('base.se')]
    const [nordic] = (
      await env.model('res.country.group').create([{ name: 'North', country_ids: [[6, 0, [fi, se]]] }])
    ).ids as [number]
    const positions = await env.model('account.fiscal.position').create([
      {
        name: 'north of the river',
        auto_apply: true,
        country_id: fi,
        zip_from: '90',
        zip_to: '99999',
        sequence: -5,
      },
      { name: 'with a number', auto_apply: true, country_group_id: nordic, vat_required: true, sequence: -4 },
      { name: 'the rest', auto_apply: true, country_group_id: nordic, sequence: -3 },
      { name: 'by hand', sequence: -9 },
    ])
    const [river, number, rest, hand] = positions.ids as [number, number, number, number]
    assert.equal((await positions.browse([river]).one(['zip_from'])).zip_from, '00090')
    const contacts = await env
      .model('res.partner')
      .create([
        { name: 'Oulu', country_id: fi, zip: '90100' },
        { name: 'Low', country_id: fi, zip: '00050', vat: 'FI1' },
        { name: 'Malmö', country_id: se },
        { name: 'Nowhere' },
        { name: 'Chosen', country_id: se, property_account_position_id: hand },
      ])
    const [oulu, low, malmo, nowhere, chosen] = contacts.ids as [number, number, number, number, number]
    const requests = [
      { partner: oulu },
      { partner: low },
      { partner: malmo },
      { partner: nowhere },
      { partner: nowhere, delivery: malmo },
      { partner: chosen },
      { partner: malmo, delivery: chosen },
      { partner: malmo, delivery: oulu },
      { partner: chosen, delivery: oulu },
    ]
    assert.deepEqual(await positionsFor(env, 1, requests), [
      river,
      number,
      rest,
      null,
      null,
      hand,
      hand,
      river,
      hand,
    ])
    await positions.write({ active: false })
  }))

test('fiscal positions: both ends of a postcode range are padded to the same length', () =>
  database.run(async (env) => {
    const [position] = await env
      .model('account.fiscal.position')
      .create([{ name: 'zips', zip_from: '10', zip_to: '500' }])
    const zips = async () => Object.values((await position?.one(['zip_from', 'zip_to'])) ?? {}).slice(1)
    assert.deepEqual(await zips(), ['010', '500'])
    await position?.write({ zip_to: '7000' })
    assert.deepEqual(await zips(), ['0010', '7000'])
    await assert.rejects(position?.write({ zip_to: '5' }) ?? Promise.resolve(), ValidationError)
    await assert.rejects(
      env.model('account.fiscal.position').create([{ name: 'half', zip_to: '5' }]),
      ValidationError,
    )
  }))

test('fiscal positions: replace taxes and accounts, and remove all taxes if they have none', () =>
  database.run(async (env) => {
    const home = (
      await taxes(env).create([
        { name: 'home', amount: 25, price_include_override: 'tax_included' },
        { name: 'stays', amount: 3 },
      ])
    ).ids as [number, number]
    const accounts = (
      await env.model('account.account').create([
        { name: 'here', code: 'MAP.1', account_type: 'income' },
        { name: 'there', code: 'MAP.2', account_type: 'income' },
      ])
    ).ids as [number, number]
    const [position, empty] = (
      await env.model('account.fiscal.position').create([
        {
          name: 'abroad',
          account_ids: [[0, 0, { account_src_id: accounts[0], account_dest_id: accounts[1] }]],
        },
        { name: 'nothing at all' },
      ])
    ).ids as [number, number]
    const away = (
      await taxes(env).create(
        [10, 1].map((amount) => ({
          name: `away ${amount}`,
          amount,
          price_include_override: 'tax_included' as const,
          fiscal_position_ids: [[6, 0, [position]]] as const,
          original_tax_ids: [[6, 0, [home[0]]]] as const,
        })),
      )
    ).ids as [number, number]
    const both = env.model('account.fiscal.position').browse([position, empty])
    const taxesOf = async () => (await both.load(['tax_ids'])).map((p) => p.tax_ids.map((t) => t.id))
    assert.deepEqual(await taxesOf(), [away, []])
    await taxes(env)
      .browse([away[1]])
      .write({ fiscal_position_ids: [[4, empty]] })
    assert.deepEqual(await taxesOf(), [away, [away[1]]])
    await both.browse([empty]).write({ tax_ids: [[5]] })
    assert.equal(
      (await taxes(env).browse([away[1]]).one(['fiscal_position_ids'])).fiscal_position_ids.length,
      1,
    )
    const mapped = await mapTaxes(env, position)
    assert.deepEqual(mapped([home[1], home[0]]), [home[1], ...away])
    assert.deepEqual((await mapTaxes(env, empty))([...home]), [])
    assert.deepEqual((await mapTaxes(env, null))([...home]), home)
    const of = await loadTaxes(env, [...home, ...away])
    assert.equal(priceUnderTaxes(125, of([home[0]]), of(mapped([home[0]]))), 111)
    const account = await mapAccounts(env, position)
    assert.deepEqual(accounts.map(account), [accounts[1], accounts[1]])
  }))
