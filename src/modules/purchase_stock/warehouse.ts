// Warehouses (stock.warehouse): what they lack is bought, unless they say otherwise.

import { boolean, type Environment, extend, implement, many2one, type Of } from '#models'
import { present } from '../../kit/present.ts'

const warehouse = extend('stock.warehouse', {
  fields: {
    buy_to_resupply: boolean({
      label: 'Buy to Resupply',
      asStored: false,
      default: true,
      help: 'Missing goods may be bought for the warehouse.',
    }),
    buy_pull_id: many2one('stock.rule', { label: 'Buy rule', checkCompany: true, copy: false }),
  },
})

declare module '#models' {
  interface Warehouse extends Of<typeof warehouse> {}
}

export default implement(warehouse, {
  wrapCreate: (next) => async (warehouses, list) => {
    const createdWarehouses = await next(warehouses, list)
    await equipWarehouses(createdWarehouses.env, createdWarehouses.ids)
    return createdWarehouses
  },
  wrapWrite: (next) => async (warehouses, changes) => {
    await next(warehouses, changes)
    const changedIds = changes.flatMap(({ ids, vals }) => ('buy_to_resupply' in vals ? ids : []))
    if (changedIds.length) await followSettings(warehouses.env, changedIds)
  },
})

/** Gives warehouses without one the rule by which they buy, and the route to it. */
export async function equipWarehouses(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  const route = await su.find('purchase_stock.route_warehouse0_buy')
  if (route === null || ids.length === 0) return
  const rows = await su
    .model('stock.warehouse')
    .browse([...ids])
    .load(['name', 'code', 'company_id', 'lot_stock_id', 'in_type_id', 'buy_pull_id'])
  const bare = rows.filter((row) => !row.buy_pull_id && row.lot_stock_id && row.in_type_id)
  if (bare.length === 0) return
  const rules = await su.model('stock.rule').create(
    bare.map((warehouse) => ({
      name: `${warehouse.code}: Buy`,
      // A choice that this module adds.
      action: 'buy' as 'pull',
      route_id: route,
      location_dest_id: present(warehouse.lot_stock_id).id,
      picking_type_id: present(warehouse.in_type_id).id,
      warehouse_id: warehouse.id,
      company_id: warehouse.company_id.id,
      propagate_cancel: true,
    })),
  )
  await su
    .model('stock.warehouse')
    .browse(bare.map(({ id }) => id))
    .writeEach(
      new Map(
        bare.map((warehouse, i) => [
          warehouse.id,
          { buy_pull_id: present(rules.ids[i]), route_ids: [[4, route, 0]] },
        ]),
      ),
    )
  await followSettings(
    su,
    bare.map(({ id }) => id),
  )
}

/** Rules are in use where the warehouse wants to buy. */
async function followSettings(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo().withContext({ active_test: false })
  const rows = await su
    .model('stock.warehouse')
    .browse([...ids])
    .load(['buy_to_resupply', 'buy_pull_id.active'])
  const values = rows.flatMap((row) =>
    row.buy_pull_id && row.buy_pull_id.active !== row.buy_to_resupply
      ? [[row.buy_pull_id.id, { active: row.buy_to_resupply }] as const]
      : [],
  )
  if (values.length) await su.model('stock.rule').writeEach(new Map(values))
}
