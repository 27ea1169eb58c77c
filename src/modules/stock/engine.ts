// Entry point of the move engine for other modules: moves are created, confirmed, reserved, done and
// cancelled, always in sets. Described in README.md.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { confirmMoves } from './moves/confirm.ts'
import { doneMoves } from './moves/done.ts'
import { asEngineWrite } from './moves/engine-writes.ts'
import { setQuantities } from './moves/quantity.ts'
import { takeTurns } from './quants/ledger.ts'

export { assignMoves, type PromisedLots } from './moves/assign.ts'
export { cancelMoves } from './moves/cancel.ts'
export { type ConfirmOptions, confirmMoves } from './moves/confirm.ts'
export type { Handover } from './moves/direct-transfer-facts.ts'
export { transferDirectly } from './moves/direct-transfers.ts'
export { type DoneMoves, type DoneOptions, doneMoves } from './moves/done.ts'
export { setQuantities, unreserve } from './moves/quantity.ts'

/** Goods of one lot, package and owner that a move is about. */
export interface LineSpec {
  readonly quantity: number
  readonly lot?: number | null
  readonly lotName?: string | null
  /** The package that goods are taken from, and the one that they are put into. */
  readonly package?: number | null
  readonly result?: number | null
  readonly owner?: number | null
  readonly location?: number
  readonly destination?: number
}

/** A move that somebody wants, with the values of `stock.move`; `lines` say what it is done with. */
export type MoveSpec = Vals<'stock.move'> & { readonly lines?: readonly LineSpec[] }

/** Makes moves as drafts, with their lines. Answers their ids in the order of the specs. */
export async function makeMoves(env: Environment, specs: readonly MoveSpec[]): Promise<number[]> {
  const su = env.sudo()
  const createdMoves = await su
    .model('stock.move')
    .create(specs.map(({ lines: _, ...vals }) => vals as Vals<'stock.move'>))
  const lines = specs.flatMap((spec, i) =>
    (spec.lines ?? []).map((line) => lineVals(present(createdMoves.ids[i]), line)),
  )
  if (lines.length) await asEngineWrite(su, () => su.model('stock.move.line').create(lines))
  return [...createdMoves.ids]
}

const lineVals = (move_id: number, spec: LineSpec): Vals<'stock.move.line'> => ({
  move_id,
  quantity: spec.quantity,
  lot_id: spec.lot ?? null,
  lot_name: spec.lotName ?? null,
  package_id: spec.package ?? null,
  result_package_id: spec.result ?? null,
  owner_id: spec.owner ?? null,
  picked: true,
  ...(spec.location === undefined ? {} : { location_id: spec.location }),
  ...(spec.destination === undefined ? {} : { location_dest_id: spec.destination }),
})

/**
 * Makes moves and does them at once, whatever there is: counts, scrap, sales over the counter. Moves whose
 * spec names no lines take what is there first and owe the rest. Answers their ids.
 */
export async function moveNow(env: Environment, specs: readonly MoveSpec[]): Promise<number[]> {
  await takeTurns(
    env,
    specs.flatMap(({ product_id }) => (typeof product_id === 'number' ? [product_id] : [])),
  )
  const ids = await makeMoves(env, specs)
  const su = env.sudo()
  await confirmMoves(su, ids, { merge: false, assign: false })
  const open = specs.flatMap((spec, i) =>
    spec.lines ? [] : [[present(ids[i]), Number(spec.product_uom_qty ?? 0)] as const],
  )
  if (open.length) await setQuantities(su, new Map(open))
  const lines = await su.model('stock.move.line').search([
    ['move_id', 'in', ids],
    ['picked', '=', false],
  ])
  if (lines.length) await asEngineWrite(su, () => lines.write({ picked: true }))
  await doneMoves(su, ids, { withoutRest: true })
  return ids
}
