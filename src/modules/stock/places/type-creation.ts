// New kinds of operations: their numbers, and the places of their warehouse that they go from and to when
// none are given.

import type { Environment, Vals } from '#models'
import { isInteger } from '../../../kit/present.ts'

type Given = Readonly<Record<string, unknown>>
type TypeVals = Vals<'stock.picking.type'>

/** Prefix of the numbers of an operation type of a warehouse, and the name of its sequence. */
export const numbering = (
  code: string,
  type: { readonly name?: unknown; readonly sequence_code?: unknown },
): { name: string; prefix: string } => ({
  name: `${code} ${type.name ?? ''}`.trim(),
  prefix: `${code}/${type.sequence_code}/`,
})

/** Values to create kinds of operations with, completed for all of them together. */
export async function completeTypes(env: Environment, list: readonly Given[]): Promise<TypeVals[]> {
  const su = env.sudo()
  const ids = list.flatMap((vals) => (isInteger(vals.warehouse_id) ? [vals.warehouse_id] : []))
  const rows = await su
    .model('stock.warehouse')
    .browse([...new Set(ids)])
    .load(['code', 'company_id', 'lot_stock_id'])
  const warehouses = new Map(rows.map((row) => [row.id, row]))
  const outside = list.some(
    (vals) => vals.default_location_src_id === undefined || vals.default_location_dest_id === undefined,
  )
    ? await partnerPlaces(su)
    : null
  const complete = list.map((vals): Record<string, unknown> => {
    const warehouse = warehouses.get(vals.warehouse_id as number)
    const companyVals = warehouse ? { company_id: vals.company_id ?? warehouse.company_id.id } : {}
    const within = warehouse?.lot_stock_id?.id
    const [from, to] =
      vals.code === 'outgoing'
        ? [within, outside?.customers]
        : vals.code === 'internal'
          ? [within, within]
          : [outside?.suppliers, within]
    return {
      ...companyVals,
      ...(vals.default_location_src_id === undefined && from ? { default_location_src_id: from } : {}),
      ...(vals.default_location_dest_id === undefined && to ? { default_location_dest_id: to } : {}),
      ...vals,
    }
  })
  const numberless = complete.filter(
    (vals) => vals.sequence_id === undefined && typeof vals.sequence_code === 'string',
  )
  const sequences = await su.model('ir.sequence').create(
    numberless.map((vals) => {
      const warehouse = warehouses.get(vals.warehouse_id as number)
      const company = isInteger(vals.company_id) ? vals.company_id : env.companyId
      return {
        ...(warehouse
          ? numbering(warehouse.code, vals)
          : { name: `${vals.name ?? ''}`, prefix: `${vals.sequence_code}` }),
        padding: 5,
        company_id: company,
      }
    }),
  )
  for (const [i, vals] of numberless.entries()) vals.sequence_id = sequences.ids[i]
  return complete as TypeVals[]
}

/** The places that stand for vendors and customers, of no company. */
export async function partnerPlaces(
  env: Environment,
): Promise<{ readonly suppliers: number; readonly customers: number }> {
  return {
    suppliers: await env.ref('stock.stock_location_suppliers'),
    customers: await env.ref('stock.stock_location_customers'),
  }
}
