// Growth of work with the lines of a document: twice as many lines enter about twice as many functions,
// including those of libraries. Counts do not depend on the machine.
// Own process: calls are counted for the whole process.
// Begins first: it takes 9 s.
import assert from 'node:assert/strict'
import { Session } from 'node:inspector/promises'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import type { Shop } from '../hostile/attack.ts'
import { shopOf } from '../hostile/shop.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

/** Lines of documents; each is twice the one before. */
const SIZES = [100, 200, 400] as const
/** The second step over the first: two where work grows with the lines, four where with their square. */
const MOST = 2.7

const session = new Session()
let held: TestDatabase
let shop: Shop

before(async () => {
  held = await openTestDatabase(modules)
  shop = (await held.run(shopOf)).shop
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})
after(async () => {
  session.disconnect()
  await held?.close()
})

/** Functions that are entered while `work` runs. */
async function entriesOf(work: () => Promise<unknown>): Promise<number> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  let entries = 0
  for (const { url, functions } of result)
    if (url.startsWith('file:')) for (const { ranges } of functions) entries += ranges[0]?.count ?? 0
  return entries
}

type Steps = Readonly<
  Record<string, (env: Environment, before: readonly number[]) => Promise<readonly number[]>>
>

const good = (at: number) => shop.products[at % shop.products.length] as number
const times = <T>(n: number, of: (at: number) => T): T[] => Array.from({ length: n }, (_, at) => of(at))
const make = async (env: Environment, model: string, vals: object) =>
  (await env.model(model as never).create([vals as never])).ids
const does =
  (model: string, method: string, named: object = {}) =>
  async (env: Environment, ids: readonly number[]) => {
    await env
      .model(model as never)
      .browse(ids)
      .invoke(method, named as never)
    return ids
  }

/** Stories of a document with so many lines, each step by what the one before left. */
const stories: Readonly<Record<string, (n: number, round: number) => Steps>> = {
  invoice: (n) => ({
    create: (env) =>
      make(env, 'account.move', {
        move_type: 'out_invoice',
        partner_id: 1,
        invoice_line_ids: times(n, (at) => [0, 0, { product_id: good(at), quantity: 1, price_unit: at }]),
      }),
    post: does('account.move', 'action_post'),
    'back to a draft': does('account.move', 'button_draft'),
    copy: async (env, ids) => (await env.model('account.move').browse(ids).copy()).ids,
  }),
  order: (n) => ({
    create: (env) =>
      make(env, 'sale.order', {
        partner_id: 1,
        order_line: times(n, (at) => [0, 0, { product_id: good(at), product_uom_qty: 1 }]),
      }),
    'new prices of all lines': async (env, ids) => {
      const lines = await env.model('sale.order.line').search([['order_id', 'in', [...ids]]])
      await lines.write({ price_unit: 5 } as never)
      return ids
    },
    confirm: does('sale.order', 'action_confirm'),
    deliver: async (env, ids) => {
      const pickings = await env.model('stock.picking').search([['sale_id', 'in', [...ids]]] as never)
      const moves = await env.model('stock.move').search([['picking_id', 'in', [...pickings.ids]]])
      await moves.write({ quantity: 1, picked: true } as never)
      await pickings.invoke('button_validate', {})
      return ids
    },
    copy: async (env, ids) => (await env.model('sale.order').browse(ids).copy()).ids,
  }),
  purchase: (n) => ({
    create: (env) =>
      make(env, 'purchase.order', {
        partner_id: 1,
        order_line: times(n, (at) => [0, 0, { product_id: good(at), product_qty: 1, price_unit: at }]),
      }),
    confirm: does('purchase.order', 'button_confirm'),
  }),
  till: (n, round) => ({
    sync: async (env) => {
      const lines = times(n, (at) => [
        0,
        0,
        {
          uuid: `line-${round}-${at}`,
          product_id: good(at),
          qty: 1,
          price_unit: 1,
          tax_ids: [[6, 0, []]],
          price_subtotal: 1,
          price_subtotal_incl: 1,
        },
      ])
      await env.model('pos.order').invoke('sync_from_ui', {
        orders: [
          {
            uuid: `order-${round}`,
            session_id: shop.session,
            state: 'paid',
            amount_total: n,
            amount_tax: 0,
            amount_return: 0,
            amount_paid: n,
            lines,
            payment_ids: [[0, 0, { payment_method_id: shop.method, amount: n }]],
          },
        ],
      } as never)
      return []
    },
  }),
  contacts: (n) => ({
    create: async (env) =>
      (await env.model('res.partner').create(times(n, (at) => ({ name: `Contact ${at}` })) as never)).ids,
    write: async (env, ids) => {
      await env
        .model('res.partner')
        .browse(ids)
        .write({ city: 'Namur', country_id: 20 } as never)
      return ids
    },
    copy: async (env, ids) => (await env.model('res.partner').browse(ids).copy()).ids,
    unlink: async (env, ids) => {
      await env.model('res.partner').browse(ids).unlink()
      return []
    },
  }),
}

for (const [name, steps] of Object.entries(stories))
  test(`${name}: work grows with the lines, not with their square`, async () => {
    const counts = new Map<string, number[]>()
    // The first round makes the plans.
    for (const [round, n] of [SIZES[0], ...SIZES].entries()) {
      let ids: readonly number[] = []
      for (const [step, work] of Object.entries(steps(n, round))) {
        const entries = await entriesOf(async () => {
          ids = await held.run((env) => work(env, ids))
        })
        if (round) counts.set(step, [...(counts.get(step) ?? []), entries])
      }
    }
    const steep = [...counts].filter(
      ([, [a = 0, b = 0, c = 0]]) =>
        // Work that runs once for any number of lines may hide the first step.
        c - b > MOST * Math.max(b - a, b / 2),
    )
    assert.deepEqual(steep, [])
  })
