// Confirming: drafts become wanted. They find their transfer, moves before them are asked for, and what is
// there is reserved.
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { addDays, nowUtc } from '../../../kit/dates.ts'
import { joinPickings } from '../pickings/grouping.ts'
import { askForSupply } from '../rules/supply.ts'
import { assignMoves, isBypassing } from './assign.ts'
import { asEngineWrite } from './engine-writes.ts'
import { loadMoves, type MoveRow, type MoveVals } from './load.ts'
import { mergeMoves } from './merge.ts'
import { stateOf } from './states.ts'

/** Steps that follow when moves are confirmed. */
export interface ConfirmOptions {
  /** Drafts of one transfer that want the same become one move. */
  readonly merge?: boolean
  /** Reserves what is there at once, as the kind of operation says. */
  readonly assign?: boolean
  /** Transfers that were made for these moves: there are no others in them. */
  readonly made?: ReadonlySet<number>
}

/**
 * Confirms drafts; the others are left alone. Answers the ids of the moves that are there afterwards.
 */
export async function confirmMoves(
  env: Environment,
  ids: readonly number[],
  options: ConfirmOptions = {},
): Promise<number[]> {
  const { merge = true, assign = true } = options
  const newPickings = new Set(options.made)
  const su = env.sudo()
  let drafts = (await loadMoves(su, ids)).filter((move) => move.state === 'draft')
  const backwards = drafts.filter((draft) => draft.product_uom_qty < 0)
  if (backwards.length) {
    await turnBack(su, backwards)
    drafts = (await loadMoves(su, ids)).filter((move) => move.state === 'draft')
  }
  const homeless = drafts.filter((draft) => !draft.picking_id && draft.picking_type_id).map(({ id }) => id)
  if (homeless.length) for (const pickingId of await joinPickings(su, homeless)) newPickings.add(pickingId)
  const values = new Map<number, MoveVals>(
    drafts.map((draft) => [draft.id, { state: firstState(draft), ...reservation(env, draft) }]),
  )
  if (values.size) await asEngineWrite(su, () => su.model('stock.move').writeEach(values))
  const { kept, grown } = merge
    ? await mergeMoves(
        su,
        drafts.map(({ id }) => id),
        newPickings,
      )
    : { kept: ids.filter((id) => values.has(id)), grown: new Map<number, number>() }
  if (drafts.some((draft) => draft.procure_method === 'make_to_order')) await askForSupply(su, kept, grown)
  // Moves that took others in want more than before.
  if (assign) await assignMoves(su, [...reservable(env, drafts, kept), ...grown.keys()])
  return [...kept]
}

/** A move after others waits until their goods are reserved for it, whether these are done or not. */
const firstState = (move: MoveRow) =>
  move.quantity === 0 && move.move_orig_ids.length > 0 ? ('waiting' as const) : stateOf(move)

/** Moves that are reserved when they are confirmed. */
function reservable(env: Environment, drafts: readonly MoveRow[], kept: readonly number[]): number[] {
  const now = nowUtc(env.now())
  return drafts
    .filter((draft) => {
      if (!kept.includes(draft.id)) return false
      const method = draft.picking_type_id?.reservation_method ?? 'at_confirm'
      if (isBypassing(draft) || method === 'at_confirm') return true
      const date = method === 'by_date' ? reservation(env, draft).reservation_date : null
      return typeof date === 'string' && date <= now
    })
    .map(({ id }) => id)
}

/** When a move may be reserved without being asked for. */
function reservation(env: Environment, move: MoveRow): MoveVals {
  const type = move.picking_type_id
  if (type?.reservation_method === 'at_confirm') return { reservation_date: nowUtc(env.now()) }
  if (type?.reservation_method === 'by_date')
    return { reservation_date: addDays(move.date, -type.reservation_days_before) }
  return {}
}

/** A demand of less than nothing is a demand for the way back. */
async function turnBack(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const types = await env
    .model('stock.move')
    .browse(moves.map(({ id }) => id))
    .load(['picking_type_id.return_picking_type_id'])
  const back = new Map(
    types.map((type) => [type.id, type.picking_type_id?.return_picking_type_id?.id ?? null]),
  )
  const values = new Map<number, MoveVals>()
  for (const move of moves) {
    if (move.move_line_ids.length) throw new UserError('A move with a negative quantity cannot have lines.')
    values.set(move.id, {
      product_uom_qty: -move.product_uom_qty,
      location_id: move.location_dest_id.id,
      location_dest_id: move.location_id.id,
      ...(move.picking_id ? {} : { picking_type_id: back.get(move.id) ?? move.picking_type_id?.id ?? null }),
    })
  }
  await asEngineWrite(env, () => env.model('stock.move').writeEach(values))
}
