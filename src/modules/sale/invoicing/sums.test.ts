// Invariants of invoicing, over random orders: deposits and the final invoice come to the order, however it
// is split, and a full credit note is its invoice, line by line. COMPTOIR_TEST_ORDERS says over how many.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ordering, type Row } from '../../../../test/support/ordering.ts'
import { openSelling, type Selling } from '../../../../test/support/selling.ts'

const ORDERS = Number(process.env.COMPTOIR_TEST_ORDERS ?? 4)

let shop: Selling
let product: number
let customer: number
let taxes: readonly number[]
before(async () => {
  shop = await openSelling()
  customer = await make('res.partner', { name: 'Customer' })
  product = await make('product.product', { name: 'Hour', type: 'service', list_price: 10, taxes_id: [[5]] })
  taxes = await makeAll('account.tax', [
    { name: 'Sum 21', amount: 21 },
    { name: 'Sum 7.7', amount: 7.7 },
    { name: 'Sum 6 within', amount: 6, price_include_override: 'tax_included' },
    { name: 'Sum base', amount: 4, include_base_amount: true, sequence: 0 },
    { name: 'Sum piece', amount: 0.35, amount_type: 'fixed' },
  ])
})
after(() => shop?.close())

const { make, makeAll } = ordering(() => shop)

const decimal = (min: number, max: number, places: number) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)

const anyOrder = fc.record({
  method: fc.constantFrom('round_globally' as const, 'round_per_line' as const),
  lines: fc.array(
    fc.record({
      price_unit: decimal(1, 900, 2),
      product_uom_qty: decimal(1, 12, 2),
      discount: fc.oneof(fc.constant(0), decimal(0, 60, 2)),
      taxes: fc.subarray([0, 1, 2, 3, 4], { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  /** Deposits, as parts of what the order comes to; in per cent, or as amounts to the cent. */
  deposits: fc.array(fc.record({ share: decimal(1, 30, 2), fixed: fc.boolean() }), { maxLength: 3 }),
})

const figures = ['amount_untaxed', 'amount_tax', 'amount_total'] as const
const lineFigures = [
  'display_type',
  'quantity',
  'price_unit',
  'discount',
  'price_subtotal',
  'price_total',
] as const

async function ordered(lines: readonly object[]): Promise<{ id: number; order: Row }> {
  const id = await make('sale.order', {
    partner_id: customer,
    order_line: lines.map((line) => [0, 0, line]),
  })
  await shop.ask('sale.order/action_confirm', { ids: [id] })
  const [order] = await shop.ask<Row[]>('sale.order/read', { ids: [id], fields: figures })
  return { id, order: order as Row }
}

async function bill(order: number, vals: object): Promise<void> {
  const form = await make('sale.advance.payment.inv', { sale_order_ids: [[6, 0, [order]]], ...vals })
  await shop.ask('sale.advance.payment.inv/create_invoices', { ids: [form] })
  const drafts = await shop.ask<number[]>('account.move/search', {
    domain: [
      ['line_ids.sale_line_ids.order_id', '=', order],
      ['state', '=', 'draft'],
    ],
  })
  await shop.ask('account.move/action_post', { ids: drafts })
}

const rowsOf = async (moves: readonly number[]) =>
  (
    await shop.ask<Row[]>('account.move.line/search_read', {
      domain: [
        ['move_id', 'in', moves],
        ['display_type', 'in', ['product', 'line_section', 'line_note']],
      ],
      fields: [...lineFigures, 'tax_ids'],
      order: 'move_id, sequence, id',
    })
  ).map((row) => [...lineFigures.map((field) => row[field]), row.tax_ids])

async function credited(invoice: number): Promise<number> {
  const form = await make('account.move.reversal', { move_ids: [[6, 0, [invoice]]] })
  await shop.ask('account.move.reversal/refund_moves', { ids: [form] })
  const [note] = await shop.ask<number[]>('account.move/search', {
    domain: [['reversed_entry_id', '=', invoice]],
  })
  await shop.ask('account.move/action_post', { ids: [note] })
  return note as number
}

test('deposits and the final invoice come to the order; full credit notes are their invoices', () =>
  fc.assert(
    fc.asyncProperty(anyOrder, async ({ method, lines, deposits }) => {
      await shop.run(async (env) =>
        env.model('res.company').browse([env.companyId]).write({ tax_calculation_rounding_method: method }),
      )
      const { id, order } = await ordered(
        lines.map(({ taxes: own, ...line }) => ({
          ...line,
          product_id: product,
          tax_ids: [[6, 0, own.map((at) => taxes[at])]],
        })),
      )
      for (const { share, fixed } of deposits) {
        const fixed_amount = Number((((order.amount_total as number) * share) / 100).toFixed(2))
        if (fixed && fixed_amount > 0) await bill(id, { advance_payment_method: 'fixed', fixed_amount })
        else await bill(id, { advance_payment_method: 'percentage', amount: share })
      }
      await bill(id, { advance_payment_method: 'delivered' })
      const [{ invoice_ids: invoices }] = (await shop.ask<Row[]>('sale.order/read', {
        ids: [id],
        fields: ['invoice_ids'],
      })) as [{ invoice_ids: number[] }]
      const signed = ['amount_untaxed_signed', 'amount_tax_signed', 'amount_total_signed']
      const documents = await shop.ask<Row[]>('account.move/read', { ids: invoices, fields: signed })
      assert.deepEqual(
        signed.map((field) =>
          Number(documents.reduce((sum, one) => sum + (one[field] as number), 0).toFixed(2)),
        ),
        figures.map((field) => order[field]),
      )
      for (const invoice of invoices) {
        const note = await credited(invoice)
        assert.deepEqual(await rowsOf([note]), await rowsOf([invoice]))
        const both = await shop.ask<Row[]>('account.move/read', { ids: [invoice, note], fields: figures })
        assert.deepEqual(
          figures.map((field) => both[0]?.[field]),
          figures.map((field) => both[1]?.[field]),
        )
      }
    }),
    { numRuns: ORDERS, ...(ORDERS < 100 ? { seed: 50 } : {}) },
  ))
