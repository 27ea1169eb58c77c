// Warehouses that other warehouses supply: a route for each of these, through the company's place for goods
// between its warehouses.

import type { Environment, Records } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { ruleOf, type Step } from './warehouse-routes.ts'

type Warehouses = Records<'stock.warehouse'>

const suppliedPaths = [
  'name',
  'code',
  'company_id.internal_transit_location_id.name',
  'reception_steps',
  'lot_stock_id.name',
  'wh_input_stock_loc_id.name',
  'wh_qc_stock_loc_id.name',
  'in_type_id',
  'qc_type_id',
  'store_type_id',
  'resupply_wh_ids',
] as const
const supplierPaths = [
  'name',
  'code',
  'company_id',
  'delivery_steps',
  'lot_stock_id.name',
  'wh_pack_stock_loc_id.name',
  'wh_output_stock_loc_id.name',
  'pick_type_id',
  'pack_type_id',
  'out_type_id',
] as const

const loadSupplied = (env: Environment, ids: readonly number[]) =>
  env.model('stock.warehouse').browse(ids).load(suppliedPaths)
const loadSuppliers = (env: Environment, ids: readonly number[]) =>
  env.model('stock.warehouse').browse(ids).load(supplierPaths)
type Supplied = Awaited<ReturnType<typeof loadSupplied>>[number]
type Supplier = Awaited<ReturnType<typeof loadSuppliers>>[number]

/**
 * Brings the routes by which warehouses are supplied in line with who supplies them and with the steps of
 * both. Throws UserError for suppliers of other companies.
 */
export async function routeResupply(warehouses: Warehouses): Promise<void> {
  const env = warehouses.env.sudo().withContext({ active_test: false })
  const warehouseRows = await env
    .model('stock.warehouse')
    .search(['|', ['id', 'in', warehouses.ids], ['resupply_wh_ids', 'in', warehouses.ids]])
  const supplied = await loadSupplied(env, warehouseRows.ids)
  const ids = new Set(supplied.flatMap((warehouse) => warehouse.resupply_wh_ids.map(({ id }) => id)))
  const suppliers = new Map((await loadSuppliers(env, [...ids])).map((supplier) => [supplier.id, supplier]))
  const routes = await env.model('stock.route').search([['supplied_wh_id', 'in', warehouseRows.ids]])
  if (ids.size === 0 && routes.length === 0) return
  const routeRows = await routes.load(['supplied_wh_id', 'supplier_wh_id', 'active'])
  for (const record of supplied) {
    const ownRoutes = routeRows.filter((route) => route.supplied_wh_id?.id === record.id)
    const wanted = new Set(record.resupply_wh_ids.map(({ id }) => id))
    const droppedRoutes = ownRoutes.filter(
      (route) => route.active && !wanted.has(route.supplier_wh_id?.id ?? 0),
    )
    if (droppedRoutes.length)
      await env
        .model('stock.route')
        .browse(droppedRoutes.map(({ id }) => id))
        .write({ active: false })
    for (const id of wanted)
      await routeBetween(env, record, {
        supplier: present(suppliers.get(id)),
        existing: ownRoutes.find((route) => route.supplier_wh_id?.id === id)?.id,
      })
  }
}

interface From {
  readonly supplier: Supplier
  /** The route that is there. */
  readonly existing: number | undefined
}

async function routeBetween(
  env: Environment,
  supplied: Supplied,
  { supplier, existing }: From,
): Promise<void> {
  if (supplier.id === supplied.id) throw new UserError('A warehouse cannot supply itself.')
  if (supplier.company_id.id !== supplied.company_id.id)
    throw new UserError('A warehouse can only be supplied by warehouses of its own company.')
  const routes = env.model('stock.route')
  const vals = {
    name: `${supplied.name}: Supply Product from ${supplier.name}`,
    active: true,
    company_id: supplied.company_id.id,
    supplied_wh_id: supplied.id,
    supplier_wh_id: supplier.id,
    product_selectable: true,
    product_categ_selectable: true,
  }
  if (existing !== undefined) await routes.browse([existing]).write(vals)
  const route = existing ?? (await routes.create([vals])).ensureOne()
  // Moves know the rules they were made by: those are kept, out of use.
  const old = await env.model('stock.rule').search([['route_id', '=', route]])
  if (old.length) await old.write({ active: false })
  await env.model('stock.rule').create([
    ...leavingSteps(supplied, supplier).map((step) => ruleOf(supplier, route, step)),
    ...arrivingSteps(supplied).map((step, i) => ({
      ...ruleOf(supplied, route, step),
      // The other warehouse sends what the first of them takes.
      ...(i === 0 ? { propagate_warehouse_id: supplier.id } : {}),
    })),
  ])
}

function placeBetween(supplied: Supplied) {
  const between = supplied.company_id.internal_transit_location_id
  if (!between) throw new UserError('The company has no transit location between its warehouses: create one.')
  return between
}

/** A step that is pulled when the one after it is wanted. */
const pulled = (from: Step['from'], to: Step['to'], type: Step['type']): Step => ({
  action: 'pull',
  from,
  to,
  type,
  method: 'make_to_order',
})

/**
 * From the supplier's shelves to the place between. Deliveries to customers push from step to step; a
 * resupply knows all its moves from the start, so it pulls every step of the supplier.
 */
function leavingSteps(supplied: Supplied, supplier: Supplier): Step[] {
  const between = placeBetween(supplied)
  const {
    lot_stock_id: stock,
    wh_pack_stock_loc_id: pack,
    wh_output_stock_loc_id: output,
    out_type_id: ship,
  } = supplier
  if (supplier.delivery_steps === 'ship_only')
    return [{ action: 'pull', from: stock, to: between, type: ship }]
  const pickTo = supplier.delivery_steps === 'pick_ship' ? output : pack
  return [
    pulled(output, between, ship),
    ...(pickTo === pack ? [pulled(pack, output, supplier.pack_type_id)] : []),
    { action: 'pull', from: stock, to: pickTo, type: supplier.pick_type_id },
  ]
}

/** From the place between to the shelves of the warehouse that is supplied. */
function arrivingSteps(supplied: Supplied): Step[] {
  const between = placeBetween(supplied)
  const { lot_stock_id: stock, wh_input_stock_loc_id: input, wh_qc_stock_loc_id: control } = supplied
  if (supplied.reception_steps === 'one_step') return [pulled(between, stock, supplied.in_type_id)]
  const first = pulled(between, input, supplied.in_type_id)
  if (supplied.reception_steps === 'two_steps') return [first, pulled(input, stock, supplied.store_type_id)]
  return [first, pulled(input, control, supplied.qc_type_id), pulled(control, stock, supplied.store_type_id)]
}
