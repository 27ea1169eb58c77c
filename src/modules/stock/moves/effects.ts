// Effects of a move line on the ledger: an open line reserves where goods are held, a done one moves
// them.
import type { Environment } from '#models'
import { holdsGoods } from '../places/usages.ts'
import { forgetQuantities } from '../products/quantities.ts'
import { changeQuants, type QuantChange } from '../quants/ledger.ts'

const paths = [
  'state',
  'product_id.product_tmpl_id.is_storable',
  'location_id.usage',
  'location_dest_id.usage',
  'lot_id',
  'package_id',
  'result_package_id',
  'owner_id',
  'quantity_product_uom',
  'date',
] as const

export const loadEffects = (env: Environment, lines: readonly number[]) =>
  env
    .sudo()
    .model('stock.move.line')
    .browse([...new Set(lines)])
    .load(paths)

type LineRow = Awaited<ReturnType<typeof loadEffects>>[number]

/** Changes of the ledger that a line has made so far. */
export function effectOf(one: LineRow): QuantChange[] {
  const quantity = one.quantity_product_uom
  if (!one.product_id.product_tmpl_id.is_storable || quantity === 0 || one.state === 'cancel') return []
  const goods = { product: one.product_id.id, lot: one.lot_id?.id ?? null, owner: one.owner_id?.id ?? null }
  const from = { ...goods, location: one.location_id.id, package: one.package_id?.id ?? null }
  if (one.state !== 'done')
    return holdsGoods(one.location_id.usage) ? [{ ...from, quantity: 0, reserved: quantity }] : []
  const to = { ...goods, location: one.location_dest_id.id, package: one.result_package_id?.id ?? null }
  const isWithin = holdsGoods(one.location_id.usage) && holdsGoods(one.location_dest_id.usage)
  const origins = isWithin ? { origins: [{ location: from.location, package: from.package }] } : {}
  return [
    { ...from, quantity: -quantity, reserved: 0 },
    { ...to, quantity, reserved: 0, since: one.date, ...origins },
  ]
}

const undone = (one: QuantChange): QuantChange => ({
  ...one,
  quantity: -one.quantity,
  reserved: -one.reserved,
  since: null,
  origins: [],
})

/** Brings the ledger from what lines did `before` to what they do now. */
export async function followLines(
  env: Environment,
  before: readonly LineRow[],
  now: readonly number[],
): Promise<void> {
  forgetQuantities(env)
  const after = now.length ? await loadEffects(env, now) : []
  await changeQuants(env, [...before.flatMap(effectOf).map(undone), ...after.flatMap(effectOf)])
}
