// Splits moves that are done in part: the rest becomes new moves, with all links that other modules
// have.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { asEngineWrite } from './engine-writes.ts'
import type { MoveVals } from './load.ts'

export interface Split {
  readonly id: number
  /** Quantity that stays with the move, and quantity of the new one, in the unit of the move. */
  readonly done: number
  readonly left: number
}

/** Splits moves. Returns the new ones, confirmed and without reservations. */
export async function splitMoves(env: Environment, splits: readonly Split[]): Promise<number[]> {
  if (splits.length === 0) return []
  const moves = env.model('stock.move').browse(splits.map(({ id }) => id))
  const rows = await moves.load([
    'procure_method',
    'move_orig_ids.state',
    'move_dest_ids.state',
    'price_unit',
    'reservation_date',
    'origin_returned_move_id',
  ])
  const copies = (await moves.invoke('copy_data', { default: null })) as MoveVals[]
  return asEngineWrite(env, async () => {
    const createdMoves = await env.model('stock.move').create(
      rows.map((row, i) => {
        const before = row.move_orig_ids.filter((other) => other.state !== 'cancel')
        return {
          ...copies[i],
          product_uom_qty: present(splits[i]).left,
          state: before.some((other) => other.state !== 'done') ? 'waiting' : 'confirmed',
          procure_method: 'make_to_stock',
          price_unit: row.price_unit,
          reservation_date: row.reservation_date,
          origin_returned_move_id: row.origin_returned_move_id?.id ?? null,
          move_orig_ids: before.map(({ id }) => [4, id, 0] as const),
          move_dest_ids: row.move_dest_ids
            .filter((other) => other.state !== 'done' && other.state !== 'cancel')
            .map(({ id }) => [4, id, 0] as const),
        } satisfies MoveVals
      }),
    )
    await env
      .model('stock.move')
      .writeEach(new Map(splits.map(({ id, done }) => [id, { product_uom_qty: done }])))
    return [...createdMoves.ids]
  })
}
