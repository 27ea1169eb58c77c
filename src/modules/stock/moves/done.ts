// Does moves: their goods change places. A move is done with what is picked; the rest waits in a new
// move, or is cancelled.
import type { Environment } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { holdsGoods } from '../places/usages.ts'
import { applyPushRules } from '../rules/push.ts'
import { assignMoves } from './assign.ts'
import { cancelMoves } from './cancel.ts'
import { confirmMoves } from './confirm.ts'
import { followLines, loadEffects } from './effects.ts'
import { asEngineWrite } from './engine-writes.ts'
import { isOpen, type LineVals, loadMoves, type MoveRow, type MoveVals } from './load.ts'
import { assertPieces, giveLots } from './lots.ts'
import { freeOverdrawn } from './overdrawn.ts'
import { splitMoves } from './split.ts'
import { reserveWaiting } from './waiting.ts'

/** Treatment of what is not done. */
export interface DoneOptions {
  /** Cancels what is not done instead of letting it wait. */
  readonly withoutRest?: boolean
  /**
   * Called with the moves of what is left, once the goods have moved: a back order reserves before other
   * moves that wait for the same goods do.
   */
  readonly keepRest?: (rest: readonly number[]) => Promise<void>
}

/** Ids of done moves, and of the moves of what is left. */
export interface DoneMoves {
  readonly done: readonly number[]
  /** Moves of what is left, confirmed but not yet reserved. */
  readonly rest: readonly number[]
}

/** Picked quantity of a move, in its own unit. */
export const pickedOf = (move: MoveRow): number =>
  Number(move.move_line_ids.reduce((sum, line) => sum + (line.picked ? inMove(move, line) : 0), 0).toFixed(6))

const inMove = (move: MoveRow, line: MoveRow['move_line_ids'][number]) =>
  Number(((line.quantity * line.product_uom_id.factor) / move.product_uom.factor).toFixed(2))

/**
 * Moves what is picked of open moves. The caller reserves the rest, if any: `rest` of the result. Throws
 * UserError for goods without their lots, ValidationError for a serial number that would exist twice.
 */
export async function doneMoves(
  env: Environment,
  ids: readonly number[],
  options: DoneOptions = {},
): Promise<DoneMoves> {
  const su = env.sudo()
  const drafts = (await loadMoves(su, ids)).filter((move) => move.state === 'draft').map(({ id }) => id)
  if (drafts.length) await confirmMoves(su, drafts, { merge: false, assign: false })
  const open = (await loadMoves(su, ids)).filter((move) => isOpen(move.state))
  const moving = open.filter(isMoving)
  if (moving.length === 0) return { done: [], rest: [] }
  await giveLots(su, moving)
  await dropUnpicked(su, moving)
  const rest = await leaveRest(su, open, options)
  const done = moving.map(({ id }) => id)
  await carryOver(su, moving)
  await freeOverdrawn(su, moving.flatMap(takenBy))
  await assertPieces(su, done)
  await reserveNext(su, moving)
  await applyPushRules(su, done)
  if (rest.length) await options.keepRest?.(rest)
  await reserveArrived(su, moving)
  return { done, rest }
}

/**
 * A count that found the expected quantity is done too, with nothing: it records that someone counted.
 */
const isMoving = (move: MoveRow) => pickedOf(move) > 0 || move.is_inventory

/** Splits off what is not picked; without a rest moves that nothing is picked of are cancelled. */
async function leaveRest(
  env: Environment,
  open: readonly MoveRow[],
  { withoutRest }: DoneOptions,
): Promise<number[]> {
  const unpicked = open.filter((row) => !isMoving(row)).map(({ id }) => id)
  if (withoutRest) {
    if (unpicked.length) await cancelMoves(env, unpicked)
    return []
  }
  const short = open.filter((row) => pickedOf(row) > 0 && pickedOf(row) < row.product_uom_qty)
  const split = await splitMoves(
    env,
    short.map((move) => ({
      id: move.id,
      done: pickedOf(move),
      left: Number((move.product_uom_qty - pickedOf(move)).toFixed(6)),
    })),
  )
  // Moves that got a part are served first.
  await assignMoves(env, split)
  return [...unpicked, ...split]
}

/** Releases what is not picked of done moves. */
async function dropUnpicked(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const left = moves.flatMap((move) => move.move_line_ids.filter((line) => !isDone(move, line)))
  if (left.length)
    await asEngineWrite(env, () =>
      env
        .model('stock.move.line')
        .browse(left.map(({ id }) => id))
        .unlink(),
    )
}

const isDone = (move: MoveRow, line: MoveRow['move_line_ids'][number]) =>
  line.picked && (line.quantity > 0 || move.is_inventory)

const takenBy = (move: MoveRow) =>
  move.move_line_ids
    .filter((line) => isDone(move, line))
    .map((line) => ({ product: move.product_id.id, location: line.location_id.id }))

/** Lines that are picked are done; the ledger follows in one statement. */
async function carryOver(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const now = nowUtc(env.now())
  const lines = env.model('stock.move.line')
  const picked = moves
    .flatMap((move) => move.move_line_ids.filter((line) => isDone(move, line)).map(({ id }) => id))
    .toSorted((a, b) => a - b)
  await asEngineWrite(env, async () => {
    const before = await loadEffects(env, picked)
    const values: MoveVals = { state: 'done', date: now }
    await env
      .model('stock.move')
      .browse(moves.map(({ id }) => id))
      .write(values)
    await lines.browse(picked).write({ date: now } satisfies LineVals)
    await followLines(env, before, picked)
  })
}

/** Reserves goods that arrived for the moves after these. */
async function reserveNext(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const next = moves.flatMap((move) => move.move_dest_ids.map(({ id }) => id))
  if (next.length) await assignMoves(env, next)
}

/** Reserves goods that arrived for moves that wait for them in the place. */
async function reserveArrived(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const arrived = moves.filter(
    (move) => move.product_id.product_tmpl_id.is_storable && holdsGoods(move.location_dest_id.usage),
  )
  await reserveWaiting(
    env,
    arrived.map(({ id }) => id),
  )
}
