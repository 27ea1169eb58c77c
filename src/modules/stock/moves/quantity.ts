// Sets the quantity of a move as a user enters it: raises its lines, from available stock first, or lowers
// them.
import type { Environment } from '#models'
import { roundToScale } from '../../../kit/rounding.ts'
import { convertQuantity } from '../../uom/index.ts'
import { settled } from '../quants/ledger.ts'
import { isBypassing, LinePlan, lineBase, stockFor, wantOf } from './assign.ts'
import { asEngineWrite } from './engine-writes.ts'
import { isOpen, type LineRow, type LineVals, loadMoves, type MoveRow, unitsOf } from './load.ts'
import { refreshStates, setStates } from './states.ts'

/**
 * Sets quantities of moves, in their units. A quantity beyond the stock makes the stock negative.
 *
 * The state of a confirmed move follows (recorded stories of kind stock): raising a quantity makes the move
 * ready if all that was added is available, or its location needs no stock; lowering it compares it with
 * the demand, for goods whose quantities are tracked.
 */
export async function setQuantities(env: Environment, wanted: ReadonlyMap<number, number>): Promise<void> {
  const moves = await loadMoves(env, [...wanted.keys()])
  const more = moves.filter((move) => (wanted.get(move.id) ?? 0) > move.quantity)
  const less = moves.filter((move) => (wanted.get(move.id) ?? 0) < move.quantity)
  const ready = await raise(env, more, wanted)
  const compared = await lower(env, less, wanted)
  await setStates(
    env,
    more.filter((move) => isOpen(move.state) && move.state !== 'draft'),
    new Map([...ready].map((id) => [id, 'assigned'])),
  )
  await refreshStates(env, [...compared, ...more.map(({ id }) => id).filter((id) => !ready.has(id))])
}

/** Raises quantities. Returns the moves for which all that was added is available. */
async function raise(
  env: Environment,
  moves: readonly MoveRow[],
  wanted: ReadonlyMap<number, number>,
): Promise<Set<number>> {
  const plan = new LinePlan()
  const ready = new Set<number>()
  const reserving = moves.filter((move) => !isBypassing(move) && move.state !== 'done')
  const stock = await stockFor(env, reserving)
  for (const move of moves) {
    const { moveUnit, product } = unitsOf(move)
    let rest = settled((wanted.get(move.id) ?? 0) - move.quantity)
    if (reserving.includes(move)) {
      const missing = convertQuantity(rest, moveUnit, product, 'half-up')
      const takenRows = stock.take(wantOf(move, missing))
      for (const taken of takenRows) plan.take(move, taken)
      const sum = settled(takenRows.reduce((all, { quantity }) => all + quantity, 0))
      rest = sum >= missing ? 0 : roundToScale(rest - convertQuantity(sum, product, moveUnit, 'none'), 2)
    }
    if (rest <= 0 || isBypassing(move)) ready.add(move.id)
    const line = onlyLot(move)
    if (rest > 0 && line) plan.raise(line, convertQuantity(rest, moveUnit, line.product_uom_id, 'half-up'))
    else if (rest > 0)
      plan.fresh.push({
        move_id: move.id,
        ...lineBase(move),
        quantity: rest,
        ...(move.picked ? { picked: true } : {}),
      })
  }
  await plan.carryOut(env)
  return ready
}

/** The line of a done move that moved one lot: what it moved besides is of that lot. */
function onlyLot({ state, product_id, move_line_ids: [line, ...others] }: MoveRow): LineRow | undefined {
  const isOfLots = product_id.product_tmpl_id.tracking === 'lot'
  return state === 'done' && isOfLots && line?.lot_id && others.length === 0 ? line : undefined
}

/**
 * Lowers reservations of moves to new demands, which are about to be written. Picked quantities stay:
 * someone holds those goods.
 */
export async function lowerUnpicked(env: Environment, demands: ReadonlyMap<number, number>): Promise<void> {
  const moves = await loadMoves(env, [...demands.keys()])
  await lower(
    env,
    moves.map((move) => ({ ...move, move_line_ids: move.move_line_ids.filter((line) => !line.picked) })),
    demands,
  )
}

/** Lowers quantities; the last lines give first. Returns the moves whose states follow from their demands. */
async function lower(
  env: Environment,
  moves: readonly MoveRow[],
  wanted: ReadonlyMap<number, number>,
): Promise<number[]> {
  const compared: number[] = []
  const lowered = new Map<number, LineVals>()
  const gone: number[] = []
  for (const move of moves) {
    const before = gone.length
    let excess = settled(move.quantity - Math.max(0, wanted.get(move.id) ?? 0))
    for (const line of move.move_line_ids.toSorted((a, b) => b.id - a.id)) {
      if (excess <= 0) break
      const lineQuantity = convertQuantity(line.quantity, line.product_uom_id, move.product_uom, 'half-up')
      if (lineQuantity <= excess && move.state !== 'done') gone.push(line.id)
      else lowered.set(line.id, { quantity: inLine(line, move, Math.max(0, settled(lineQuantity - excess))) })
      excess = settled(excess - lineQuantity)
    }
    if (move.product_id.product_tmpl_id.is_storable || gone.length > before) compared.push(move.id)
  }
  const lines = env.sudo().model('stock.move.line')
  await asEngineWrite(env, async () => {
    if (lowered.size) await lines.writeEach(lowered)
    if (gone.length) await lines.browse(gone).unlink()
  })
  return compared
}

const inLine = (line: LineRow, move: MoveRow, quantity: number) =>
  convertQuantity(quantity, move.product_uom, line.product_uom_id, 'half-up')

/** Unreserves open moves; picked quantities stay. */
export async function unreserve(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = (await loadMoves(env, ids)).filter((move) => move.state !== 'done' && move.state !== 'cancel')
  const lines = moves.flatMap((move) => move.move_line_ids.filter((line) => !line.picked).map(({ id }) => id))
  if (lines.length) await asEngineWrite(env, () => env.sudo().model('stock.move.line').browse(lines).unlink())
  await refreshStates(
    env,
    moves.map(({ id }) => id),
  )
}
