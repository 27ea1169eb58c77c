// Bookkeeping: invoices, bills and credit notes with random lines; posted, paid, reset and reversed.
import { Random } from '../../fuzz/random.ts'
import { type Client, clientOf } from '../client.ts'
import type { Phase } from '../phase.ts'

const DOCUMENTS = 40
const TYPES = ['out_invoice', 'out_invoice', 'in_invoice', 'out_refund', 'in_refund'] as const
const FIELDS = [
  'name',
  'state',
  'payment_state',
  'amount_untaxed',
  'amount_tax',
  'amount_total',
  'amount_residual',
]

interface Masters {
  readonly partners: readonly number[]
  readonly products: readonly number[]
  readonly taxes: readonly number[]
  readonly terms: readonly number[]
}

export const books: Phase = {
  name: 'books',
  about: 'random invoices, bills and credit notes, payments and corrections',
  ids: 'exact',
  repeats: true,
  async play(side, { seed, share, round }) {
    const client = await clientOf(side, { lane: 0 })
    const random = new Random(seed * 104_729 + round)
    const masters = await mastersOf(client)
    for (let n = 0; n < Math.ceil(DOCUMENTS * share); n++) await keepBooks(client, random, masters)
    await readBack(client)
  },
}

async function mastersOf(client: Client): Promise<Masters> {
  const find = (model: string, domain: unknown[]) =>
    client.ask<number[]>(`${model}/search`, { domain, limit: 6, order: 'id' })
  const tax = { name: 'Included 6%', amount: 6, price_include_override: 'tax_included', type_tax_use: 'sale' }
  await client.call('account.tax/create', { vals_list: [tax] })
  return {
    partners: await find('res.partner', [['name', 'like', 'Company']]),
    products: await find('product.product', [['default_code', 'like', 'G']]),
    taxes: await find('account.tax', [['type_tax_use', '=', 'sale']]),
    terms: await find('account.payment.term', []),
  }
}

/** One document and what becomes of it. Refusals are answers too. */
async function keepBooks(client: Client, random: Random, masters: Masters): Promise<void> {
  const move_type = random.pick(TYPES)
  const line = () => [
    0,
    0,
    {
      product_id: random.pick(masters.products),
      quantity: random.pick([1, 2, 3, 0.333, 12]),
      price_unit: random.below(100_000) / 1000,
      discount: random.pick([0, 0, 0, 12.5, 33.33]),
      ...(random.chance(0.6) ? { tax_ids: [[6, 0, random.some(masters.taxes, 2)]] } : {}),
    },
  ]
  const vals = {
    move_type,
    partner_id: random.pick(masters.partners),
    invoice_date: `2026-0${1 + random.below(9)}-${10 + random.below(18)}`,
    ...(random.chance(0.4) ? { invoice_payment_term_id: random.pick([...masters.terms, false]) } : {}),
    ...(move_type.startsWith('in') ? { ref: `bill ${random.below(1e9)}` } : {}),
    invoice_line_ids: Array.from({ length: 1 + random.below(4) }, line),
  }
  const move = await client.call('account.move/create', { vals_list: [vals] })
  if (move.status !== 200) return
  const ids = move.body as number[]
  if (random.chance(0.2)) await client.call('account.move/write', { ids, vals: { narration: '<p>note</p>' } })
  await client.call('account.move/action_post', { ids })
  await client.call('account.move/read', { ids, fields: FIELDS })
  const what = random.next()
  if (what < 0.5) await pay(client, ids, random)
  else if (what < 0.6) await client.call('account.move/button_draft', { ids })
  else if (what < 0.7) await reverse(client, ids)
  else if (what < 0.75) await client.call('account.move/unlink', { ids })
  await client.call('account.move/read', { ids, fields: FIELDS })
}

async function pay(client: Client, ids: readonly number[], random: Random): Promise<void> {
  const context = { active_model: 'account.move', active_ids: ids }
  const vals = random.chance(0.3) ? { amount: random.below(10_000) / 100 + 0.01 } : {}
  const register = await client.call('account.payment.register/create', { vals_list: [vals], context })
  if (register.status === 200)
    await client.call('account.payment.register/action_create_payments', { ids: register.body, context })
}

async function reverse(client: Client, ids: readonly number[]): Promise<void> {
  const context = { active_model: 'account.move', active_ids: ids }
  const reversal = await client.call('account.move.reversal/create', {
    vals_list: [{ reason: 'wrong' }],
    context,
  })
  if (reversal.status === 200)
    await client.call('account.move.reversal/refund_moves', { ids: reversal.body, context })
}

async function readBack(client: Client): Promise<void> {
  await client.call('account.move/search_read', { domain: [], fields: FIELDS, limit: 300 })
  await client.call('account.move.line/formatted_read_group', {
    domain: [['parent_state', '=', 'posted']],
    groupby: ['account_id'],
    aggregates: ['__count', 'debit:sum', 'credit:sum', 'balance:sum'],
  })
}
