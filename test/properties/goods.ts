// Random stories of goods: they arrive, are wanted, reserved, given up, counted, scrapped, delivered in part,
// corrected, and come back; of lots, of serial numbers, in units of every size.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { imbalances } from '../stock/competition.ts'
import type { Office } from '../support/office.ts'
import { decimal } from './holds.ts'

type Row = Record<string, unknown>

const anyStep = fc.record({
  kind: fc.constantFrom(
    ...(['deliver', 'deliver', 'receive', 'reserve', 'give up', 'lower', 'lower', 'raise', 'type'] as const),
    ...([
      'validate',
      'validate',
      'validate',
      'return',
      'cancel',
      'scrap',
      'count',
      'correct',
      'correct',
    ] as const),
  ),
  quantity: fc.oneof(fc.integer({ min: 1, max: 9 }), decimal(1, 9, 2)),
  unit: fc.nat({ max: 2 }),
  /** The place of the transfer, or of the lot, in its list. */
  at: fc.nat({ max: 7 }),
  whole: fc.boolean(),
})
export type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

export const anyStory = fc.record({
  tracking: fc.constantFrom('none', 'lot', 'serial'),
  held: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 }),
  steps: fc.array(anyStep, { minLength: 4, maxLength: 10 }),
})
export type Story = typeof anyStory extends fc.Arbitrary<infer T> ? T : never

export interface Store {
  readonly shop: Office<never>
  readonly stock: number
  readonly incoming: number
  readonly outgoing: number
  readonly units: readonly number[]
}

export const openStore = (shop: Office<never>): Promise<Store> =>
  shop.run(async (env) => ({
    shop,
    stock: await env.ref('stock.stock_location_stock'),
    incoming: await env.ref('stock.picking_type_in'),
    outgoing: await env.ref('stock.picking_type_out'),
    units: [
      await env.ref('uom.product_uom_unit'),
      await env.ref('uom.product_uom_pack_6'),
      await env.ref('uom.product_uom_dozen'),
    ],
  }))

/** A story that is under way: what there is of it so far. */
class Telling {
  readonly store: Store
  readonly story: Story
  readonly product: number
  readonly lots: readonly number[]
  readonly pickings: number[] = []

  constructor(store: Store, story: Story, product: number, lots: readonly number[]) {
    this.store = store
    this.story = story
    this.product = product
    this.lots = lots
  }

  /** The answer, or null where it is refused for a reason. */
  async call<T>(path: string, body: object): Promise<T | null> {
    const { status, body: answer } = await this.store.shop.call('admin', path, body)
    assert.ok(status === 200 || status === 422, `${path}: ${status} ${JSON.stringify(answer)}`)
    return status === 200 ? (answer as T) : null
  }

  lot(at: number): object {
    return this.lots.length ? { lot_id: this.lots[at % this.lots.length] } : {}
  }

  picking(at: number): number | undefined {
    return this.pickings[at % Math.max(1, this.pickings.length)]
  }

  /** The move of a transfer that is still open. */
  async openMove(at: number): Promise<Row | undefined> {
    const picking = this.picking(at)
    if (picking === undefined) return undefined
    const rows = await this.call<Row[]>('stock.move/search_read', {
      domain: [
        ['picking_id', '=', picking],
        ['state', 'not in', ['done', 'cancel']],
      ],
      fields: ['quantity', 'product_uom_qty', 'picked'],
      limit: 1,
    })
    return rows?.[0]
  }

  async count(quantity: number, at: number): Promise<void> {
    const { product: product_id, store } = this
    const ids = await this.call<number[]>('stock.quant/create', {
      vals_list: [{ product_id, location_id: store.stock, inventory_quantity: quantity, ...this.lot(at) }],
      context: { inventory_mode: true },
    })
    if (ids) await this.call('stock.quant/action_apply_inventory', { ids })
  }

  async transfer(picking_type_id: number, { quantity, unit }: Step): Promise<void> {
    const move = {
      product_id: this.product,
      product_uom_qty: this.story.tracking === 'serial' ? Math.ceil(quantity) : quantity,
      product_uom: this.store.units[this.story.tracking === 'serial' ? 0 : unit],
    }
    const ids = await this.call<number[]>('stock.picking/create', {
      vals_list: [{ picking_type_id, move_ids: [[0, 0, move]] }],
    })
    if (!ids) return
    await this.call('stock.picking/action_confirm', { ids })
    this.pickings.push(...ids)
  }

  async demand({ at, quantity }: Step, lower: boolean): Promise<void> {
    const move = await this.openMove(at)
    if (!move) return
    const { product_uom_qty: demanded, quantity: reserved } = move as {
      product_uom_qty: number
      quantity: number
    }
    const wanted = lower ? Math.floor((demanded * quantity) / 9) : demanded + Math.ceil(quantity)
    if (lower && (wanted <= 0 || wanted >= demanded)) return
    const written = await this.call('stock.move/write', {
      ids: [move.id],
      vals: { product_uom_qty: wanted },
    })
    if (written === null || !lower || move.picked === true) return
    const [now] = (await this.call<Row[]>('stock.move/read', { ids: [move.id], fields: ['quantity'] })) as [
      { quantity: number },
    ]
    const rest = Math.min(reserved, wanted)
    assert.ok(Math.abs(now.quantity - rest) < 0.015, `${now.quantity} reserved of ${rest} that are left`)
  }

  async type({ at, quantity }: Step): Promise<void> {
    const move = await this.openMove(at)
    if (move)
      await this.call('stock.move/write', {
        ids: [move.id],
        vals: { quantity: this.story.tracking === 'serial' ? Math.ceil(quantity) : quantity, picked: true },
      })
  }

  async validate({ at, whole }: Step): Promise<void> {
    const picking = this.picking(at)
    const move = await this.openMove(at)
    if (picking === undefined || !move) return
    const context = { skip_backorder: true, ...(whole ? {} : { picking_ids_not_to_backorder: [picking] }) }
    const done = await this.call('stock.picking/button_validate', { ids: [picking], context })
    const rows = await this.call<Row[]>('stock.picking/search_read', {
      domain: [['backorder_id', '=', picking]],
      fields: [],
    })
    for (const { id } of rows ?? [])
      if (!this.pickings.includes(id as number)) this.pickings.push(id as number)
    if (done !== true || move.picked !== true) return
    const [now] = (await this.call<Row[]>('stock.move/read', {
      ids: [move.id],
      fields: ['quantity', 'state'],
    })) as [Row]
    if (now.state === 'done') assert.equal(now.quantity, move.quantity, 'what is typed is done')
  }

  /** Corrects the quantity of a done move. */
  async correct({ at, quantity }: Step): Promise<void> {
    const ids = await this.call<number[]>('stock.move/search', {
      domain: [
        ['product_id', '=', this.product],
        ['state', '=', 'done'],
      ],
      order: 'id',
    })
    if (!ids?.length) return
    const vals = { quantity: this.story.tracking === 'serial' ? 0 : quantity }
    await this.call('stock.move/write', { ids: [ids[at % ids.length]], vals })
  }

  async comeBack({ at }: Step): Promise<void> {
    const picking = this.picking(at)
    if (picking === undefined) return
    const ids = await this.call<number[]>('stock.return.picking/create', {
      vals_list: [{ picking_id: picking }],
    })
    if (!ids) return
    const action = await this.call<{ res_id: number }>('stock.return.picking/action_create_returns_all', {
      ids,
    })
    if (action) this.pickings.push(action.res_id)
  }

  async scrap({ at, quantity }: Step): Promise<void> {
    const vals = {
      product_id: this.product,
      scrap_qty: this.story.tracking === 'serial' ? 1 : quantity,
      location_id: this.store.stock,
      ...this.lot(at),
    }
    const ids = await this.call<number[]>('stock.scrap/create', { vals_list: [vals] })
    if (ids) await this.call('stock.scrap/do_scrap', { ids })
  }

  async take(step: Step): Promise<void> {
    const picking = this.picking(step.at)
    const onTransfer = async (method: string) => {
      if (picking !== undefined) await this.call(`stock.picking/${method}`, { ids: [picking] })
    }
    if (step.kind === 'deliver') return this.transfer(this.store.outgoing, step)
    if (step.kind === 'receive') return this.transfer(this.store.incoming, step)
    if (step.kind === 'reserve') return onTransfer('action_assign')
    if (step.kind === 'give up') return onTransfer('do_unreserve')
    if (step.kind === 'cancel') return onTransfer('action_cancel')
    if (step.kind === 'lower' || step.kind === 'raise') return this.demand(step, step.kind === 'lower')
    if (step.kind === 'type') return this.type(step)
    if (step.kind === 'validate') return this.validate(step)
    if (step.kind === 'return') return this.comeBack(step)
    if (step.kind === 'scrap') return this.scrap(step)
    if (step.kind === 'correct') return this.correct(step)
    return this.count(this.story.tracking === 'serial' ? 1 : Math.floor(step.quantity * 3), step.at)
  }
}

/** Runs a story, and checks the ledger after each step. */
export async function tell(store: Store, story: Story): Promise<void> {
  const { shop } = store
  const ask = async (model: string, vals_list: readonly object[]) => {
    const { status, body } = await shop.call('admin', `${model}/create`, { vals_list })
    assert.equal(status, 200, JSON.stringify(body))
    return body as number[]
  }
  const [product] = await ask('product.product', [
    { name: 'Goods', is_storable: true, tracking: story.tracking },
  ])
  const product_id = product as number
  const names =
    story.tracking === 'serial' ? Array.from({ length: 8 }, (_, n) => n) : story.held.map((_, n) => n)
  const lots =
    story.tracking === 'none'
      ? []
      : await ask(
          'stock.lot',
          names.map((n) => ({ name: `${product_id}-${n}`, product_id })),
        )
  const telling = new Telling(store, story, product_id, lots)
  const count = async (quantity: number, at: number) => {
    await telling.count(story.tracking === 'serial' ? 1 : quantity, at)
  }
  for (const [at, quantity] of (story.tracking === 'none' ? story.held.slice(0, 1) : story.held).entries())
    await count(quantity, at)
  for (const [n, step] of story.steps.entries()) {
    await telling.take(step)
    assert.deepEqual(await imbalances(shop, product_id), [], `after step ${n}, ${step.kind}`)
  }
}
