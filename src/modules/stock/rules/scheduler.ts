// The scheduler: orders what reordering rules lack, and reserves for moves that wait for goods that came
// without a move of theirs.
import type { Environment, Records } from '#models'
import { nowUtc, today } from '../../../kit/dates.ts'
import { assertNoneMissing } from '../../base/index.ts'
import { assignMoves } from '../moves/assign.ts'
import { sweepLedger } from '../quants/ledger.ts'
import { meetNeeds, type Need } from './procurement.ts'

type Points = Records<'stock.warehouse.orderpoint'>

/** Points and moves that one part of a run looks at. */
const PART = 1000

/**
 * Orders what is missing of points. Those that nothing says how to supply are left, unless `everything` is
 * asked for: UserError.
 */
export async function replenish(points: Points, { everything = false } = {}): Promise<void> {
  const { env } = points
  const rows = await points.load([
    'name',
    'product_id.product_tmpl_id.uom_id',
    'location_id',
    'warehouse_id',
    'company_id',
    'qty_to_order',
    'route_id',
    'snoozed_until',
  ])
  assertNoneMissing(points, rows)
  const day = today(env.tz, env.now())
  const due = rows.filter(
    (row) => row.qty_to_order > 0 && (everything || !row.snoozed_until || row.snoozed_until <= day),
  )
  const needs = due.map(
    (point): Need => ({
      product: point.product_id.id,
      quantity: point.qty_to_order,
      unit: point.product_id.product_tmpl_id.uom_id.id,
      location: point.location_id.id,
      company: point.company_id.id,
      origin: point.name,
      date: nowUtc(env.now()),
      warehouse: point.warehouse_id.id,
      routes: point.route_id ? [point.route_id.id] : [],
      orderpoint: point.id,
    }),
  )
  await meetNeeds(env, needs, !everything)
  if (due.length) await points.browse(due.map(({ id }) => id)).write({ qty_to_order_manual: 0 })
  env.unit.cache.forgetDerived()
}

/** All companies' points that order by themselves, then all moves that wait; empty rows of the ledger go. */
export async function runScheduler(env: Environment): Promise<void> {
  const su = env.sudo()
  const points = await su
    .model('stock.warehouse.orderpoint')
    .search([['trigger', '=', 'auto']], { order: 'id' })
  for (let at = 0; at < points.length; at += PART)
    await replenish(su.model('stock.warehouse.orderpoint').browse(points.ids.slice(at, at + PART)))
  const waiting = await su.model('stock.move').search(
    [
      ['state', 'in', ['confirmed', 'partially_available']],
      ['product_uom_qty', '!=', 0],
      ['reservation_date', '<=', nowUtc(env.now())],
    ],
    { order: 'priority desc, date, id' },
  )
  for (let at = 0; at < waiting.length; at += PART) await assignMoves(su, waiting.ids.slice(at, at + PART))
  sweepLedger(su)
}
