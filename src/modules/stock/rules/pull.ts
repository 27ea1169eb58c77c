// Rules that pull: moves from the place that a rule names to where goods are wanted, made and confirmed for
// all needs at once.

import type { Environment } from '#models'
import { addDays } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { convertQuantity, factorsOf } from '../../uom/index.ts'
import { confirmMoves } from '../moves/confirm.ts'
import type { MoveVals } from '../moves/load.ts'
import { type Joining, pickingsFor } from '../pickings/grouping.ts'
import { freeIn } from '../products/quantities.ts'
import type { Matched } from './procurement.ts'

/** Makes and confirms the moves that rules pull. */
export async function pullAll(
  env: Environment,
  matched: readonly Matched[],
  open?: readonly number[] | null,
): Promise<void> {
  if (matched.length === 0) return
  const methods = await methodsOf(env, matched)
  const vals = matched.map((one, i) => valsOf(one, present(methods[i])))
  const types = await readTogether(env, vals)
  const { places, made: pickings } = await pickingsFor(
    env,
    vals.map((values, i) => ({
      ...joiningOf(values, types.get(values.picking_type_id as number)),
      transfer: matched[i]?.need.transfer,
    })),
    open,
  )
  const createdMoves = await env
    .model('stock.move')
    .create(vals.map((values, i) => ({ ...values, picking_id: present(places[i]), additional: false })))
  await confirmMoves(env, createdMoves.ids, { made: new Set(pickings) })
}

/** Values of a new move that decide which transfer it joins, with defaults of its operation type. */
function joiningOf(vals: MoveVals, type: Kind | undefined): Joining {
  const linked = (id: unknown) => (typeof id === 'number' ? { id } : null)
  return {
    origin: vals.origin || null,
    partner_id: linked(vals.partner_id),
    company_id: present(linked(vals.company_id)),
    picking_type_id: linked(vals.picking_type_id),
    location_id: present(linked(vals.location_id) ?? type?.default_location_src_id),
    location_dest_id: present(linked(vals.location_dest_id) ?? type?.default_location_dest_id),
    restrict_partner_id: linked(vals.restrict_partner_id),
  }
}

/** Reads at once what making moves, confirming and reserving them ask of their types and places one by one. */
async function readTogether(env: Environment, vals: readonly MoveVals[]): Promise<ReadonlyMap<number, Kind>> {
  const idsOf = (...names: readonly (keyof MoveVals)[]) => [
    ...new Set(
      vals.flatMap((values) =>
        names.flatMap((name) => (typeof values[name] === 'number' ? [values[name]] : [])),
      ),
    ),
  ]
  const [types] = await Promise.all([
    loadTypes(env, idsOf('picking_type_id')),
    env.model('stock.location').browse(idsOf('location_id', 'location_dest_id')).load(placePaths),
  ])
  return new Map(types.map((type) => [type.id, type]))
}

const placePaths = ['usage', 'parent_path', 'removal_strategy_id'] as const

/** Fields of operation types that creating, confirming and reserving moves needs. */
export const kindPaths = [
  'code',
  'company_id',
  'default_location_src_id',
  'default_location_dest_id',
  'sequence_id',
  'move_type',
  'reservation_method',
  'reservation_days_before',
  'use_create_lots',
  'use_existing_lots',
  'picking_properties_definition',
] as const

const loadTypes = (env: Environment, ids: readonly number[]) =>
  env.model('stock.picking.type').browse(ids).load(kindPaths)
/** A kind of operation. */
type Kind = Awaited<ReturnType<typeof loadTypes>>[number]

function valsOf({ need, rule }: Matched, method: string): MoveVals {
  const date = addDays(need.date, -rule.delay)
  return {
    product_id: need.product,
    product_uom: need.unit,
    product_uom_qty: need.quantity,
    location_id: rule.source,
    location_dest_id: rule.firstStop ?? (rule.destFromRule ? rule.dest : need.location),
    location_final_id: need.final ?? need.location,
    picking_type_id: rule.type,
    company_id: rule.company ?? need.company,
    partner_id: rule.partner ?? need.partner ?? null,
    procure_method: method === 'make_to_order' ? 'make_to_order' : 'make_to_stock',
    rule_id: rule.id,
    route_ids: (need.routes ?? []).map((id) => [4, id, 0] as const),
    warehouse_id: rule.supplier ?? need.warehouse ?? rule.warehouse,
    propagate_cancel: rule.propagate,
    origin: need.origin,
    date,
    date_deadline: need.deadline ?? null,
    priority: need.priority ?? '0',
    orderpoint_id: need.orderpoint ?? null,
    move_dest_ids: (need.dests ?? []).map((id) => [4, id, 0] as const),
    ...need.values,
  } as MoveVals
}

/**
 * Whether goods are taken from stock or asked for: rules that prefer the one look whether there is enough,
 * need by need.
 */
async function methodsOf(env: Environment, matched: readonly Matched[]): Promise<string[]> {
  const choosing = matched.filter(({ rule }) => rule.method === 'mts_else_mto' && rule.source)
  if (choosing.length === 0) return matched.map(({ rule }) => rule.method)
  const free = await freeIn(
    env,
    choosing.map(({ need, rule }) => ({ product: need.product, location: present(rule.source) })),
  )
  const products = await env
    .model('product.product')
    .browse([...new Set(choosing.map(({ need }) => need.product))])
    .load(['product_tmpl_id.uom_id.factor'])
  const units = new Map(products.map((product) => [product.id, product.product_tmpl_id.uom_id]))
  const factors = await factorsOf(env, [...new Set(choosing.map(({ need }) => need.unit))])
  return matched.map(({ need, rule }) => {
    if (rule.method !== 'mts_else_mto') return rule.method
    const key = `${need.product}/${rule.source}`
    const [from, to] = [factors.get(need.unit), units.get(need.product)]
    const wanted = from && to ? convertQuantity(need.quantity, from, to, 'half-up') : need.quantity
    const freeQuantity = free.get(key) ?? 0
    if (freeQuantity < wanted) return 'make_to_order'
    free.set(key, freeQuantity - wanted)
    return 'make_to_stock'
  })
}
