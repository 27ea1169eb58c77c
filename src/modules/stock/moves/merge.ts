// Merges moves of one transfer that want the same goods in the same way, so that they are picked once.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { settled } from '../quants/ledger.ts'
import { asEngineWrite } from './engine-writes.ts'
import type { MoveVals } from './load.ts'
import { refreshStates } from './states.ts'

/**
 * Fields that merged moves must share. Records of other modules that moves link to must be the same,
 * too.
 */
const distinguishing = [
  'picking_id',
  'product_id',
  'product_uom',
  'location_id',
  'location_dest_id',
  'location_final_id',
  'procure_method',
  'price_unit',
  'restrict_partner_id',
  'origin_returned_move_id',
  'description_picking',
  'rule_id',
  'orderpoint_id',
]

type Loose = Readonly<Record<string, unknown>> & { readonly id: number }
const plain = (value: unknown): unknown =>
  value && typeof value === 'object' && 'id' in value ? value.id : value

export interface Merged {
  /** Which are left of the given ones, or took them in. */
  readonly kept: readonly number[]
  /** Raised demand of moves that existed before and absorbed others. */
  readonly grown: ReadonlyMap<number, number>
}

/** Merges confirmed moves into those of their transfers that are open. `newPickings`: transfers without any others. */
export async function mergeMoves(
  env: Environment,
  ids: readonly number[],
  newPickings: ReadonlySet<number>,
): Promise<Merged> {
  const moves = env.model('stock.move')
  const { fields } = moves.env.def('stock.move')
  const fresh = (await moves.browse(ids).load(['picking_id', 'product_id'])).filter((move) => move.picking_id)
  const pickings = [...new Set(fresh.map((row) => present(row.picking_id?.id)))]
  if (pickings.length === 0) return { kept: [...ids], grown: new Map() }
  const others = await openIn(
    env,
    pickings.filter((picking) => !newPickings.has(picking)),
    fresh.map((row) => row.product_id.id),
  )
  const all = others.union(moves.browse(fresh.map(({ id }) => id)))
  const links = [...fields.values()].filter(
    (field) => field.kind === 'many2one' && field.column && field.module !== 'stock' && !field.automatic,
  )
  const paths = [...distinguishing, ...links.map(({ name }) => name)]
  const rows = (await all.load([
    ...paths,
    'product_uom_qty',
    'move_orig_ids',
    'move_dest_ids',
    'picked',
    'scrap_id',
  ] as never)) as unknown as readonly Loose[]
  const groups = Map.groupBy(
    rows.filter((row) => !row.picked && !row.scrap_id),
    (row) => JSON.stringify(paths.map((path) => plain(row[path]) || null)),
  )
  const into = new Map<number, number>()
  const grown = new Map<number, number>()
  const values = new Map<number, MoveVals>()
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted((a, b) => a.id - b.id) as [Loose, ...Loose[]]
    const merging = others.filter((other) => ids.includes(other.id))
    if (merging.length === 0) continue
    for (const move of merging) into.set(move.id, first.id)
    const all = (field: string) =>
      merging.flatMap((move) => (move[field] as readonly { id: number }[]).map(({ id }) => [4, id] as const))
    const more = merging.reduce((sum, move) => sum + (move.product_uom_qty as number), 0)
    if (!ids.includes(first.id)) grown.set(first.id, settled(more))
    values.set(first.id, {
      product_uom_qty: settled((first.product_uom_qty as number) + more),
      move_orig_ids: all('move_orig_ids'),
      move_dest_ids: all('move_dest_ids'),
    })
  }
  if (values.size) {
    await asEngineWrite(env, async () => {
      await moves.writeEach(values)
      await moves.browse([...into.keys()]).write({ state: 'cancel' })
      await moves.browse([...into.keys()]).unlink()
    })
    await refreshStates(env, [...values.keys()])
  }
  return { kept: [...new Set(ids.map((id) => into.get(id) ?? id))], grown }
}

/** Open moves of products in transfers. */
async function openIn(env: Environment, pickings: readonly number[], products: readonly number[]) {
  const moves = env.model('stock.move')
  if (pickings.length === 0) return moves.browse([])
  return moves.search([
    ['picking_id', 'in', pickings],
    ['product_id', 'in', [...new Set(products)]],
    ['state', 'not in', ['draft', 'done', 'cancel']],
    ['scrap_id', '=', false],
  ])
}
