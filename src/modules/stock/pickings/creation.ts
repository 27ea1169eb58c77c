// New transfers: their number from the kind of operation, and what that and the contact say about places.

import type { Environment, Vals } from '#models'
import { isInteger } from '../../../kit/present.ts'
import { nextNumbersOf } from '../../base/index.ts'

type Given = Readonly<Record<string, unknown>>
type PickingVals = Vals<'stock.picking'>
const idIn = (value: unknown): number | undefined => (isInteger(value) ? value : undefined)

/** Values to create transfers with, completed in sets; numbers of a kind are drawn together. */
export async function completePickings(env: Environment, list: readonly Given[]): Promise<PickingVals[]> {
  const su = env.sudo()
  const valsList = list.map((vals) => ({ ...vals }) as Record<string, unknown>)
  for (const vals of valsList)
    vals.picking_type_id ??= idIn(env.context.default_picking_type_id) ?? idIn(env.context.picking_type_id)
  const types = await su
    .model('stock.picking.type')
    .browse([...new Set(valsList.flatMap((vals) => idIn(vals.picking_type_id) ?? []))])
    .load(['code', 'sequence_id', 'company_id', 'default_location_src_id', 'default_location_dest_id'])
  const typeById = new Map(types.map((type) => [type.id, type]))
  const partners = await partnerPlaces(su, valsList)
  for (const vals of valsList) {
    const type = typeById.get(vals.picking_type_id as number)
    if (!type) continue
    const places = partners.get(vals.partner_id as number)
    vals.location_id ??=
      (type.code === 'incoming' ? places?.supplier : undefined) ?? type.default_location_src_id.id
    vals.location_dest_id ??=
      (type.code === 'outgoing' ? places?.customer : undefined) ?? type.default_location_dest_id.id
    vals.company_id ??= type.company_id.id
  }
  await number(su, valsList, typeById)
  return valsList as PickingVals[]
}

async function number(
  env: Environment,
  list: readonly Record<string, unknown>[],
  types: ReadonlyMap<number, { readonly sequence_id: { readonly id: number } | null }>,
): Promise<void> {
  const nameless = list.filter((vals) => !vals.name || vals.name === '/')
  for (const [type, group] of Map.groupBy(nameless, (vals) => vals.picking_type_id)) {
    const sequence = types.get(type as number)?.sequence_id
    if (!sequence) continue
    const names = await nextNumbersOf(env, sequence.id, group.length)
    for (const [i, vals] of group.entries()) vals.name = names?.[i] ?? '/'
  }
}

/** Where goods of contacts come from and go to. */
async function partnerPlaces(env: Environment, list: readonly Given[]) {
  const ids = list.flatMap((vals) => idIn(vals.partner_id) ?? [])
  const rows = await env
    .model('res.partner')
    .browse([...new Set(ids)])
    .load(['property_stock_customer', 'property_stock_supplier'])
  return new Map(
    rows.map((row) => [
      row.id,
      { customer: row.property_stock_customer?.id, supplier: row.property_stock_supplier?.id },
    ]),
  )
}
