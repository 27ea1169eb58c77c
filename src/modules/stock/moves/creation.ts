// New moves: what they take from their transfer, from the kind of operation, and from the product.

import type { Environment } from '#models'
import { isInteger } from '../../../kit/present.ts'
import type { MoveVals } from './load.ts'

type Given = Readonly<Record<string, unknown>>
const idIn = (value: unknown): number | undefined => (isInteger(value) ? value : undefined)
const idsIn = (list: readonly Given[], field: string) => [
  ...new Set(list.flatMap((vals) => idIn(vals[field]) ?? [])),
]

/** Fields that moves take from their transfer unless they are set. */
const taken = [
  'location_id',
  'location_dest_id',
  'company_id',
  'picking_type_id',
  'partner_id',
  'origin',
  'date',
  'additional',
]

/** The instructions of a product for packing, by the kind of operation. */
const wordings = {
  incoming: 'description_pickingin',
  outgoing: 'description_pickingout',
  internal: 'description_picking',
} as const

/** Where the goods of transfers under way end, by transfer: what is added to one goes on with its goods. */
async function finalPlaces(
  su: Environment,
  pickings: readonly { readonly id: number; readonly state: string | null }[],
): Promise<ReadonlyMap<number, number>> {
  const started = pickings.filter(({ state }) => state !== 'draft').map(({ id }) => id)
  if (started.length === 0) return new Map()
  const rows = await su.model('stock.picking').browse(started).load(['move_ids.location_final_id'])
  return new Map(
    rows.flatMap(({ id, move_ids }) => {
      const final = move_ids.find((move) => move.location_final_id)?.location_final_id
      return final ? [[id, final.id] as const] : []
    }),
  )
}

/** Values to create moves with, completed in sets. Quantities are left to the lines. */
export async function completeMoves(env: Environment, list: readonly Given[]): Promise<MoveVals[]> {
  const su = env.sudo()
  const lacking = list.filter((vals) => taken.some((field) => vals[field] === undefined))
  const pickings = await su
    .model('stock.picking')
    .browse(idsIn(lacking, 'picking_id'))
    .load([
      'location_id',
      'location_dest_id',
      'picking_type_id',
      'company_id',
      'partner_id',
      'scheduled_date',
      'origin',
      'state',
    ])
  const byPicking = new Map(pickings.map((picking) => [picking.id, picking]))
  const finals = await finalPlaces(su, pickings)
  const types = await su
    .model('stock.picking.type')
    .browse([
      ...new Set([
        ...idsIn(list, 'picking_type_id'),
        ...pickings.map(({ picking_type_id: type }) => type.id),
      ]),
    ])
    .load(['default_location_src_id', 'default_location_dest_id', 'company_id', 'code'])
  const byType = new Map(types.map((type) => [type.id, type]))
  const products = await su
    .model('product.product')
    .browse(idsIn(list, 'product_id'))
    .load([
      'product_tmpl_id.uom_id',
      ...Object.values(wordings).map((name) => `product_tmpl_id.${name}` as const),
    ])
  const goods = new Map(products.map((product) => [product.id, product.product_tmpl_id]))
  return list.map((vals) => {
    const { quantity: _, ...moveVals } = vals
    const values: Record<string, unknown> = { ...moveVals }
    const picking = byPicking.get(vals.picking_id as number)
    const type = byType.get((vals.picking_type_id ?? picking?.picking_type_id.id) as number)
    const product = goods.get(vals.product_id as number)
    values.product_uom ??= product?.uom_id.id
    values.description_picking ??= (type && product?.[wordings[type.code]]) || undefined
    values.location_id ??= picking?.location_id.id ?? type?.default_location_src_id.id
    values.location_dest_id ??= picking?.location_dest_id.id ?? type?.default_location_dest_id.id
    values.company_id ??= picking?.company_id.id ?? type?.company_id.id ?? env.companyId
    if (picking) {
      values.picking_type_id ??= picking.picking_type_id.id
      values.partner_id ??= picking.partner_id?.id ?? null
      values.origin ??= picking.origin
      if (picking.scheduled_date && values.date === undefined) values.date = picking.scheduled_date
      if (picking.state !== 'draft') values.additional ??= true
      if (values.location_final_id === undefined) values.location_final_id = finals.get(picking.id)
    }
    for (const [field, value] of Object.entries(values)) if (value === undefined) delete values[field]
    return values as MoveVals
  })
}
