// Goods that earlier moves brought for later ones: those take exactly these.
import type { Environment } from '#models'
import { idList, type RowOf, sql } from '../../../sql/index.ts'
import { settled } from '../quants/ledger.ts'
import type { Only } from './allocate.ts'
import type { MoveRow } from './load.ts'

type Came = Map<string, Only>
/** A move, the place, lot, package and owner of goods, and how much. */
const cameOrWent = ['int', 'int', 'int?', 'int?', 'int?', 'float'] as const
type CameOrWent = RowOf<typeof cameOrWent>

const key = (row: CameOrWent) => row.slice(1, 5).join('/')

/**
 * By move that has moves before it: what came by them less what it and its siblings took already. Moves
 * without are left out.
 */
export async function arrivals(env: Environment, moves: readonly MoveRow[]): Promise<Map<number, Only[]>> {
  const chained = moves.filter((move) => move.move_orig_ids.length > 0)
  if (chained.length === 0) return new Map()
  const ids = idList(chained.map(({ id }) => id))
  const brought = await env.rows(
    sql`SELECT r.move_dest_id, l.location_dest_id, l.lot_id, l.result_package_id, l.owner_id,
      COALESCE(sum(l.quantity_product_uom), 0)::float8
    FROM stock_move_move_rel r JOIN stock_move_line l ON l.move_id = r.move_orig_id AND l.state = 'done'
    WHERE r.move_dest_id = ANY(${ids}) GROUP BY 1, 2, 3, 4, 5 ORDER BY min(l.id)`,
    { reads: ['stock.move.line'], row: cameOrWent },
  )
  const taken = await env.rows(
    sql`SELECT m.id, l.location_id, l.lot_id, l.package_id, l.owner_id, COALESCE(sum(l.quantity_product_uom), 0)::float8
    FROM (SELECT DISTINCT mine.move_dest_id AS id, theirs.move_dest_id AS sibling FROM stock_move_move_rel mine
        JOIN stock_move_move_rel theirs ON theirs.move_orig_id = mine.move_orig_id WHERE mine.move_dest_id = ANY(${ids})) AS m
      JOIN stock_move s ON s.id = m.sibling AND s.state <> 'cancel' JOIN stock_move_line l ON l.move_id = s.id
    GROUP BY 1, 2, 3, 4, 5`,
    { reads: ['stock.move', 'stock.move.line'], row: cameOrWent },
  )
  const arrivedByMove = new Map<number, Came>(chained.map(({ id }) => [id, new Map()]))
  for (const row of brought) arrivedByMove.get(row[0])?.set(key(row), onlyOf(row))
  for (const row of taken) {
    const arrival = arrivedByMove.get(row[0])?.get(key(row))
    if (arrival) arrival.quantity = settled(arrival.quantity - row[5])
  }
  return new Map([...arrivedByMove].map(([id, came]) => [id, [...came.values()]]))
}

const onlyOf = (row: CameOrWent): Only => ({
  location: row[1],
  lot: row[2],
  package: row[3],
  owner: row[4],
  quantity: row[5],
})
