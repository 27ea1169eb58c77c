// Days at a till: orders with discounts, taxes, several payments and customers, sent again, refunded, and the
// session closed.
import { Random } from '../../fuzz/random.ts'
import { type Client, clientOf } from '../client.ts'
import type { Phase } from '../phase.ts'

const ORDERS = 60
const cashier = { as: 'cashier' }

interface Shop {
  readonly session: number
  readonly products: readonly number[]
  readonly methods: readonly number[]
  readonly customers: readonly number[]
  /** A tax of 15 percent on top of the price. */
  readonly tax: number
}

export const tills: Phase = {
  name: 'tills',
  about: 'days at a till, sent in batches and again',
  ids: 'exact',
  repeats: true,
  async play(side, { seed, share, round }) {
    const client = await clientOf(side, { lane: 0 })
    const random = new Random(seed * 7919 + round)
    const shop = await openShop(client)
    const count = Math.ceil(ORDERS * share)
    const orders = Array.from({ length: count }, (_, n) => orderOf(random, shop, round * 1000 + n + 1))
    for (let i = 0; i < orders.length; ) {
      const batch = orders.slice(i, i + 1 + random.below(6))
      i += batch.length
      await sync(client, batch)
      if (random.chance(0.2)) await sync(client, batch)
    }
    await refund(client, shop, random)
    await readBack(client, shop)
    await client.call('pos.session/close_session_from_ui', { ids: [shop.session] }, cashier)
    await readBack(client, shop)
  },
}

export async function openShop(client: Client): Promise<Shop> {
  const config = await client.ref('point_of_sale.pos_config_main')
  await client.call('pos.config/open_ui', { ids: [config] }, cashier)
  const [opened] = await client.ask<{ current_session_id: number }[]>('pos.config/read', {
    ids: [config],
    fields: ['current_session_id'],
    load: null,
  })
  const session = opened?.current_session_id ?? 0
  await client.call(
    'pos.session/set_opening_control',
    { ids: [session], cashbox_value: 50, notes: '' },
    cashier,
  )
  const paid = await client.ask<{ id: number; type: string }[]>('pos.payment.method/search_read', {
    domain: [['config_ids', '=', config]],
    fields: ['type'],
    order: 'id',
  })
  const methods = paid.filter(({ type }) => type !== 'pay_later').map(({ id }) => id)
  const find = (model: string, domain: unknown[], limit: number) =>
    client.ask<number[]>(`${model}/search`, { domain, limit, order: 'id' })
  const products = await find('product.product', [['default_code', 'like', 'G']], 12)
  const customers = await find('res.partner', [['name', 'like', 'Company']], 5)
  return { session, products, methods, customers, tax: await client.ref('account.1_sale_tax_template') }
}

const cents = (amount: number): number => Math.round(amount * 100) / 100

/** An order as a till sends it; `n` makes its references. */
export function orderOf(random: Random, shop: Shop, n: number): Record<string, unknown> {
  const lines = Array.from({ length: 1 + random.below(4) }, (_, i) => {
    const [qty, price] = [1 + random.below(3), random.below(5000) / 100 + 0.5]
    const [discount, isTaxed] = [random.pick([0, 0, 10, 33]), random.chance(0.5)]
    const net = cents(qty * price * (1 - discount / 100))
    return {
      uuid: `line-${n}-${i}`,
      product_id: random.pick(shop.products),
      qty,
      price_unit: price,
      discount,
      tax_ids: [[6, 0, isTaxed ? [shop.tax] : []]],
      price_subtotal: net,
      price_subtotal_incl: isTaxed ? cents(net * 1.15) : net,
    }
  })
  const total = cents(lines.reduce((sum, line) => sum + line.price_subtotal_incl, 0))
  const first = random.chance(0.3) ? cents(total / 2) : total
  const amounts = first === total ? [total] : [first, cents(total - first)]
  return {
    uuid: `order-${n}`,
    pos_reference: `26-1-${String(n).padStart(6, '0')}`,
    sequence_number: n,
    session_id: shop.session,
    state: 'paid',
    date_order: '2026-05-05 10:00:00',
    partner_id: random.chance(0.5) ? random.pick(shop.customers) : false,
    to_invoice: false,
    amount_tax: cents(lines.reduce((sum, line) => sum + line.price_subtotal_incl - line.price_subtotal, 0)),
    amount_return: 0,
    amount_total: total,
    amount_paid: total,
    lines: lines.map((line) => [0, 0, line]),
    payment_ids: amounts.map((amount, i) => [
      0,
      0,
      { uuid: `payment-${n}-${i}`, payment_method_id: random.pick(shop.methods), amount },
    ]),
  }
}

export const sync = (client: Client, orders: readonly object[]) =>
  client.call('pos.order/sync_from_ui', { orders }, cashier)

async function refund(client: Client, { session }: Shop, random: Random): Promise<void> {
  const ids = await client.ask<number[]>('pos.order/search', {
    domain: [['session_id', '=', session]],
    order: 'id',
  })
  for (const id of random.some(ids, 3)) await client.call('pos.order/refund', { ids: [id] }, cashier)
}

async function readBack(client: Client, { session }: Shop): Promise<void> {
  const domain = [['session_id', '=', session]]
  await client.call('pos.order/search_read', { domain, limit: 200 })
  await client.call('pos.order/formatted_read_group', {
    domain,
    groupby: ['state'],
    aggregates: ['__count', 'amount_total:sum', 'amount_tax:sum'],
  })
  await client.call('pos.session/read', { ids: [session] })
}
