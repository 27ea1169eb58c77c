// A demand that somebody changes: where less is wanted than is reserved, the excess is given up and the rest
// stays reserved; receipts follow at once.
import type { Records, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { lowerUnpicked } from './quantity.ts'

export interface Demand {
  readonly changed: readonly number[]
  /** Receipts that were at least partly ready: they get all that is wanted. */
  readonly reassign: readonly number[]
}

const NONE: Demand = { changed: [], reassign: [] }
/** Fields that a done move keeps. */
const kept = [
  'product_id',
  'location_id',
  'location_dest_id',
  'picking_id',
  'product_uom',
  'company_id',
] as const

/**
 * Looks at what a write changes of demands, before it is written. Throws UserError for changes that done
 * moves do not take.
 */
export async function followDemand(
  moves: Records<'stock.move'>,
  changes: readonly WriteChange[],
): Promise<Demand> {
  const guarded = changes.filter(({ vals }) => kept.some((field) => field in vals)).flatMap(({ ids }) => ids)
  const wanting = changes.filter(({ vals }) => 'product_uom_qty' in vals || 'product_uom' in vals)
  if (guarded.length === 0 && wanting.length === 0) return NONE
  const { env } = moves
  const ids = [...new Set([...guarded, ...wanting.flatMap((change) => change.ids)])]
  const rows = await env
    .sudo()
    .model('stock.move')
    .browse(ids)
    .load(['state', 'quantity', 'product_uom_qty', 'location_id.usage', ...kept])
  const moveById = new Map(rows.map((row) => [row.id, row]))
  for (const { ids: moveIds, vals } of changes)
    for (const field of kept)
      for (const id of field in vals ? moveIds : []) {
        const move = moveById.get(id)
        if (move?.state === 'done' && (vals[field] || null) !== (move[field]?.id ?? null))
          throw new UserError(
            'Product, unit and locations of a done move cannot be changed: return the goods instead.',
          )
      }
  const open = rows.filter((row) => row.state !== 'done' && row.state !== 'cancel' && row.state !== 'draft')
  const wanted = new Map(
    wanting.flatMap(({ ids: moveIds, vals }) => moveIds.map((id) => [id, vals.product_uom_qty] as const)),
  )
  const changed = open.filter((row) => wanted.has(row.id))
  const less = new Map<number, number>()
  for (const { id, quantity } of changed) {
    const value = wanted.get(id)
    if (typeof value === 'number' && value < quantity) less.set(id, value)
  }
  if (less.size) await lowerUnpicked(env, less)
  return {
    changed: changed.map(({ id }) => id),
    reassign: changed
      .filter((change) => change.location_id.usage === 'supplier' && isReady(change.state))
      .map(({ id }) => id),
  }
}

const isReady = (state: string | null) => state === 'assigned' || state === 'partially_available'
