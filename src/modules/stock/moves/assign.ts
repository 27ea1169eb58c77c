// Reserving: lines for what open moves want, from what places hold; the rows are locked, and read in one
// statement for all moves.
import type { Environment } from '#models'
import { roundToScale } from '../../../kit/rounding.ts'
import { convertQuantity, type UnitFactor } from '../../uom/index.ts'
import { holdsGoods } from '../places/usages.ts'
import { keyOf, lockHeld, type QuantKey, settled } from '../quants/ledger.ts'
import { type Only, Stock } from './allocate.ts'
import { arrivals } from './arrivals.ts'
import { asEngineWrite } from './engine-writes.ts'
import { type LineRow, type LineVals, loadMoves, type MoveRow, unitsOf } from './load.ts'
import { putAway } from './put-away.ts'
import { type OpenState, setStates } from './states.ts'

/**
 * True if goods are taken without a reservation: the place has unlimited stock, or the product is not
 * counted.
 */
export const isBypassing = (move: MoveRow): boolean =>
  !move.product_id.product_tmpl_id.is_storable || !holdsGoods(move.location_id.usage)

/** First what is urgent, then what was wanted first. */
const byUrgency = (a: MoveRow, b: MoveRow) =>
  (b.priority ?? '0').localeCompare(a.priority ?? '0') || a.id - b.id

/** Moves that reserve. Of a picked move somebody said what it is done with: nothing is added to that. */
const assignable = (move: MoveRow) =>
  !move.picked &&
  (move.state === 'confirmed' || move.state === 'waiting' || move.state === 'partially_available')

/** Key of a line: the row of the ledger that it reserves. */
const lineKey = (move: MoveRow, line: LineRow) =>
  keyOf({
    product: move.product_id.id,
    location: line.location_id.id,
    lot: line.lot_id?.id ?? null,
    package: line.package_id?.id ?? null,
    owner: line.owner_id?.id ?? null,
  })

/**
 * Changes of the lines of moves: new lines, and new quantities of existing ones, in the unit of the
 * line.
 */
export class LinePlan {
  readonly fresh: LineVals[] = []
  readonly raised = new Map<number, LineVals>()

  /** So much more of a row of the ledger for a move, by its line on that row or a new one. */
  take(move: MoveRow, { held, quantity }: { readonly held: QuantKey; readonly quantity: number }): void {
    const { moveUnit, product } = unitsOf(move)
    const line = move.move_line_ids.find(
      (moveLine) => lineKey(move, moveLine) === keyOf(held) && !moveLine.lot_name,
    )
    const more = line && exactIn(quantity, product, line.product_uom_id)
    if (line && more) {
      this.raise(line, more)
      return
    }
    this.fresh.push({
      move_id: move.id,
      ...lineBase(move),
      ...quantityOn(quantity, product, moveUnit),
      location_id: held.location,
      lot_id: held.lot,
      package_id: held.package,
      result_package_id: null,
      owner_id: held.owner,
    })
  }

  raise(line: LineRow, more: number): void {
    const before = (this.raised.get(line.id)?.quantity as number | undefined) ?? line.quantity
    this.raised.set(line.id, { quantity: settled(before + more) })
  }

  async carryOut(env: Environment): Promise<void> {
    const lines = env.sudo().model('stock.move.line')
    await asEngineWrite(env, async () => {
      if (this.raised.size) await lines.writeEach(this.raised)
      if (this.fresh.length) await lines.create(this.fresh)
    })
  }
}

/** A quantity in another unit, or null where its two decimals do not say the same quantity. */
function exactIn(quantity: number, from: UnitFactor, to: UnitFactor): number | null {
  const converted = convertQuantity(quantity, from, to, 'half-up')
  return convertQuantity(converted, to, from, 'half-up') === roundToScale(quantity, 2) ? converted : null
}

/**
 * Quantity and unit of a line: the unit of the move where that says the quantity exactly, else the unit
 * of the product. Four pieces for a move in dozens are 4 pieces and not 0.33 dozens, which are 3.96. So a
 * line never reserves more, or less, than was taken for it.
 */
export function quantityOn(quantity: number, product: UnitFactor, moveUnit: UnitFactor): LineVals {
  const exact = exactIn(quantity, product, moveUnit)
  return exact === null ? { quantity, product_uom_id: product.id } : { quantity: exact }
}

/** Values of every new line of a move. */
export const lineBase = (move: MoveRow): LineVals => ({
  product_id: move.product_id.id,
  product_uom_id: move.product_uom.id,
  company_id: move.company_id.id,
  picking_id: move.picking_id?.id ?? null,
  location_id: move.location_id.id,
  location_dest_id: move.location_dest_id.id,
  ...(move.restrict_partner_id ? { owner_id: move.restrict_partner_id.id } : {}),
})

/** Unreserved demand of a move, in the unit of its product. */
function missing(move: MoveRow): number {
  const { moveUnit, product } = unitsOf(move)
  const reserved = move.move_line_ids.reduce((sum, line) => sum + line.quantity_product_uom, 0)
  return roundToScale(convertQuantity(move.product_uom_qty, moveUnit, product, 'half-up') - reserved, 2)
}

export const wantOf = (move: MoveRow, quantity: number, only?: readonly Only[]) => ({
  product: move.product_id.id,
  path: move.location_id.parent_path ?? '',
  location: move.location_id.id,
  quantity,
  unit: unitsOf(move).moveUnit,
  productUnit: unitsOf(move).product,
  whole: move.product_id.product_tmpl_id.tracking === 'serial',
  method:
    move.location_id.removal_strategy_id?.method ??
    move.product_id.product_tmpl_id.categ_id?.removal_strategy_id?.method ??
    'fifo',
  owner: move.restrict_partner_id?.id ?? null,
  ...(only ? { only } : {}),
})

/**
 * Lines of goods that need no reservation: those that earlier moves brought, with their lots; for the
 * rest a single line, or one for each piece if pieces have serial numbers.
 */
function bypass(plan: LinePlan, move: MoveRow, all: number, came: readonly Only[]): void {
  const { moveUnit, product } = unitsOf(move)
  let wanted = all
  for (const only of came) {
    const quantity = Math.min(wanted, only.quantity)
    if (quantity <= 0) continue
    plan.take(move, { held: { ...only, product: move.product_id.id }, quantity })
    wanted = settled(wanted - quantity)
  }
  if (wanted <= 0) return
  const { tracking } = move.product_id.product_tmpl_id
  const numbered = move.picking_type_id?.use_create_lots || move.picking_type_id?.use_existing_lots
  if (tracking === 'serial' && numbered && wanted <= MOST_PIECES) {
    for (let i = 0; i < Math.floor(wanted); i++)
      plan.fresh.push({ move_id: move.id, ...lineBase(move), product_uom_id: product.id, quantity: 1 })
    return
  }
  const line = move.move_line_ids.find(
    (line) =>
      !line.lot_id &&
      !line.lot_name &&
      !line.picked &&
      line.product_uom_id.id === moveUnit.id &&
      tracking === 'none',
  )
  if (line) plan.raise(line, convertQuantity(wanted, product, moveUnit, 'half-up'))
  else plan.fresh.push({ move_id: move.id, ...lineBase(move), ...quantityOn(wanted, product, moveUnit) })
}

/** Pieces of one move that get lines of their own. */
const MOST_PIECES = 1000

/** Lots that were promised, and how much of each, by move. */
export type PromisedLots = ReadonlyMap<number, readonly { readonly lot: number; readonly quantity: number }[]>

/** The rows of the ledger with promised lots, wherever the place of a move has them. */
const promised = (stock: Stock, lots: PromisedLots, move: MoveRow): Only[] | undefined =>
  lots.get(move.id)?.flatMap(({ lot, quantity }) => stock.withLot(move.product_id.id, lot, quantity))

/**
 * Reserves for confirmed moves what there is for them, of moves with promised lots these
 * alone. In order: urgent ones first, then as they were made.
 *
 * A move that got all that was still missing is `assigned`, also where its unit says a little less than its
 * demand (1 piece of a product in dozens is 0.08 dozens, which are 0.96 pieces); one that got a part is
 * `partially_available`; one that got nothing is left unchanged (recorded stories of kind stock).
 */
export async function assignMoves(
  env: Environment,
  ids: readonly number[],
  lots: PromisedLots = new Map(),
): Promise<void> {
  const moves = (await loadMoves(env, ids)).filter(assignable).toSorted(byUrgency)
  const open = moves.filter((move) => missing(move) > 0)
  const plan = new LinePlan()
  const stock = await stockFor(env, open)
  const came = await arrivals(env, open)
  const states = new Map<number, OpenState>(moves.map(({ id }) => [id, 'assigned']))
  for (const row of open) {
    const wanted = missing(row)
    if (isBypassing(row)) {
      bypass(plan, row, wanted, came.get(row.id) ?? [])
      continue
    }
    const unasked = row.procure_method === 'make_to_order' && row.move_orig_ids.length === 0
    const takenRows = unasked
      ? []
      : stock.take(wantOf(row, wanted, promised(stock, lots, row) ?? came.get(row.id)))
    for (const taken of takenRows) plan.take(row, taken)
    const sum = settled(takenRows.reduce((all, { quantity }) => all + quantity, 0))
    if (sum === 0) states.delete(row.id)
    else if (sum < wanted) states.set(row.id, 'partially_available')
  }
  await putAway(env, open, plan.fresh)
  await plan.carryOut(env)
  await setStates(env, moves, states)
}

/** The free goods that moves may reserve, locked. */
export async function stockFor(env: Environment, moves: readonly MoveRow[]): Promise<Stock> {
  const held = moves.filter((move) => !isBypassing(move))
  return new Stock(
    await lockHeld(
      env,
      held.map((row) => ({ product: row.product_id.id, location: row.location_id.id })),
    ),
  )
}
