// Transfers that are made and done in one go: goods that go over a counter, or come back over it. Everything
// is known before it is written, so nothing of what is written is waited for.
import { atOnce, type Environment, reservedIds, reserveIds, type Vals } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { nextNumbersOf } from '../../base/index.ts'
import { holdsGoods } from '../places/usages.ts'
import { forgetQuantities } from '../products/quantities.ts'
import { changeQuants, type Held, lockHeld, type QuantChange, settled } from '../quants/ledger.ts'
import { applyPushRules } from '../rules/push.ts'
import { Stock } from './allocate.ts'
import { type Facts, type Handover, loadFacts } from './direct-transfer-facts.ts'
import { asComplete } from './engine-writes.ts'
import type { PrefetchedGoods } from './move.contract.ts'
import { freeOverdrawn, isOverdrawn } from './overdrawn.ts'
import { reserveWaiting } from './waiting.ts'

/** Numbers of transfers, by their kind. */
async function drawNumbers(env: Environment, handovers: readonly Handover[]): Promise<Map<number, string[]>> {
  const counts = Map.groupBy(handovers, ({ type }) => type)
  const drawn = await atOnce(
    env,
    ...[...counts].map(
      ([type, typeTransfers]) =>
        async () =>
          [
            type,
            await nextNumbersOf(
              env,
              {
                query: sql`SELECT y.sequence_id FROM stock_picking_type y WHERE y.id = ${type}::int`,
                reads: ['stock.picking.type'],
              },
              typeTransfers.length,
            ),
          ] as const,
    ),
  )
  return new Map(drawn.map(([type, names]) => [type, names ?? []]))
}

/** Where the goods of a move lie: rows of the ledger, and what is owed beyond them. */
interface Portion {
  readonly quantity: number
  readonly held: Held | null
}

function portionsOf(
  { source }: Handover,
  goods: Handover['goods'][number],
  facts: Facts,
  stock: Stock,
): Portion[] {
  const product = facts.products.get(goods.product)
  const place = facts.places.get(source)
  if (!product?.storable || !place || !holdsGoods(place.usage))
    return [{ quantity: goods.quantity, held: null }]
  const taken = stock.take({
    product: goods.product,
    path: place.path,
    location: source,
    quantity: goods.quantity,
    unit: product.unit,
    productUnit: product.unit,
    whole: false,
    method: place.method ?? product.method ?? 'fifo',
    owner: null,
  })
  const rest = settled(taken.reduce((left, { quantity }) => left - quantity, goods.quantity))
  const portions: Portion[] = taken.map(({ held, quantity }) => ({ held, quantity }))
  return rest > 0 ? [...portions, { quantity: rest, held: null }] : portions
}

/**
 * Makes transfers and does them, whatever there is: what lacks is owed by the place it is taken from. Answers
 * their ids in order.
 */
export async function transferDirectly(env: Environment, handovers: readonly Handover[]): Promise<number[]> {
  if (handovers.length === 0) return []
  const su = env.sudo()
  const moves = handovers.reduce((sum, { goods }) => sum + goods.length, 0)
  const counts = new Map([
    ['stock.picking', handovers.length],
    ['stock.move', moves],
    ['stock.move.line', moves],
  ] as const)
  const [held, facts, numbers] = await atOnce(
    su,
    () =>
      lockHeld(
        su,
        handovers.flatMap(({ source, goods }) => goods.map(({ product }) => ({ product, location: source }))),
      ),
    () => loadFacts(su, handovers),
    () => drawNumbers(su, handovers),
    () => reserveIds(su, counts),
    () => su.model('stock.move').invoke('before_done', { goods: goodsByCompany(handovers) }),
  )
  const stock = new Stock(held)
  const now = nowUtc(env.now())
  const changes: QuantChange[] = []
  // Lines name their transfer, as those of any other transfer do.
  const ids = reservedIds(su, 'stock.picking', handovers.length)
  const vals = handovers.map((handover, i) => {
    const name = numbers.get(handover.type)?.shift() ?? '/'
    const portions = handover.goods.map((goods) => ({
      ...goods,
      portions: portionsOf(handover, goods, facts, stock),
    }))
    for (const { product, portions: productPortions } of portions)
      if (facts.products.get(product)?.storable)
        changes.push(...changesOf(handover, product, productPortions, now))
    const heading = { id: present(ids[i]), name, now, moveType: facts.types.get(handover.type) ?? 'direct' }
    return pickingVals(handover, heading, facts, portions)
  })
  forgetQuantities(su)
  const createdPickings = await asComplete(su, () => su.model('stock.picking').create(vals))
  // Fields that follow from moves are computed while these are known: changes of the ledger leave that in
  // doubt.
  await su.unit.registry.engine.flush(su, ({ model }) => model.name === 'stock.picking')
  await changeQuants(su, changes, true)
  await followUp(su, createdPickings.ids, { handovers, facts, held, changes })
  return [...createdPickings.ids]
}

/** Products by company, each once. */
const goodsByCompany = (handovers: readonly Handover[]): readonly PrefetchedGoods[] => [
  ...new Map(
    handovers.flatMap(({ company, goods }) =>
      goods.map(({ product }) => [`${company}/${product}`, { product, company }] as const),
    ),
  ).values(),
]

const changesOf = (
  { source, destination }: Handover,
  product: number,
  portions: readonly Portion[],
  since: string,
): QuantChange[] =>
  portions.flatMap(({ quantity, held }) => {
    const goods = { product, lot: held?.lot ?? null, owner: held?.owner ?? null, reserved: 0 }
    return [
      { ...goods, location: held?.location ?? source, package: held?.package ?? null, quantity: -quantity },
      { ...goods, location: destination, package: null, quantity, since },
    ]
  })

interface Heading {
  readonly id: number
  readonly name: string
  readonly now: string
  readonly moveType: 'direct' | 'one'
}

/** A transfer with its moves and their lines, all of it done. */
function pickingVals(
  { picking, type, source, destination, company }: Handover,
  { id, name, now, moveType }: Heading,
  facts: Facts,
  goods: readonly { product: number; quantity: number; portions: readonly Portion[] }[],
): Vals<'stock.picking'> {
  const shared = { company_id: company, location_id: source, location_dest_id: destination }
  const inside = { ...shared, picking_id: id }
  return {
    ...picking,
    ...shared,
    name,
    picking_type_id: type,
    move_type: moveType,
    state: 'done',
    date: now,
    scheduled_date: now,
    date_done: now,
    date_deadline: false,
    move_ids: goods.map(({ product, quantity, portions }) => {
      const unit = facts.products.get(product)?.unit.id ?? 0
      const moveLine = {
        ...shared,
        product_id: product,
        product_uom: unit,
        product_uom_qty: quantity,
        product_qty: quantity,
        quantity,
        picked: true,
        state: 'done',
        date: now,
        reference: name,
        picking_type_id: type,
        origin: picking.origin ?? false,
        partner_id: picking.partner_id ?? false,
        reservation_date: now,
        move_line_ids: portions.map((portion) => [0, 0, lineVals(inside, product, unit, portion, now)]),
      }
      return [0, 0, moveLine] as const
    }),
  } as Vals<'stock.picking'>
}

const lineVals = (
  shared: object,
  product: number,
  unit: number,
  { quantity, held }: Portion,
  date: string,
): object => ({
  ...shared,
  product_id: product,
  product_uom_id: unit,
  quantity,
  quantity_product_uom: quantity,
  picked: true,
  date,
  lot_id: held?.lot ?? false,
  package_id: held?.package ?? false,
  owner_id: held?.owner ?? false,
  ...(held ? { location_id: held.location } : {}),
})

interface Followed {
  readonly handovers: readonly Handover[]
  readonly facts: Facts
  readonly held: readonly Held[]
  readonly changes: readonly QuantChange[]
}

/**
 * Follows up on the transfers: reservations that now lack goods, moves that wait for what arrived, push
 * rules.
 */
async function followUp(
  env: Environment,
  pickings: readonly number[],
  { handovers, facts, held, changes }: Followed,
): Promise<void> {
  const arriving = handovers.map(({ destination, goods }) => ({
    place: facts.places.get(destination),
    storable: goods.some(({ product }) => facts.products.get(product)?.storable),
  }))
  const waited = arriving.map(({ place, storable }) => storable && place && holdsGoods(place.usage))
  const pushed = arriving.map(({ place }) => place?.pushes)
  const lacking = isOverdrawn(held, changes)
  if (!lacking && !waited.includes(true) && !pushed.includes(true)) return
  const rows = await env.model('stock.move').search([['picking_id', 'in', [...pickings]]], { order: 'id' })
  const moves = Map.groupBy(await rows.load(['picking_id']), (row) => row.picking_id?.id)
  const of = (wanted: readonly unknown[]) =>
    pickings.flatMap((id, i) => (wanted[i] ? (moves.get(id) ?? []).map((move) => move.id) : []))
  if (lacking)
    await freeOverdrawn(
      env,
      changes.filter(({ quantity }) => quantity < 0),
    )
  await reserveWaiting(env, of(waited))
  if (pushed.includes(true)) await applyPushRules(env, of(pushed))
}
