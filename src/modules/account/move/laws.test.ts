// Laws of documents: whatever taxes, currencies, terms and roundings they have, what is posted balances in
// both currencies and says what its items say.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { idList, sql } from '../../../sql/index.ts'

/** Documents of each rounding method: fewer where every change waits for them. */
const DOCUMENTS = process.env.CI ? 60 : 200

let office: Accounting
before(async () => {
  office = await openAccounting()
})
after(() => office?.close())

async function makeAll(model: string, vals_list: readonly object[]): Promise<number[]> {
  const answer = await office.call('admin', `${model}/create`, { vals_list })
  if (answer.status !== 200) throw new Error(`${model}: ${JSON.stringify(answer.body).slice(0, 600)}`)
  return answer.body as number[]
}

const parts = (...shares: readonly number[]) =>
  [
    [0, 0, { repartition_type: 'base' }],
    ...shares.map((factor_percent) => [0, 0, { repartition_type: 'tax', factor_percent }]),
  ] as const
const tax = (name: string, amount: number, more: object, ...shares: readonly number[]) => ({
  name,
  amount,
  invoice_repartition_line_ids: parts(...shares),
  refund_repartition_line_ids: parts(...shares),
  ...more,
})

const taxes = [
  tax('Law 20', 20, {}, 100),
  tax('Law 7.7 within', 7.7, { price_include_override: 'tax_included' }, 60, 40),
  tax('Law reverse', 21, { include_base_amount: true }, 100, -100),
  tax('Law reverse within', 10, { price_include_override: 'tax_included', sequence: 3 }, 100, -60, -40),
  tax('Law piece', 0.333, { amount_type: 'fixed', include_base_amount: true }, 33.33, 33.33, 33.34),
  tax('Law division', 20, { amount_type: 'division' }, 50, 50),
  tax('Law less', -10, { sequence: 5 }, 100),
]

const term = (name: string, ...shares: readonly number[]) => ({
  name,
  line_ids: shares.map((value_amount, n) => [0, 0, { value: 'percent', value_amount, nb_days: n * 30 }]),
})

const decimal = (min: number, max: number, places: number) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)

interface Masters {
  readonly taxes: readonly number[]
  readonly currencies: readonly number[]
  readonly terms: readonly number[]
  readonly coins: readonly number[]
  readonly partners: readonly number[]
}

const anyLine = (masters: Masters) =>
  fc.record({
    name: fc.constant('Line'),
    quantity: fc.oneof(fc.constant(1), decimal(0, 40, 2)),
    price_unit: decimal(0, 3000, 4),
    discount: fc.oneof(fc.constant(0), decimal(0, 100, 2)),
    tax_ids: fc.subarray([...masters.taxes], { maxLength: 3 }).map((ids) => [[6, 0, ids]]),
  })

const anyDocument = (masters: Masters) =>
  fc.record({
    move_type: fc.constantFrom('out_invoice', 'out_refund', 'out_receipt'),
    partner_id: fc.constantFrom(...masters.partners),
    invoice_date: fc.constantFrom('2025-01-31', '2025-02-28', '2024-12-01'),
    currency_id: fc.constantFrom(...masters.currencies),
    invoice_payment_term_id: fc.constantFrom(false, ...masters.terms),
    invoice_cash_rounding_id: fc.constantFrom(false, false, ...masters.coins),
    invoice_line_ids: fc
      .array(anyLine(masters), { minLength: 1, maxLength: 6 })
      .map((lines) => lines.map((line) => [0, 0, line])),
  })

async function masters(): Promise<Masters> {
  const currencies = await makeAll('res.currency', [
    { name: 'LWA', symbol: 'a', rounding: 0.05 },
    { name: 'LWB', symbol: 'b', rounding: 1 },
    { name: 'LWC', symbol: 'c', rounding: 0.001 },
  ])
  const rates = [1.2345, 110.37, 0.3001]
  await makeAll(
    'res.currency.rate',
    currencies.map((currency_id, i) => ({ currency_id, name: '2025-01-01', rate: rates[i] })),
  )
  const accounts = await office.run(async (env) => ({
    gain: await env.ref('account.1_cash_diff_income'),
    loss: await env.ref('account.1_cash_diff_expense'),
    own: await env.ref('base.USD'),
  }))
  const coin = { rounding: 0.5, profit_account_id: accounts.gain, loss_account_id: accounts.loss }
  return {
    taxes: await makeAll('account.tax', taxes),
    currencies: [accounts.own, accounts.own, ...currencies],
    terms: await makeAll('account.payment.term', [
      term('Law halves', 50, 50),
      term('Law thirds', 33.33, 33.33, 33.34),
      term('Law little', 1, 99),
    ]),
    coins: await makeAll('account.cash.rounding', [
      { name: 'Law coins', strategy: 'add_invoice_line', ...coin },
      { name: 'Law coins in tax', strategy: 'biggest_tax', rounding_method: 'UP', ...coin },
    ]),
    partners: await makeAll('res.partner', [{ name: 'Law A' }, { name: 'Law B' }]),
  }
}

test('hundreds of random documents are posted, and all of them keep the laws', async () => {
  const known = await masters()
  for (const method of ['round_globally', 'round_per_line']) {
    await office.run(async (env) =>
      env
        .model('res.company')
        .browse([env.companyId])
        .write({ tax_calculation_rounding_method: method as 'round_globally' }),
    )
    const documents = fc.sample(anyDocument(known), { numRuns: DOCUMENTS, seed: method.length })
    const ids = await makeAll('account.move', documents)
    const totals = await office.run((env) =>
      env.query(sql`SELECT id FROM account_move WHERE id = ANY(${idList(ids)}) AND amount_total >= 0`),
    )
    const posting = await office.call('admin', 'account.move/action_post', {
      ids: totals.map((row) => row[0]),
    })
    assert.equal(posting.status, 200, JSON.stringify(posting.body).slice(0, 400))
    // Whatever does not hold comes back.
    const broken = await office.run((env) =>
      env.query(sql`SELECT m.id, m.state, m.amount_untaxed, m.amount_tax, m.amount_total, m.amount_residual, s.*
      FROM account_move m JOIN res_currency c ON c.id = m.currency_id
      JOIN LATERAL (SELECT sum(l.balance) AS balance, sum(l.amount_currency) AS own, count(*) FILTER (WHERE l.display_type = 'payment_term') AS terms,
        sum(l.amount_currency) FILTER (WHERE l.display_type = 'payment_term') AS owed,
        sum(l.balance) FILTER (WHERE l.display_type = 'payment_term') AS booked,
        sum(l.amount_currency) FILTER (WHERE l.tax_line_id IS NOT NULL) AS tax,
        bool_or(round(l.amount_currency / c.rounding::numeric) * c.rounding::numeric <> l.amount_currency OR round(l.balance, 2) <> l.balance) AS crooked
        FROM account_move_line l WHERE l.move_id = m.id) s ON TRUE
      WHERE m.id = ANY(${idList(ids)}) AND (round(s.balance, 6) <> 0 OR round(s.own, 6) <> 0 OR s.terms = 0 OR s.crooked
        OR round(abs(COALESCE(s.tax, 0)) - abs(m.amount_tax), 6) <> 0
        OR round(m.amount_untaxed + m.amount_tax - m.amount_total, 6) <> 0
        OR round(abs(s.owed) - abs(m.amount_total), 6) <> 0 OR m.amount_residual <> m.amount_total
        OR round(s.booked - m.amount_total_signed, 6) <> 0 OR m.amount_residual_signed <> m.amount_total_signed
        OR (m.state = 'posted' AND m.name IS NULL))`),
    )
    assert.deepEqual(broken, [])
  }
})
