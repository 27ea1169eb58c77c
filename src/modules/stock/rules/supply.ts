// Moves that are made to order ask for their goods where they take them from.
import type { Environment } from '#models'
import { meetNeeds } from './procurement.ts'

/**
 * Asks for what those of confirmed moves take that are made to order, by the rules of the place they take it
 * from: for all of it, or for `more` where they were there before. Throws UserError where no rule says how it
 * gets there.
 */
export async function askForSupply(
  env: Environment,
  ids: readonly number[],
  more: ReadonlyMap<number, number>,
): Promise<void> {
  const all = await env
    .sudo()
    .model('stock.move')
    .browse(ids)
    .load([
      'procure_method',
      'product_id',
      'product_uom',
      'product_uom_qty',
      'location_id',
      'company_id',
      'origin',
      'date',
      'date_deadline',
      'warehouse_id',
      'route_ids',
      'partner_id',
      'priority',
      'location_final_id',
    ])
  const rows = all.filter((row) => row.procure_method === 'make_to_order')
  if (rows.length === 0) return
  await meetNeeds(
    env,
    rows.map((row) => ({
      product: row.product_id.id,
      quantity: more.get(row.id) ?? row.product_uom_qty,
      unit: row.product_uom.id,
      location: row.location_id.id,
      company: row.company_id.id,
      origin: row.origin,
      date: row.date,
      deadline: row.date_deadline,
      warehouse: row.warehouse_id?.id ?? null,
      routes: row.route_ids.map(({ id }) => id),
      partner: row.partner_id?.id ?? null,
      priority: row.priority ?? '0',
      dests: [row.id],
      final: row.location_final_id?.id ?? null,
    })),
  )
}
