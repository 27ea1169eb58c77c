// Credit notes in a foreign currency are their documents, line by line, in both currencies: also where the
// day of a document, and with it the rate, was given after its lines.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf } from '../../../../test/support/ledger.ts'

let ledger: Ledger
before(async () => {
  ledger = ledgerOf(await openAccounting())
})
after(() => ledger?.office.close())

const rate = 0.8137
const day = '2025-03-10'
const cents = (max: number) => fc.integer({ min: 1, max: max * 100 }).map((n) => n / 100)
const line = fc.record({
  price_unit: cents(100),
  quantity: fc.integer({ min: 1, max: 9 }),
  discount: fc.constantFrom(0, 10, 12.5, 33.33),
})
const documents = fc.array(
  fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 4 }), isRedated: fc.boolean() }),
  {
    minLength: 40,
    maxLength: 40,
  },
)

/** Amounts of lines and taxes in both currencies; `sign` turns those of credit notes round. */
async function amountsOf(move: unknown, sign: 1 | -1): Promise<string[]> {
  const items = await ledger.search(
    'account.move.line',
    [
      ['move_id', '=', move],
      ['display_type', 'in', ['product', 'tax']],
    ],
    ['name', 'balance', 'amount_currency'],
  )
  const amount = (value: unknown) => (sign * (value as number)).toFixed(2)
  return items.map((item) => `${amount(item.amount_currency)} ${amount(item.balance)}`).sort()
}

test('account.move.reversal: a credit note has the amounts of its document in both currencies', async () => {
  const currency = await ledger.make('res.currency', { name: 'QRV', symbol: 'Q', rounding: 0.01 })
  await ledger.make('res.currency.rate', { currency_id: currency, name: '2025-01-01', rate })
  await ledger.make('res.currency.rate', { currency_id: currency, name: '2026-01-01', rate: 1.3271 })
  const partner = await ledger.make('res.partner', { name: 'Abroad' })
  const [drawn = []] = fc.sample(documents, { numRuns: 1, seed: 50 })
  const invoices = await ledger.makeAll(
    'account.move',
    drawn.map(({ lines, isRedated }) => ({
      move_type: 'out_invoice',
      partner_id: partner,
      currency_id: currency,
      invoice_date: isRedated ? false : day,
      invoice_line_ids: lines.map((vals) => [0, 0, { name: 'Line', ...vals }]),
    })),
  )
  const redated = invoices.filter((_, i) => drawn[i]?.isRedated)
  await ledger.ask('account.move/write', { ids: redated, vals: { invoice_date: day } })
  await ledger.ask('account.move/action_post', { ids: invoices })
  const context = { active_model: 'account.move', active_ids: invoices }
  const [form] = await ledger.ask<number[]>('account.move.reversal/create', {
    vals_list: [{ date: day }],
    context,
  })
  await ledger.ask('account.move.reversal/refund_moves', { ids: [form], context })
  const domain = [['reversed_entry_id', 'in', invoices]]
  const notes = await ledger.search('account.move', domain, ['reversed_entry_id'])
  assert.equal(notes.length, invoices.length)
  await ledger.ask('account.move/action_post', { ids: notes.map(({ id }) => id) })
  for (const { id, reversed_entry_id: invoice } of notes)
    assert.deepEqual(await amountsOf(id, -1), await amountsOf(invoice, 1))
  const open = [
    ['id', 'in', invoices],
    ['payment_state', '!=', 'reversed'],
  ]
  assert.deepEqual(await ledger.search('account.move', open, ['payment_state']), [])
})

test('account.move.reversal: coins round the same tax at a rate by which two taxes come to one amount', async () => {
  const currency = await ledger.make('res.currency', { name: 'QTI', symbol: 'q', rounding: 0.01 })
  await ledger.makeAll('res.currency.rate', [
    { currency_id: currency, name: '2025-01-01', rate: 1000 },
    { currency_id: currency, name: '2025-06-01', rate: 1 },
  ])
  const taxes = await ledger.makeAll('account.tax', [
    { name: 'Ten', amount: 10 },
    { name: 'Eleven', amount: 11 },
  ])
  const coins = { name: 'Fives', rounding: 5, rounding_method: 'DOWN', strategy: 'biggest_tax' }
  const invoice = await ledger.make('account.move', {
    move_type: 'out_invoice',
    partner_id: await ledger.make('res.partner', { name: 'Coins' }),
    currency_id: currency,
    invoice_date: day,
    invoice_cash_rounding_id: await ledger.make('account.cash.rounding', coins),
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 100, tax_ids: [[6, 0, taxes]] }]],
  })
  await ledger.ask('account.move/action_post', { ids: [invoice] })
  const ids = await ledger.ask('account.move.reversal/create', {
    vals_list: [{ date: '2025-06-15' }],
    context: { active_model: 'account.move', active_ids: [invoice] },
  })
  const { res_id } = (await ledger.ask('account.move.reversal/refund_moves', { ids })) as { res_id: number }
  const roundings = await ledger.search(
    'account.move.line',
    [
      ['move_id', 'in', [invoice, res_id]],
      ['display_type', '=', 'rounding'],
    ],
    ['tax_line_id', 'amount_currency'],
  )
  assert.deepEqual(
    roundings.map(({ tax_line_id, amount_currency }) => [tax_line_id, Math.abs(amount_currency as number)]),
    [
      [taxes[1], 1],
      [taxes[1], 1],
    ],
  )
})
