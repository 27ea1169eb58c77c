// The quantity of a move as somebody types it: its lines are raised or lowered to it, from what is there as
// far as there is.
import type { Environment } from '#models'
import { convertQuantity } from '../../uom/index.ts'
import { lockHeld, settled } from '../quants/ledger.ts'
import { Stock } from './allocate.ts'
import { isBypassing, LinePlan, lineBase, wantOf } from './assign.ts'
import { type LineRow, type LineVals, loadMoves, type MoveRow, unitsOf } from './load.ts'
import { quietly } from './quiet.ts'
import { refreshStates } from './states.ts'

/**
 * Gives moves quantities, in the units of the moves. More than there is may be typed: the place owes it then.
 */
export async function setQuantities(env: Environment, wanted: ReadonlyMap<number, number>): Promise<void> {
  const moves = await loadMoves(env, [...wanted.keys()])
  const more = moves.filter((one) => (wanted.get(one.id) ?? 0) > one.quantity)
  const less = moves.filter((one) => (wanted.get(one.id) ?? 0) < one.quantity)
  await raise(env, more, wanted)
  await lower(env, less, wanted)
  await refreshStates(
    env,
    moves.map(({ id }) => id),
  )
}

async function raise(
  env: Environment,
  moves: readonly MoveRow[],
  wanted: ReadonlyMap<number, number>,
): Promise<void> {
  const plan = new LinePlan()
  const reserving = moves.filter((one) => !isBypassing(one) && one.state !== 'done')
  const stock = new Stock(
    await lockHeld(
      env,
      reserving.map((one) => ({ product: one.product_id.id, location: one.location_id.id })),
    ),
  )
  for (const one of moves) {
    let rest = settled((wanted.get(one.id) ?? 0) - one.quantity)
    const { own, product } = unitsOf(one)
    if (reserving.includes(one))
      for (const taken of stock.take(wantOf(one, convertQuantity(rest, own, product, 'half-up')))) {
        plan.take(one, taken)
        rest = settled(rest - taken.own)
      }
    if (rest > 0)
      plan.fresh.push({
        move_id: one.id,
        ...lineBase(one),
        quantity: rest,
        ...(one.picked ? { picked: true } : {}),
      })
  }
  await plan.carryOut(env)
}

/** The last lines give first. */
async function lower(
  env: Environment,
  moves: readonly MoveRow[],
  wanted: ReadonlyMap<number, number>,
): Promise<void> {
  const lowered = new Map<number, LineVals>()
  const gone: number[] = []
  for (const one of moves) {
    let excess = settled(one.quantity - Math.max(0, wanted.get(one.id) ?? 0))
    for (const line of one.move_line_ids.toSorted((a, b) => b.id - a.id)) {
      if (excess <= 0) break
      const own = convertQuantity(line.quantity, line.product_uom_id, one.product_uom, 'half-up')
      if (own <= excess && one.state !== 'done') gone.push(line.id)
      else lowered.set(line.id, { quantity: inLine(line, one, Math.max(0, settled(own - excess))) })
      excess = settled(excess - own)
    }
  }
  const lines = env.sudo().model('stock.move.line')
  await quietly(env, async () => {
    if (lowered.size) await lines.writeEach(lowered)
    if (gone.length) await lines.browse(gone).unlink()
  })
}

const inLine = (line: LineRow, move: MoveRow, quantity: number) =>
  convertQuantity(quantity, move.product_uom, line.product_uom_id, 'half-up')

/** Gives up what is reserved for open moves; what is picked stays. */
export async function unreserve(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = (await loadMoves(env, ids)).filter((one) => one.state !== 'done' && one.state !== 'cancel')
  const lines = moves.flatMap((one) => one.move_line_ids.filter((line) => !line.picked).map(({ id }) => id))
  if (lines.length) await quietly(env, () => env.sudo().model('stock.move.line').browse(lines).unlink())
  await refreshStates(
    env,
    moves.map(({ id }) => id),
  )
}
