// Stock data of tills: an operation type of each warehouse for sales over the counter; transfers know
// their order and session.

import { type Environment, extend, implement, many2one, type Of } from '#models'
import { present } from '../../../kit/present.ts'

const warehouse = extend('stock.warehouse', {
  fields: {
    pos_type_id: many2one('stock.picking.type', {
      label: 'Point of Sale Operation Type',
      checkCompany: true,
      copy: false,
      ondelete: 'set null',
    }),
  },
})
const picking = extend('stock.picking', {
  fields: {
    pos_order_id: many2one('pos.order', {
      label: 'POS Order',
      index: 'set',
      ondelete: 'set null',
      copy: false,
    }),
    pos_session_id: many2one('pos.session', {
      label: 'POS Session',
      index: 'set',
      ondelete: 'set null',
      copy: false,
    }),
  },
})

declare module '#models' {
  interface Warehouse extends Of<typeof warehouse> {}
  interface StockPicking extends Of<typeof picking> {}
}

/** Gives warehouses their kind of operation for tills. */
export async function equipWarehouses(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo().withContext({ active_test: false })
  const rows = (
    await su.model('stock.warehouse').browse(ids).load(['pos_type_id', 'company_id', 'active'])
  ).filter((warehouse) => !warehouse.pos_type_id)
  if (rows.length === 0) return
  const types = await su.model('stock.picking.type').create(
    rows.map((row) => ({
      name: 'PoS Orders',
      code: 'outgoing',
      sequence_code: 'POS',
      warehouse_id: row.id,
      company_id: row.company_id.id,
      active: row.active,
      sequence: 12,
    })),
  )
  await su
    .model('stock.warehouse')
    .browse(rows.map(({ id }) => id))
    .writeEach(new Map(rows.map(({ id }, i) => [id, { pos_type_id: present(types.ids[i]) }])))
}

/** The kind of operation of the company's first warehouse. */
export async function counterType(env: Environment): Promise<number | null> {
  const warehouse = await env
    .sudo()
    .model('stock.warehouse')
    .search([['company_id', '=', env.companyId]], { limit: 1, order: 'id' })
  if (warehouse.length === 0) return null
  await equipWarehouses(env, warehouse.ids)
  return (await warehouse.one(['pos_type_id'])).pos_type_id?.id ?? null
}

export const places = [
  implement(warehouse, {
    wrapCreate: (next) => async (warehouses, list) => {
      const createdWarehouses = await next(warehouses, list)
      await equipWarehouses(createdWarehouses.env, createdWarehouses.ids)
      return createdWarehouses
    },
  }),
  implement(picking),
] as const
