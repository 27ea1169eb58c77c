// New lines of moves: what they take from their move, or from their transfer where a line is added to it
// without one.

import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import type { LineVals } from './load.ts'

type Given = Readonly<Record<string, unknown>>

const idIn = (value: unknown): number | undefined => (isInteger(value) ? value : undefined)

/** Values to create lines with, completed in sets. */
export async function completeLines(env: Environment, list: readonly Given[]): Promise<LineVals[]> {
  const valsList = list.map((vals) => ({ ...vals }) as Record<string, unknown>)
  await assignMovesToLines(env, valsList)
  const ids = valsList.flatMap((vals) => idIn(vals.move_id) ?? [])
  const moves = await env
    .sudo()
    .model('stock.move')
    .browse([...new Set(ids)])
    .load([
      'state',
      'date',
      'product_id',
      'product_uom',
      'location_id',
      'location_dest_id',
      'company_id',
      'picking_id',
      'restrict_partner_id',
    ])
  const moveById = new Map(moves.map((move) => [move.id, move]))
  for (const vals of valsList) {
    const move = moveById.get(vals.move_id as number)
    if (!move) continue
    vals.product_id ??= move.product_id.id
    vals.product_uom_id ??= move.product_uom.id
    vals.location_id ??= move.location_id.id
    vals.location_dest_id ??= move.location_dest_id.id
    vals.company_id ??= move.company_id.id
    vals.picking_id ??= move.picking_id?.id ?? null
    // Goods that a correction adds moved on the day of the others: quantities at a date count by lines.
    if (move.state === 'done') vals.date ??= move.date
    if (vals.owner_id === undefined && move.restrict_partner_id) vals.owner_id = move.restrict_partner_id.id
  }
  return valsList as LineVals[]
}

/**
 * A line that is added to a transfer belongs to its move of the product, or to a new one that wants nothing
 * beyond it.
 */
async function assignMovesToLines(env: Environment, list: readonly Record<string, unknown>[]): Promise<void> {
  const loose = list.filter((vals) => vals.move_id === undefined && idIn(vals.picking_id) !== undefined)
  if (loose.length === 0) return
  const pickings = await env
    .model('stock.picking')
    .browse([...new Set(loose.map((vals) => vals.picking_id as number))])
    .load(['state', 'move_ids.product_id', 'move_ids.state'])
  const pickingById = new Map(pickings.map((picking) => [picking.id, picking]))
  const fresh: Record<string, unknown>[] = []
  for (const vals of loose) {
    const picking = pickingById.get(vals.picking_id as number)
    const move = picking?.move_ids.find(
      (move) => move.product_id.id === vals.product_id && move.state !== 'done' && move.state !== 'cancel',
    )
    if (move) vals.move_id = move.id
    else if (picking && idIn(vals.product_id) !== undefined) fresh.push(vals)
    else throw new UserError('A line of a transfer needs a product.')
  }
  if (fresh.length === 0) return
  const createdMoves = await env.model('stock.move').create(
    fresh.map((vals) => ({
      picking_id: vals.picking_id as number,
      product_id: vals.product_id as number,
      product_uom_qty:
        pickingById.get(vals.picking_id as number)?.state === 'draft' ? Number(vals.quantity ?? 0) : 0,
      additional: true,
      ...(idIn(vals.product_uom_id) === undefined ? {} : { product_uom: vals.product_uom_id as number }),
      ...(idIn(vals.location_id) === undefined ? {} : { location_id: vals.location_id as number }),
      ...(idIn(vals.location_dest_id) === undefined
        ? {}
        : { location_dest_id: vals.location_dest_id as number }),
    })),
  )
  for (const [i, vals] of fresh.entries()) vals.move_id = createdMoves.ids[i]
}
