// Less is wanted than moves deliver: open ones give, the last first, and so do those that bring their goods
// through the house, step by step.
import type { Environment, Vals } from '#models'
import { assignMoves, cancelMoves } from '../stock/index.ts'
import { convertQuantity } from '../uom/index.ts'

interface Unit {
  readonly id: number
  readonly factor: number
}

interface Wanting {
  readonly id: number
  readonly state: string | null
  readonly product_uom_qty: number
  readonly product_uom: Unit
}

/** So much of a product is not wanted any more, in its unit, of the moves that deliver it. */
export interface Excess {
  readonly quantity: number
  readonly unit: Unit
  readonly moves: readonly Wanting[]
}

const exact = (value: number) => Number(value.toFixed(6)) + 0

/** Takes what is too much off the moves and off those before them; what wants nothing any more is cancelled. */
export async function reduceMoves(env: Environment, all: readonly Excess[]): Promise<void> {
  const su = env.sudo()
  /** New demand of moves, in their own units. */
  const wanted = new Map<number, number>()
  const advanced = await advancedOf(
    su,
    all.flatMap(({ moves }) => moves.map(({ id }) => id)),
  )
  let reductions = all.flatMap((row) => give(row, wanted, advanced))
  while (reductions.length) {
    const before = await bringing(su, [...new Set(reductions.map(({ move }) => move))])
    reductions = reductions.flatMap(({ move, quantity, unit }) =>
      give({ quantity, unit, moves: before.get(move) ?? [] }, wanted),
    )
  }
  if (wanted.size === 0) return
  await su
    .model('stock.move')
    .writeEach(
      new Map([...wanted].map(([id, product_uom_qty]) => [id, { product_uom_qty } as Vals<'stock.move'>])),
    )
  const gone = [...wanted].filter(([, rest]) => rest === 0).map(([id]) => id)
  if (gone.length) await cancelMoves(su, gone)
  const kept = [...wanted.keys()].filter((id) => !gone.includes(id))
  if (kept.length) await assignMoves(su, kept)
}

interface Given {
  readonly move: number
  /** In the unit of the product. */
  readonly quantity: number
  readonly unit: Unit
}

/** Moves whose goods came through a step before: these are done. */
async function advancedOf(env: Environment, moves: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await env.model('stock.move').browse(moves).load(['move_orig_ids.state'])
  return new Set(
    rows.flatMap((row) => (row.move_orig_ids.some(({ state }) => state === 'done') ? [row.id] : [])),
  )
}

/**
 * Lowers what open moves want, the last ones first, and those whose goods are under way already after all
 * others; says which gave how much.
 */
function give(
  { quantity, unit, moves }: Excess,
  wanted: Map<number, number>,
  advanced: ReadonlySet<number> = new Set(),
): Given[] {
  let left = quantity
  const reductions: Given[] = []
  const rank = ({ id }: Wanting) => Number(advanced.has(id))
  for (const move of moves.toSorted((a, b) => rank(a) - rank(b) || b.id - a.id)) {
    if (move.state === 'done' || move.state === 'cancel' || left <= 0) continue
    const now = wanted.get(move.id) ?? move.product_uom_qty
    const wants = convertQuantity(now, move.product_uom, unit, 'half-up')
    const taken = Math.min(left, wants)
    if (taken <= 0) continue
    wanted.set(move.id, convertQuantity(exact(wants - taken), unit, move.product_uom, 'half-up'))
    reductions.push({ move: move.id, quantity: taken, unit })
    left = exact(left - taken)
  }
  return reductions
}

/**
 * Moves within the warehouse that bring the goods of others; goods ordered from a vendor still arrive.
 */
async function bringing(env: Environment, moves: readonly number[]): Promise<Map<number, Wanting[]>> {
  const rows = await env
    .model('stock.move')
    .browse([...moves])
    .load([
      'move_orig_ids.state',
      'move_orig_ids.product_uom_qty',
      'move_orig_ids.product_uom.factor',
      'move_orig_ids.location_id.usage',
    ])
  return new Map(
    rows.map((row) => [
      row.id,
      row.move_orig_ids.filter((before) => before.location_id.usage !== 'supplier'),
    ]),
  )
}
