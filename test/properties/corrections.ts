// Random stories of values of goods: they are received, delivered, counted, returned and scrapped, their cost
// is set, and quantities of done moves are corrected. Each happens with the right quantities, and with wrong
// ones that are corrected in any order.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { doneMoves } from '../../src/modules/stock/engine.ts'
import type { Office } from '../support/office.ts'

type Row = Record<string, unknown>

const quantity = fc.integer({ min: 1, max: 40 })
const cents = fc.integer({ min: 1, max: 3000 }).map((n) => n / 100)
const anyMove = fc.record({
  kind: fc.constantFrom(
    ...([
      'receive',
      'receive',
      'receive',
      'deliver',
      'deliver',
      'deliver',
      'add',
      'scrap',
      'return',
    ] as const),
  ),
  quantity,
  /** The quantity typed at first; null for the right one. */
  wrong: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 2 }),
  price: cents,
  /** The delivery that comes back, in the list of them. */
  at: fc.nat({ max: 5 }),
})
const anyCost = fc.record({ kind: fc.constant('cost' as const), price: cents })

export const anyStory = fc.record({
  method: fc.constantFrom('standard', 'average', 'fifo'),
  cost: cents,
  steps: fc.array(fc.oneof({ weight: 8, arbitrary: anyMove }, { weight: 1, arbitrary: anyCost }), {
    minLength: 2,
    maxLength: 9,
  }),
  order: fc.array(fc.nat({ max: 100 }), { minLength: 9, maxLength: 9 }),
})
export type Story = typeof anyStory extends fc.Arbitrary<infer T> ? T : never
type Step = Story['steps'][number]
type MoveStep = Exclude<Step, { kind: 'cost' }>

export interface Store {
  readonly shop: Office<never>
  readonly places: Readonly<Record<'stock' | 'customers' | 'suppliers' | 'scrap' | 'loss', number>>
  readonly categories: Readonly<Record<Story['method'], number>>
}

async function call<T>({ shop }: Pick<Store, 'shop'>, path: string, body: object): Promise<T> {
  const { status, body: answer } = await shop.call('admin', path, body)
  assert.equal(status, 200, `${path}: ${status} ${JSON.stringify(answer)}`)
  return answer as T
}

export async function openStore(shop: Office<never>): Promise<Store> {
  const places = await shop.run(async (env) => {
    const losses = await env.model('stock.location').search([['usage', '=', 'inventory']], { limit: 2 })
    return {
      stock: await env.ref('stock.stock_location_stock'),
      customers: await env.ref('stock.stock_location_customers'),
      suppliers: await env.ref('stock.stock_location_suppliers'),
      scrap: losses.ids.at(-1) as number,
      loss: losses.ids[0] as number,
    }
  })
  const methods = ['standard', 'average', 'fifo'] as const
  const ids = await call<number[]>({ shop }, 'product.category/create', {
    vals_list: methods.map((name) => ({ name, property_cost_method: name })),
  })
  return {
    shop,
    places,
    categories: Object.fromEntries(methods.map((method, i) => [method, ids[i]])) as Store['categories'],
  }
}

const dayOf = (step: number) => `2026-03-${String(step + 1).padStart(2, '0')} 12:00:00`

/** A story that is under way: its product, and its moves so far, by step. */
class Telling {
  readonly store: Store
  readonly product: number
  readonly moves = new Map<number, number>()
  readonly deliveries: number[] = []

  constructor(store: Store, product: number) {
    this.store = store
    this.product = product
  }

  /** Each step has a day of its own. */
  async tell(step: Step, place: number, early: boolean): Promise<void> {
    if (step.kind === 'cost') {
      await call(this.store, 'product.product/write', {
        ids: [this.product],
        vals: { standard_price: step.price },
      })
      await this.store.shop.run(async (env) => {
        const values = await env
          .model('product.value')
          .search([['product_id', '=', this.product]], { order: 'id' })
        const dated = await values.load(['date'])
        const fresh = dated.filter(({ date }) => !date.startsWith('2026-03')).map(({ id }) => id)
        if (fresh.length) await values.browse(fresh).write({ date: dayOf(place) })
      })
      return
    }
    const quantity = early ? (step.wrong ?? step.quantity) : step.quantity
    const vals = this.valsOf(step, quantity)
    const id = await this.store.shop.run(async (env) => {
      const [move] = (await env.model('stock.move').create([vals as object])).ids as [number]
      await doneMoves(env, [move])
      const lines = await env.model('stock.move.line').search([['move_id', '=', move]])
      await env
        .model('stock.move')
        .browse([move])
        .write({ date: dayOf(place) })
      await lines.write({ date: dayOf(place) })
      return move
    })
    this.moves.set(place, id)
    if (step.kind === 'deliver') this.deliveries.push(id)
  }

  private valsOf(step: MoveStep, quantity: number): object {
    const { stock, customers, suppliers, scrap, loss } = this.store.places
    const origin = this.deliveries[step.at % Math.max(1, this.deliveries.length)]
    const [location_id, location_dest_id] = {
      receive: [suppliers, stock],
      deliver: [stock, customers],
      add: [loss, stock],
      scrap: [stock, scrap],
      return: [customers, stock],
    }[step.kind]
    return {
      product_id: this.product,
      product_uom_qty: quantity,
      quantity,
      picked: true,
      location_id,
      location_dest_id,
      ...(step.kind === 'receive' ? { price_unit: step.price } : {}),
      ...(step.kind === 'return' && origin ? { origin_returned_move_id: origin } : {}),
    }
  }

  /** Corrects a quantity on the move or on its lines, over nothing if `byZero`. */
  async correct(place: number, quantity: number, byZero: boolean): Promise<void> {
    const ids = [this.moves.get(place)]
    if (byZero) await call(this.store, 'stock.move/write', { ids, vals: { quantity: 0 } })
    if (byZero || place % 2)
      return void (await call(this.store, 'stock.move/write', { ids, vals: { quantity } }))
    const [first, ...others] = await call<number[]>(this.store, 'stock.move.line/search', {
      domain: [['move_id', 'in', ids]],
    })
    await call(this.store, 'stock.move.line/write', { ids: [first], vals: { quantity } })
    if (others.length) await call(this.store, 'stock.move.line/write', { ids: others, vals: { quantity: 0 } })
  }

  async standing(days: number): Promise<object> {
    const moves = await call<Row[]>(this.store, 'stock.move/read', {
      ids: [...this.moves.values()],
      fields: ['quantity', 'valued_qty', 'value', 'value_change', 'remaining_qty', 'remaining_value'],
    })
    const at = async (to_date?: string) => {
      const [row] = await call<Row[]>(this.store, 'product.product/read', {
        ids: [this.product],
        fields: ['qty_available', 'total_value', 'avg_cost', 'standard_price'],
        context: to_date ? { to_date } : {},
      })
      return { ...row, id: 0, standard_price: Number(Number(row?.standard_price).toFixed(6)) }
    }
    const dated: object[] = []
    for (let day = 0; day < days; day++) dated.push(await at(dayOf(day)))
    return { moves: moves.map((row) => ({ ...row, id: 0 })), now: await at(), dated }
  }
}

/** Carries out a story twice, and compares what goods are worth, now and on each day. */
export async function tell(store: Store, { method, cost, steps: all, order }: Story): Promise<void> {
  // First in first out, a cost that is set is no event: it lasts until goods come or go.
  const steps = all.filter(({ kind }) => kind !== 'cost' || method !== 'fifo')
  const products = await call<number[]>(store, 'product.product/create', {
    vals_list: [0, 1].map(() => ({
      name: 'Corrected',
      is_storable: true,
      standard_price: cost,
      categ_id: store.categories[method],
    })),
  })
  const [right, corrected] = products.map((product) => new Telling(store, product)) as [Telling, Telling]
  for (const [place, step] of steps.entries()) {
    await right.tell(step, place, false)
    await corrected.tell(step, place, true)
  }
  const wrong = steps
    .flatMap((step, place) =>
      step.kind !== 'cost' && step.wrong !== null
        ? [{ place, quantity: step.quantity, rank: order[place] ?? 0 }]
        : [],
    )
    .toSorted((a, b) => a.rank - b.rank)
  for (const { place, quantity, rank } of wrong) await corrected.correct(place, quantity, rank % 3 === 0)
  assert.deepEqual(await corrected.standing(steps.length), await right.standing(steps.length))
}

export const anySwitchingStory = fc.record({
  cost: cents,
  steps: fc.array(
    fc.record({
      step: anyMove,
      method: fc.constantFrom('standard', 'average', 'fifo', 'kept', 'kept'),
      at: fc.nat({ max: 8 }),
    }),
    { minLength: 2, maxLength: 8 },
  ),
})
export type SwitchingStory = typeof anySwitchingStory extends fc.Arbitrary<infer T> ? T : never

/**
 * Carries out a story in which the costing method of the product changes, and quantities are corrected: a new
 * method changes the worth of nothing, and what is on hand is worth the changes up to then.
 */
export async function switchMethods(store: Store, { cost, steps }: SwitchingStory): Promise<void> {
  const [product] = (await call<number[]>(store, 'product.product/create', {
    vals_list: [
      { name: 'Switched', is_storable: true, standard_price: cost, categ_id: store.categories.average },
    ],
  })) as [number]
  const telling = new Telling(store, product)
  const worth = async (context: object = {}) => {
    const [row] = await call<{ qty_available: number; total_value: number }[]>(
      store,
      'product.product/read',
      {
        ids: [product],
        fields: ['qty_available', 'total_value'],
        context,
      },
    )
    return row as { qty_available: number; total_value: number }
  }
  for (const [place, { step, method, at }] of steps.entries()) {
    const before = await worth()
    if (method !== 'kept')
      await call(store, 'product.product/write', {
        ids: [product],
        vals: { categ_id: store.categories[method] },
      })
    assert.deepEqual(await worth(), before, `${method} at step ${place}`)
    await telling.tell(step, place, false)
    const corrected = steps[at]?.step.wrong
    if (corrected && telling.moves.has(at)) await telling.correct(at, corrected, false)
    const now = await worth()
    const dated = await worth({ to_date: '2100-01-01' })
    assert.ok(
      Math.abs(dated.total_value - now.total_value) < 0.0051,
      `${dated.total_value} by changes, ${now.total_value} stored`,
    )
    if (now.qty_available === 0) assert.equal(now.total_value, 0)
    if (now.qty_available > 0) assert.ok(now.total_value >= 0)
  }
}
