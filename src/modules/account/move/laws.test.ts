// Laws of documents: whatever taxes, currencies, terms and roundings they have, what is posted balances in
// both currencies and says what its items say.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { bookkeeping } from '../../../../test/books/bookkeeping.ts'
import { anyDocument, faultsOf, mastersOf } from '../../../../test/books/laws.ts'
import { chance } from '../../../../test/stock/competition.ts'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { ledgerOf } from '../../../../test/support/ledger.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Documents of each rounding method: fewer where every change waits for them. */
const DOCUMENTS = process.env.CI ? 60 : 200

let office: Accounting
before(async () => {
  office = await openAccounting()
})
after(() => office?.close())

const rounding = (tax_calculation_rounding_method: 'round_globally' | 'round_per_line') =>
  office.run(async (env) =>
    env.model('res.company').browse([env.companyId]).write({ tax_calculation_rounding_method }),
  )

test('hundreds of random documents are posted, and all of them keep the laws', async () => {
  const { ask, make, makeAll } = ledgerOf(office)
  const masters = await mastersOf(office)
  for (const method of ['round_globally', 'round_per_line'] as const) {
    await rounding(method)
    const documents = fc.sample(anyDocument(masters), { numRuns: DOCUMENTS, seed: method.length })
    const ids = await makeAll('account.move', documents)
    const totals = await office.run((env) =>
      env.query(sql`SELECT id FROM account_move WHERE id = ANY(${idList(ids)}) AND amount_total >= 0`),
    )
    await ask('account.move/action_post', { ids: totals.map((row) => row[0]) })
    assert.deepEqual(await faultsOf(office), [])
  }
  const bank = await make('account.journal', { name: 'Law bank', code: 'LAWB', type: 'bank' })
  const story = { documents: 16, operations: 24, seed: 7, next: chance(7), bank }
  assert.deepEqual(await bookkeeping(office, story, masters), [])
})

/** An invoice with an early discount of a tenth that lowers its taxes at once, in a currency of its own. */
async function lowered(name: string, step: number, rate: number, lines: readonly object[]): Promise<number> {
  const { make } = ledgerOf(office)
  const currency_id = await make('res.currency', { name, symbol: name, rounding: step })
  await make('res.currency.rate', { currency_id, name: '2025-01-01', rate })
  const invoice_payment_term_id = await make('account.payment.term', {
    name: `Early ${name}`,
    line_ids: [[0, 0, { value: 'percent', value_amount: 100, nb_days: 30 }]],
    early_discount: true,
    discount_percentage: 10,
    discount_days: 10,
    early_pay_discount_computation: 'mixed',
  })
  return make('account.move', {
    move_type: 'out_invoice',
    partner_id: await make('res.partner', { name }),
    invoice_date: '2025-01-09',
    currency_id,
    invoice_payment_term_id,
    invoice_line_ids: lines.map((line) => [0, 0, { name: 'Line', ...line }]),
  })
}

let taxesMade = 0
const vat = (amount: number, more: object = {}) =>
  ledgerOf(office).make('account.tax', { name: `Law tax ${++taxesMade}`, amount, ...more })
const taxed = (price_unit: number, quantity: number, ...taxes: readonly number[]) => ({
  price_unit,
  quantity,
  tax_ids: [[6, 0, taxes]],
})

test('an early discount leaves the lines, and a tax that a price holds is rounded apart from what it takes off', async () => {
  const { read, search } = ledgerOf(office)
  await rounding('round_globally')
  const within = await vat(21, { price_include_override: 'tax_included' })
  const bill = await lowered('LWW', 1, 2.7131, [taxed(100, 1, within), taxed(100, 2)])
  const whole = await read('account.move', bill, ['amount_untaxed', 'amount_tax', 'amount_total_signed'])
  // 17.36 is 17 and 1.68 is 2; the second line stays 73.72, though price and price hold all taxes.
  assert.deepEqual(whole, { id: bill, amount_untaxed: 283, amount_tax: 15, amount_total_signed: 109.96 })
  const ten = await vat(10)
  const other = await lowered('LWT', 0.01, 1.8745, [taxed(387, 1, ten)])
  const items = await search('account.move.line', [['move_id', '=', other]], ['balance', 'display_type'])
  // A tax on top is rounded once: 34.83 at the rate is 18.58, where 20.65 less 2.06 would be 18.59.
  assert.equal(items.find((item) => item.display_type === 'tax')?.balance, -18.58)
})

test('an early discount over several taxes in foreign money gives back what it takes: the entry balances', async () => {
  const { ask, search } = ledgerOf(office)
  const ten = await vat(10)
  const within = await vat(20, { price_include_override: 'tax_included' })
  // The recorded system refuses this (stories money 22 and 52): it takes 4.68 and 82.70, gives back 87.39.
  const lines = [taxed(100, 1, within), taxed(5.39, 1, within), taxed(435.8, 3.5, ten), taxed(25, 1, ten)]
  const id = await lowered('LWM', 0.01, 1.8745, lines)
  await ask('account.move/action_post', { ids: [id] })
  const epd = await search(
    'account.move.line',
    [
      ['move_id', '=', id],
      ['display_type', '=', 'epd'],
    ],
    ['balance'],
    'balance',
  )
  assert.deepEqual(
    epd.map(({ balance }) => balance),
    [-87.39, 4.68, 82.71],
  )
  assert.deepEqual(await faultsOf(office), [])
})

test('a rate that was agreed stays until the day changes or it is refreshed; the amounts follow it', async () => {
  const { ask, read } = ledgerOf(office)
  await rounding('round_globally')
  const id = await lowered('LWR', 0.01, 1.25, [taxed(2, 100, await vat(10))])
  const [currency] = await ask<[number]>('res.currency/search', { domain: [['name', '=', 'LWR']] })
  await ask('res.currency.rate/create', {
    vals_list: [{ currency_id: currency, name: '2025-06-01', rate: 1.6 }],
  })
  const now = async () => {
    const fields = ['expected_currency_rate', 'invoice_currency_rate', 'amount_total_signed']
    const row = await read('account.move', id, fields)
    return fields.map((field) => row[field])
  }
  const write = async (vals: object) =>
    (await office.call('admin', 'account.move/write', { ids: [id], vals })).status
  assert.equal(await write({ invoice_payment_term_id: false }), 200)
  assert.deepEqual(await now(), [1.25, 1.25, 176])
  // 133.33 and 13.33: amounts are converted one by one (recorded).
  assert.equal(await write({ invoice_currency_rate: 1.5 }), 200)
  assert.deepEqual(await now(), [1.25, 1.5, 146.66])
  assert.equal(await write({ ref: 'kept' }), 200)
  assert.equal(
    await write({ invoice_line_ids: [[0, 0, { name: 'More', price_unit: 15, tax_ids: [[5]] }]] }),
    200,
  )
  assert.deepEqual(await now(), [1.25, 1.5, 156.66])
  assert.equal(await write({ invoice_currency_rate: -1 }), 422)
  await ask('account.move/refresh_invoice_currency_rate', { ids: [id] })
  assert.deepEqual(await now(), [1.25, 1.25, 188])
  // A correction of the published rate changes no draft until it is refreshed.
  const correct = async (rate: number) => {
    const domain = [
      ['currency_id', '=', currency],
      ['rate', 'in', [1.25, 1]],
    ]
    const ids = await ask('res.currency.rate/search', { domain, order: 'name desc', limit: 1 })
    await ask('res.currency.rate/write', { ids, vals: { rate } })
  }
  await correct(1)
  assert.deepEqual(await now(), [1, 1.25, 188])
  await ask('account.move/refresh_invoice_currency_rate', { ids: [id] })
  assert.deepEqual(await now(), [1, 1, 235])
  await correct(1.25)
  await ask('account.move/refresh_invoice_currency_rate', { ids: [id] })
  assert.equal(await write({ invoice_currency_rate: 2 }), 200)
  assert.equal(await write({ invoice_date: '2025-06-02' }), 200)
  assert.deepEqual(await now(), [1.6, 1.6, 146.88])
  await ask('account.move/action_post', { ids: [id] })
  assert.equal(await write({ invoice_currency_rate: 3 }), 422)
  const [undated] = await ask<[number]>('account.move/copy', { ids: [id], default: { invoice_date: false } })
  await ask('account.move/write', { ids: [undated], vals: { invoice_currency_rate: 4 } })
  await ask('account.move/action_post', { ids: [undated] })
  assert.equal((await read('account.move', undated, ['invoice_currency_rate'])).invoice_currency_rate, 4)
  await ask('account.move/refresh_invoice_currency_rate', { ids: [id] })
  assert.deepEqual(await now(), [1.6, 1.6, 146.88])
  assert.deepEqual(await faultsOf(office), [])
})

test('a foreign document of nothing owes nothing in the money of the company', async () => {
  const { ask, search } = ledgerOf(office)
  const [five, other] = [await vat(5), await vat(5)]
  // 5.00 at the rate is 3.70 twice, and 10.00 is 7.41: a cent stayed open that could not be paid.
  const lines = [taxed(100, 1, five, other), taxed(-110, 1)]
  const id = await lowered('LWZ', 0.01, 1.35, lines)
  await ask('account.move/write', { ids: [id], vals: { invoice_payment_term_id: false } })
  await ask('account.move/action_post', { ids: [id] })
  const items = await search('account.move.line', [['move_id', '=', id]], ['balance', 'display_type'])
  const balances = (type: string) =>
    items.filter((item) => item.display_type === type).map((item) => item.balance)
  assert.deepEqual(balances('tax'), [-3.7, -3.7])
  assert.deepEqual(balances('payment_term'), [0])
  assert.deepEqual(await faultsOf(office), [])
})
