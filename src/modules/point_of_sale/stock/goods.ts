// Goods of orders that are paid: what was sold leaves, what was refunded comes back, what is shipped later
// waits; at once, or when the session closes.

import { type Environment, tried, type Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import {
  assignMoves,
  confirmMoves,
  type Handover,
  makeMoves,
  moveNow,
  type PromisedLots,
  transferDirectly,
} from '../../stock/index.ts'
import { type Goods, goodsOf, type LotSold } from './sold-goods.ts'

/** Goods that travel together: one transfer for what leaves, one for what comes back. */
const bundleOf = (goods: Goods) =>
  JSON.stringify([goods.session, goods.order, goods.type, goods.qty < 0, goods.shipping])

type Bundle = readonly [Goods, ...Goods[]]

const placesOf = ({ qty, source, destination }: Goods) =>
  qty > 0 ? { from: source, to: destination } : { from: destination, to: source }

function pickingVals(first: Goods): Vals<'stock.picking'> {
  const { type, partner, name, order, session, shipping, company } = first
  const { from, to } = placesOf(first)
  return {
    picking_type_id: type,
    partner_id: partner ?? false,
    origin: name,
    pos_order_id: order ?? false,
    pos_session_id: session,
    company_id: company,
    location_id: from,
    location_dest_id: to,
    ...(shipping ? { scheduled_date: `${shipping} 00:00:00` } : {}),
  }
}

function moveOf(picking_id: number, goods: Goods) {
  const { product, unit, qty, company, shipping } = goods
  const { from, to } = placesOf(goods)
  return {
    picking_id,
    product_id: product,
    product_uom: unit,
    product_uom_qty: Math.abs(qty),
    company_id: company,
    location_id: from,
    location_dest_id: to,
    ...(shipping ? { date: `${shipping} 00:00:00` } : {}),
  }
}

function handoverOf(bundle: Bundle): Handover {
  const [first] = bundle
  const { from, to } = placesOf(first)
  return {
    picking: pickingVals(first),
    type: first.type,
    source: from,
    destination: to,
    company: first.company,
    goods: bundle.map(({ product, qty }) => ({ product, quantity: Math.abs(qty) })),
  }
}

/** Lines of a move by its lots; null if lots are missing and must be entered later. */
function linesOf({ lots, qty, serial }: Goods) {
  const lotQuantity = lots.reduce((sum, { quantity }) => sum + quantity, 0)
  if (lots.length === 0 || (!serial && Math.abs(lotQuantity - Math.abs(qty)) > 1e-6)) return null
  return lots.map(({ name, quantity }) => ({ lotName: name, quantity }))
}

/** The same lots together. */
const lotsOf = (goods: readonly Goods[]): LotSold[] =>
  [
    ...Map.groupBy(
      goods.flatMap(({ lots }) => lots),
      ({ name }) => name,
    ),
  ].map(([name, same]) => ({ name, quantity: same.reduce((sum, row) => addDecimals(sum, row.quantity), 0) }))

/**
 * Creates the transfers, in a number of statements that does not grow with them: goods leave at once,
 * even if stock is short; goods that are shipped later are reserved. Lots are those that the till sent;
 * where one is missing, the transfer waits for it to be entered.
 */
async function move(env: Environment, goods: readonly Goods[]): Promise<void> {
  if (goods.length === 0) return
  const su = env.sudo()
  const bundles = [...Map.groupBy(goods, bundleOf).values()] as unknown as Bundle[]
  const wayOf = ([first, ...rest]: Bundle) => {
    if (first.shipping && first.qty > 0) return 'later'
    return [first, ...rest].some(({ tracked }) => tracked) ? 'byLots' : 'now'
  }
  const { now = [], byLots = [], later = [] } = Object.groupBy(bundles, wayOf)
  await transferDirectly(su, now.map(handoverOf))
  if (byLots.length) await moveByLots(su, byLots)
  if (later.length) await leaveWaiting(su, later)
}

async function makeTransfers(env: Environment, bundles: readonly Bundle[]) {
  const pickings = await env.model('stock.picking').create(bundles.map(([first]) => pickingVals(first)))
  return bundles.flatMap((bundle, i) =>
    bundle.map((goods) => ({ goods, vals: moveOf(present(pickings.ids[i]), goods) })),
  )
}

async function moveByLots(env: Environment, bundles: readonly Bundle[]): Promise<void> {
  const outcome = await tried(env, async () => {
    const specs = await makeTransfers(env, bundles)
    await moveNow(
      env,
      specs.map(({ goods, vals }) => {
        const lines = linesOf(goods)
        return lines ? { ...vals, lines } : vals
      }),
    )
  })
  if ('result' in outcome) return
  // Of several one lacks its lots: each is tried by itself.
  if (bundles.length > 1) for (const bundle of bundles) await moveByLots(env, [bundle])
  else await leaveWaiting(env, bundles)
}

async function leaveWaiting(env: Environment, bundles: readonly Bundle[]): Promise<void> {
  const specs = await makeTransfers(env, bundles)
  const ids = await makeMoves(
    env,
    specs.map(({ vals }) => vals),
  )
  const moved = specs.map(({ goods }, i) => ({ goods, move: present(ids[i]) }))
  const promised = moved.filter(({ goods }) => goods.shipping !== null && goods.lots.length > 0)
  await confirmMoves(env, ids, { merge: false, assign: promised.length === 0 })
  if (promised.length) await assignMoves(env, ids, await promisedLots(env, promised))
}

/** Lots that the till sent for goods that are shipped later: the customer gets these and no others. */
async function promisedLots(
  env: Environment,
  promised: readonly { readonly goods: Goods; readonly move: number }[],
): Promise<PromisedLots> {
  const lots = await env.model('stock.lot').search([
    ['product_id', 'in', [...new Set(promised.map(({ goods }) => goods.product))]],
    ['name', 'in', [...new Set(promised.flatMap(({ goods }) => goods.lots.map(({ name }) => name)))]],
  ])
  const lotIds = new Map(
    (await lots.load(['name', 'product_id'])).map((lot) => [`${lot.product_id.id}/${lot.name}`, lot.id]),
  )
  return new Map(
    promised.map(({ goods, move }) => [
      move,
      goods.lots.flatMap(({ name, quantity }) => {
        const lot = lotIds.get(`${goods.product}/${name}`)
        return lot === undefined ? [] : [{ lot, quantity }]
      }),
    ]),
  )
}

/** Moves the goods of orders that were paid just now, unless their session does so when it is closed. */
export const movePaid = async (env: Environment, orders: readonly number[]): Promise<void> =>
  move(env, await goodsOf(env, { orders }))

/** Moves the goods of orders that are invoiced before their session closes: an invoiced sale is delivered. */
export const moveInvoiced = async (env: Environment, orders: readonly number[]): Promise<void> =>
  move(env, await goodsOf(env, { early: orders }))

/** Moves what is left of a session that moves goods when it is closed: all of its orders together. */
export async function moveSession(env: Environment, session: number, name: string): Promise<void> {
  const goods = await goodsOf(env, { session })
  const together = Map.groupBy(goods, (goods) =>
    JSON.stringify([goods.product, goods.qty < 0, goods.tracked]),
  )
  await move(
    env,
    [...together.values()].map((same) => ({
      ...present(same[0]),
      order: null,
      partner: null,
      shipping: null,
      name,
      lots: lotsOf(same),
      qty: same.reduce((sum, { qty }) => addDecimals(sum, qty), 0),
    })),
  )
}
