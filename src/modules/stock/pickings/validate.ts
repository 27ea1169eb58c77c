// Validates transfers: picked goods, or else all reserved ones, change places. The user, or the context,
// decides about the rest.

import type { Environment, Records } from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { assignMoves } from '../moves/assign.ts'
import { confirmMoves } from '../moves/confirm.ts'
import { doneMoves, pickedOf } from '../moves/done.ts'
import { asEngineWrite } from '../moves/engine-writes.ts'
import { loadMoves, type MoveRow } from '../moves/load.ts'
import { giveLots } from '../moves/lots.ts'
import { setQuantities } from '../moves/quantity.ts'
import { assertReturnable } from '../moves/returned.ts'
import { takeTurns } from '../quants/ledger.ts'
import { makeBackorders } from './backorder.ts'
import { openBackorderForm } from './backorder-form.ts'

type Pickings = Records<'stock.picking'>

const load = (pickings: Pickings) =>
  pickings.sudo().load(['name', 'state', 'picking_type_id.create_backorder', 'move_ids.state', 'move_ids'])

/**
 * Answers true, or the action that opens a form where somebody has to decide. Throws UserError for transfers
 * that move nothing.
 */
export async function validate(pickings: Pickings): Promise<true | object> {
  const { env } = pickings
  await assertAllowed(pickings, 'write')
  await takeTurns(
    env,
    sql`SELECT product_id FROM stock_move WHERE picking_id = ANY(${idList([...pickings.ids])}) AND state NOT IN ('done', 'cancel')`,
  )
  const all = await load(pickings)
  if (all.length < new Set(pickings.ids).size)
    throw new MissingError('A transfer no longer exists: reload the list.')
  const open = all.filter((row) => row.state !== 'done')
  if (open.length === 0) return true
  const cancelled = open.find((row) => row.state === 'cancel')
  if (cancelled) throw new UserError(`${cancelled.name} is cancelled: it cannot be validated.`)
  const ids = open.map(({ id }) => id)
  await fillDrafts(env, open)
  const moves = await openMoves(env, ids)
  assertMoving(open, moves)
  await pickAll(env, moves)
  const ready = await again(env, moves)
  await giveLots(env.sudo(), ready)
  const short = new Set(
    ready
      .filter((move) => pickedOf(move) < move.product_uom_qty)
      .flatMap((move) => move.picking_id?.id ?? []),
  )
  const withoutRest = new Set(idsIn(env.context.picking_ids_not_to_backorder))
  for (const row of open) if (row.picking_type_id.create_backorder === 'never') withoutRest.add(row.id)
  const asking = open.filter(
    (row) => short.has(row.id) && row.picking_type_id.create_backorder === 'ask' && !withoutRest.has(row.id),
  )
  if (asking.length && !env.context.skip_backorder)
    return openBackorderForm(
      env,
      ids,
      asking.map(({ id }) => id),
    )
  await doTransfers(env, ids, withoutRest, ready)
  return true
}

const idsIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((item) => Number.isInteger(item)) : isInteger(value) ? [value] : []

/** Drafts that are validated at once get all that they want. */
async function fillDrafts(env: Environment, open: Awaited<ReturnType<typeof load>>): Promise<void> {
  const drafts = open.flatMap((row) =>
    row.move_ids.filter((move) => move.state === 'draft').map(({ id }) => id),
  )
  if (drafts.length === 0) return
  const kept = await confirmMoves(env, drafts)
  const rows = await loadMoves(env, kept)
  const empty = rows.filter((row) => row.quantity === 0 && row.product_uom_qty > 0)
  if (empty.length)
    await setQuantities(env.sudo(), new Map(empty.map((move) => [move.id, move.product_uom_qty])))
}

async function openMoves(env: Environment, pickings: readonly number[]): Promise<MoveRow[]> {
  const moves = await env
    .sudo()
    .model('stock.move')
    .search([
      ['picking_id', 'in', [...pickings]],
      ['state', 'not in', ['done', 'cancel']],
    ])
  return loadMoves(env, moves.ids)
}

/** Loads moves again after their change. */
const again = (env: Environment, moves: readonly MoveRow[]): Promise<MoveRow[]> =>
  loadMoves(
    env,
    moves.map(({ id }) => id),
  )

function assertMoving(
  open: readonly { readonly id: number; readonly name: string | null }[],
  moves: readonly MoveRow[],
): void {
  for (const row of open) {
    const pickingMoves = moves.filter((move) => move.picking_id?.id === row.id)
    if (pickingMoves.length === 0) throw new UserError(`${row.name} has no moves: add the goods to move.`)
    if (pickingMoves.every((move) => move.quantity === 0))
      throw new UserError(`${row.name} has no quantities: reserve the goods, or enter the moved quantities.`)
  }
}

/** Picks everything of transfers without picked lines. */
async function pickAll(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const groups = Map.groupBy(moves, (move) => move.picking_id?.id)
  const lines = [...groups.values()].flatMap((group) => {
    const all = group.flatMap((member) => member.move_line_ids)
    return all.some((line) => line.picked && line.quantity > 0) ? [] : all.map(({ id }) => id)
  })
  if (lines.length)
    await asEngineWrite(env, () => env.sudo().model('stock.move.line').browse(lines).write({ picked: true }))
}

/** Does transfers, and leaves what is left in new ones. Those of `withoutRest` give it up. */
export async function doTransfers(
  env: Environment,
  ids: readonly number[],
  withoutRest: ReadonlySet<number>,
  loadedMoves?: readonly MoveRow[],
): Promise<void> {
  const su = env.sudo()
  const moves = loadedMoves ?? (await openMoves(su, ids))
  const idsOf = (rest: boolean) =>
    moves.filter((move) => withoutRest.has(move.picking_id?.id ?? 0) !== rest).map(({ id }) => id)
  await doneMoves(su, idsOf(false), { withoutRest: true })
  await doneMoves(su, idsOf(true), { keepRest: (rest) => keepRest(su, rest) })
  // Customers send back what was miscounted: managers, who apply counts too, take it.
  if (!env.su && !env.hasGroup('stock.group_stock_manager')) await assertReturnable(su, moves)
  await su
    .model('stock.picking')
    .browse(ids)
    .write({ date_done: nowUtc(env.now()), priority: '0' })
  env.model('stock.picking').browse(ids).emit('done')
}

/** Puts what is left into back orders, which reserve at once. */
async function keepRest(env: Environment, rest: readonly number[]): Promise<void> {
  await makeBackorders(env, rest)
  await assignMoves(env, rest)
}
