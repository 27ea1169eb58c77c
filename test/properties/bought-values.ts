// Random stories of goods that are bought: received, billed, refunded, returned; prices, quantities and bills
// are corrected at any time. The value of each receipt follows from the documents as they are at the end.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { doneMoves } from '../../src/modules/stock/engine.ts'
import type { Buying } from '../support/buying.ts'

const quantity = fc.integer({ min: 1, max: 12 })
const price = fc.integer({ min: 1, max: 4000 }).map((n) => n / 100)
const anyStep = fc.record({
  kind: fc.constantFrom(
    ...(['receive', 'receive', 'receive', 'bill', 'bill', 'refund', 'return'] as const),
    ...(['correct', 'correct', 'price', 'draft', 'post', 'cancel'] as const),
  ),
  quantity,
  price,
  at: fc.nat({ max: 6 }),
})
export const anyStory = fc.record({
  method: fc.constantFrom('standard', 'average', 'fifo'),
  price,
  steps: fc.array(anyStep, { minLength: 3, maxLength: 10 }),
})
export type Story = typeof anyStory extends fc.Arbitrary<infer T> ? T : never
type Step = Story['steps'][number]

interface Moved {
  readonly id: number
  readonly back: boolean
  quantity: number
}
interface Billed {
  readonly id: number
  readonly sign: 1 | -1
  readonly quantity: number
  readonly amount: number
  state: 'draft' | 'posted' | 'cancel'
}

class Purchase {
  readonly shop: Buying
  readonly product: number
  readonly partner: number
  readonly line: number
  readonly places: readonly [vendor: number, stock: number]
  readonly moves: Moved[] = []
  readonly bills: Billed[] = []
  price: number

  constructor(
    shop: Buying,
    ids: readonly [product: number, partner: number, line: number],
    places: readonly [number, number],
    price: number,
  ) {
    this.shop = shop
    ;[this.product, this.partner, this.line] = ids
    this.places = places
    this.price = price
  }

  async move(back: boolean, quantity: number): Promise<void> {
    const [vendor, stock] = this.places
    const id = await this.shop.run(async (env) => {
      const vals = {
        product_id: this.product,
        purchase_line_id: this.line,
        product_uom_qty: quantity,
        quantity,
        picked: true,
        location_id: back ? stock : vendor,
        location_dest_id: back ? vendor : stock,
      }
      const [move] = (await env.model('stock.move').create([vals as object])).ids as [number]
      await doneMoves(env, [move])
      return move
    })
    this.moves.push({ id, back, quantity })
  }

  async bill(sign: 1 | -1, { quantity, price: price_unit }: Step): Promise<void> {
    const { product: product_id, partner: partner_id, line: purchase_line_id } = this
    const id = await this.shop.make('account.move', {
      move_type: sign > 0 ? 'in_invoice' : 'in_refund',
      partner_id,
      invoice_date: '2026-01-05',
      invoice_line_ids: [[0, 0, { product_id, purchase_line_id, quantity, price_unit, tax_ids: [[5]] }]],
    })
    await this.shop.ask('account.move/action_post', { ids: [id] })
    this.bills.push({
      id,
      sign,
      quantity,
      amount: Math.round(quantity * price_unit * 100) / 100,
      state: 'posted',
    })
  }

  async restate({ at }: Step, kind: 'draft' | 'post' | 'cancel'): Promise<void> {
    const bill = this.bills[at % Math.max(1, this.bills.length)]
    const from = { draft: ['posted', 'cancel'], post: ['draft'], cancel: ['draft', 'posted'] }[kind]
    if (!bill || !from.includes(bill.state)) return
    const method = { draft: 'button_draft', post: 'action_post', cancel: 'button_cancel' }[kind]
    await this.shop.ask(`account.move/${method}`, { ids: [bill.id] })
    bill.state = ({ draft: 'draft', post: 'posted', cancel: 'cancel' } as const)[kind]
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'receive') return this.move(false, step.quantity)
    if (step.kind === 'return') return this.move(true, step.quantity)
    if (step.kind === 'bill') return this.bill(1, step)
    if (step.kind === 'refund') return this.bill(-1, step)
    if (step.kind === 'price') {
      this.price = step.price
      await this.shop.ask('purchase.order.line/write', { ids: [this.line], vals: { price_unit: step.price } })
      return
    }
    if (step.kind !== 'correct') return this.restate(step, step.kind)
    const moved = this.moves[step.at % Math.max(1, this.moves.length)]
    if (!moved) return
    moved.quantity = step.quantity
    await this.shop.ask('stock.move/write', { ids: [moved.id], vals: { quantity: step.quantity } })
  }

  /** The values of receipts: as billed, the first first, and the rest at the price of the line. */
  values(): number[] {
    const posted = this.bills.filter(({ state }) => state === 'posted')
    const billed = posted.reduce((sum, bill) => sum + bill.sign * bill.quantity, 0)
    const amount = posted.reduce((sum, bill) => sum + bill.sign * bill.amount, 0)
    let earlier = 0
    return this.moves.flatMap(({ back, quantity }) => {
      const left = billed > 0 ? Math.max(0, billed - earlier) : 0
      earlier += back ? -quantity : quantity
      const covered = Math.min(quantity, left)
      const value = (covered > 0 ? (amount * covered) / billed : 0) + (quantity - covered) * this.price
      return back ? [] : [value]
    })
  }
}

export async function openCategories(shop: Buying): Promise<Readonly<Record<Story['method'], number>>> {
  const [standard, average, fifo] = (await shop.makeAll(
    'product.category',
    ['standard', 'average', 'fifo'].map((name) => ({ name, property_cost_method: name })),
  )) as [number, number, number]
  return { standard, average, fifo }
}

/** Carries out a story, and compares receipts with their documents, and goods on hand with their cost. */
export async function buy(shop: Buying, categ_id: number, story: Story): Promise<void> {
  const product = await shop.make('product.product', {
    name: 'Bought',
    is_storable: true,
    categ_id,
    standard_price: 3,
  })
  const partner = await shop.make('res.partner', { name: 'Vendor' })
  const order = await shop.make('purchase.order', {
    partner_id: partner,
    order_line: [[0, 0, { product_id: product, product_qty: 500, price_unit: story.price, tax_ids: [[5]] }]],
  })
  await shop.ask('purchase.order/button_confirm', { ids: [order] })
  const [line] = (await shop.linesOf(order, ['price_unit'])) as [{ id: number }]
  const places = await shop.run(
    async (env) =>
      [await env.ref('stock.stock_location_suppliers'), await env.ref('stock.stock_location_stock')] as const,
  )
  const purchase = new Purchase(shop, [product, partner, line.id], places, story.price)
  for (const step of story.steps) await purchase.take(step)
  const rows = await shop.ask<{ value: number }[]>('stock.move/read', {
    ids: purchase.moves.filter(({ back }) => !back).map(({ id }) => id),
    fields: ['value'],
  })
  const expected = purchase.values()
  for (const [i, { value }] of rows.entries())
    assert.ok(Math.abs(value - (expected[i] ?? 0)) < 0.0051, `receipt ${i}: ${value}, not ${expected[i]}`)
  const fields = ['total_value', 'standard_price', 'qty_available']
  const now = (await shop.read('product.product', product, fields)) as Record<string, number>
  const [then] = await shop.ask<Record<string, number>[]>('product.product/read', {
    ids: [product],
    fields,
    context: { to_date: '2100-01-01' },
  })
  assert.ok(Math.abs((then?.total_value ?? 0) - (now.total_value ?? 0)) < 0.0051, 'at the end of time, now')
  const hand = (now.qty_available ?? 0) * (now.standard_price ?? 0)
  if (story.method !== 'fifo' || hand > 0)
    assert.ok(Math.abs((now.total_value ?? 0) - hand) < 0.0051, `${now.total_value} on hand at ${hand}`)
}
