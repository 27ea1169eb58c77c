// Effects of a move line on the ledger: an open line reserves where goods are held, a done one moves
// them.
import type { Environment } from '#models'
import { holdsGoods } from '../places/usages.ts'
import { forgetQuantities } from '../products/quantities.ts'
import { changeQuants, merged, type QuantChange, settled } from '../quants/ledger.ts'
import { loadMoves } from './load.ts'
import { assertPieces, giveLots } from './lots.ts'
import { freeOverdrawn } from './overdrawn.ts'

const paths = [
  'state',
  'move_id',
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
export function effectOf(line: LineRow): QuantChange[] {
  const quantity = line.quantity_product_uom
  if (!line.product_id.product_tmpl_id.is_storable || quantity === 0 || line.state === 'cancel') return []
  const goods = {
    product: line.product_id.id,
    lot: line.lot_id?.id ?? null,
    owner: line.owner_id?.id ?? null,
  }
  const from = { ...goods, location: line.location_id.id, package: line.package_id?.id ?? null }
  if (line.state !== 'done')
    return holdsGoods(line.location_id.usage) ? [{ ...from, quantity: 0, reserved: quantity }] : []
  const to = { ...goods, location: line.location_dest_id.id, package: line.result_package_id?.id ?? null }
  const isWithin = holdsGoods(line.location_id.usage) && holdsGoods(line.location_dest_id.usage)
  const origins = isWithin ? { origins: [{ location: from.location, package: from.package }] } : {}
  return [
    { ...from, quantity: -quantity, reserved: 0 },
    { ...to, quantity, reserved: 0, since: line.date, ...origins },
  ]
}

const undone = (change: QuantChange): QuantChange => ({
  ...change,
  quantity: -change.quantity,
  reserved: -change.reserved,
  since: null,
  origins: [],
})

/**
 * Done moves whose lines differ from what they were, with the change of what the company owns of their goods;
 * lines that are being done were open before.
 */
function correctionsOf(before: readonly LineRow[], after: readonly LineRow[]): Map<number, number> {
  const open = new Set(before.flatMap((line) => (line.state === 'done' ? [] : [line.id])))
  const changes = new Map<number, number>()
  for (const [rows, sign] of [[before, -1] as const, [after, 1] as const])
    for (const { id, state, move_id: move, owner_id: owner, quantity_product_uom: quantity } of rows)
      if (state === 'done' && move && !open.has(id))
        changes.set(move.id, settled((changes.get(move.id) ?? 0) + (owner ? 0 : sign * quantity)))
  return changes
}

/**
 * Lots of lines by which done moves grow: as when they were done, tracked goods need one. Goods that moved
 * before their product was tracked have none, and may become less.
 */
async function giveGrownLots(
  env: Environment,
  corrected: readonly number[],
  before: readonly LineRow[],
  after: readonly LineRow[],
): Promise<void> {
  const hadNone = new Map(
    before.flatMap((line) => (line.lot_id ? [] : [[line.id, line.quantity_product_uom]])),
  )
  const grown = new Set(
    after.flatMap((line) =>
      line.state === 'done' && !line.lot_id && line.quantity_product_uom > (hadNone.get(line.id) ?? 0)
        ? [line.id]
        : [],
    ),
  )
  if (grown.size === 0) return
  const moves = await loadMoves(env, corrected)
  await giveLots(
    env,
    moves.map((move) => ({ ...move, move_line_ids: move.move_line_ids.filter(({ id }) => grown.has(id)) })),
  )
}

/** Brings the ledger, and what goods are worth, from what lines did `before` to what they do now. */
export async function followLines(
  env: Environment,
  before: readonly LineRow[],
  now: readonly number[],
): Promise<void> {
  forgetQuantities(env)
  const after = now.length ? await loadEffects(env, now) : []
  const su = env.sudo()
  const corrections = correctionsOf(before, after)
  const corrected = [...corrections.keys()]
  if (corrected.length)
    await su.model('stock.move').browse(corrected).invoke('quantities_corrected', { changes: corrections })
  const changes = [...before.flatMap(effectOf).map(undone), ...after.flatMap(effectOf)]
  await changeQuants(env, changes)
  if (corrected.length === 0) return
  await giveGrownLots(su, corrected, before, after)
  await freeOverdrawn(
    su,
    merged(changes).filter(({ quantity }) => quantity < 0),
  )
  await assertPieces(su, corrected)
}
