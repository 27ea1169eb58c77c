// Lots of done goods: required for every line of a tracked product, created where goods arrive; a serial
// number exists once.

import type { Environment } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { asEngineWrite } from './engine-writes.ts'
import type { LineVals, MoveRow } from './load.ts'

/** Makes lots of the names on lines. Throws UserError for lines of tracked products without lot and name. */
export async function giveLots(env: Environment, moves: readonly MoveRow[]): Promise<void> {
  const tracked = moves.filter(
    (move) => move.product_id.product_tmpl_id.tracking !== 'none' && !move.is_inventory,
  )
  const named: { readonly move: MoveRow; readonly line: number; readonly name: string }[] = []
  const nameless = new Set<number>()
  for (const move of tracked) {
    const type = move.picking_type_id
    // Operation types that neither create nor use lots do not require them; scrap and moves without a
    // transfer do.
    if (type && !type.use_create_lots && !type.use_existing_lots) continue
    for (const line of move.move_line_ids) {
      if (!line.picked || line.quantity <= 0 || line.lot_id) continue
      if (line.lot_name) named.push({ move, line: line.id, name: line.lot_name })
      else nameless.add(move.product_id.id)
    }
  }
  if (nameless.size) {
    const products = await env
      .sudo()
      .model('product.product')
      .browse([...nameless].slice(0, 10))
      .load(['display_name'])
    throw new UserError(
      `Lots or serial numbers are missing for: ${products.map((product) => product.display_name).join(', ')}.`,
    )
  }
  if (named.length) await makeLots(env, named)
}

async function makeLots(
  env: Environment,
  named: readonly { readonly move: MoveRow; readonly line: number; readonly name: string }[],
) {
  const lots = env.model('stock.lot')
  const products = [...new Set(named.map((row) => row.move.product_id.id))]
  const existingLots = await lots.search([
    ['product_id', 'in', products],
    ['name', 'in', [...new Set(named.map(({ name }) => name))]],
  ])
  const lotIds = new Map(
    (await existingLots.load(['name', 'product_id'])).map((existingLot) => [
      `${existingLot.product_id.id}/${existingLot.name}`,
      existingLot.id,
    ]),
  )
  const keyOf = (one: (typeof named)[number]) => `${one.move.product_id.id}/${one.name}`
  const wanted = [
    ...new Map(named.filter((row) => !lotIds.has(keyOf(row))).map((row) => [keyOf(row), row])).values(),
  ]
  const createdLots = await lots.create(
    wanted.map((need) => ({ name: need.name, product_id: need.move.product_id.id })),
  )
  for (const [i, namedLine] of wanted.entries()) lotIds.set(keyOf(namedLine), present(createdLots.ids[i]))
  const values = new Map<number, LineVals>(
    named.map((row) => [row.line, { lot_id: present(lotIds.get(keyOf(row))) }]),
  )
  await asEngineWrite(env, () => env.model('stock.move.line').writeEach(values))
}

/**
 * Throws ValidationError for serial numbers of which a place would hold more than one, after moves were done.
 */
export async function assertPieces(env: Environment, moves: readonly number[]): Promise<void> {
  const serial = await env.rows(
    sql`SELECT DISTINCT l.lot_id FROM stock_move_line l JOIN product_product p ON p.id = l.product_id
    JOIN product_template t ON t.id = p.product_tmpl_id
    WHERE l.move_id = ANY(${idList([...moves])}) AND t.tracking = 'serial' AND l.lot_id IS NOT NULL`,
    { reads: ['stock.move.line', 'product.product', 'product.template'], row: ['int'] },
  )
  if (serial.length === 0) return
  const rows = await env.rows(
    sql`SELECT n.name FROM stock_quant q JOIN stock_location l ON l.id = q.location_id JOIN stock_lot n ON n.id = q.lot_id
    WHERE q.lot_id = ANY(${idList(serial.map((row) => row[0]))}) AND l.usage IN ('internal', 'transit', 'customer')
      AND q.quantity > 1 LIMIT 1`,
    { reads: ['stock.quant', 'stock.location', 'stock.lot'], row: ['text'] },
  )
  if (rows.length)
    throw new ValidationError(`The serial number ${rows[0]?.[0]} would be in a location more than once.`)
}
