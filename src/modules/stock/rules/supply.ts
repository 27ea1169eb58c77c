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
  const rows = all.filter((one) => one.procure_method === 'make_to_order')
  if (rows.length === 0) return
  await meetNeeds(
    env,
    rows.map((one) => ({
      product: one.product_id.id,
      quantity: more.get(one.id) ?? one.product_uom_qty,
      unit: one.product_uom.id,
      location: one.location_id.id,
      company: one.company_id.id,
      origin: one.origin,
      date: one.date,
      deadline: one.date_deadline,
      warehouse: one.warehouse_id?.id ?? null,
      routes: one.route_ids.map(({ id }) => id),
      partner: one.partner_id?.id ?? null,
      priority: one.priority ?? '0',
      dests: [one.id],
      final: one.location_final_id?.id ?? null,
    })),
  )
}
