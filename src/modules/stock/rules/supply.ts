// Moves that are made to order ask for their goods where they take them from.
import type { Environment } from '#models'
import { meetNeeds } from './procurement.ts'

/**
 * Asks for what confirmed moves take, by the rules of the place they take it from. Throws UserError where no
 * rule says how it gets there.
 */
export async function askForSupply(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env
    .sudo()
    .model('stock.move')
    .browse(ids)
    .load([
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
  await meetNeeds(
    env,
    rows.map((one) => ({
      product: one.product_id.id,
      quantity: one.product_uom_qty,
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
