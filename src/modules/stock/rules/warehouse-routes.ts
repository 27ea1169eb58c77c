// The routes of warehouses: how goods arrive and how they are delivered, in one, two or three steps, and the
// rule of goods made to order.
import type { Records, Vals } from '#models'

type Warehouses = Records<'stock.warehouse'>
type RuleVals = Vals<'stock.rule'>

const paths = [
  'name',
  'code',
  'company_id',
  'reception_steps',
  'delivery_steps',
  'reception_route_id',
  'delivery_route_id',
  'mto_pull_id',
  'lot_stock_id.name',
  'wh_input_stock_loc_id.name',
  'wh_qc_stock_loc_id.name',
  'wh_output_stock_loc_id.name',
  'wh_pack_stock_loc_id.name',
  'out_type_id',
  'pick_type_id',
  'pack_type_id',
  'qc_type_id',
  'store_type_id',
  'route_ids',
] as const

const load = (warehouses: Warehouses) => warehouses.load(paths)
type Warehouse = Awaited<ReturnType<typeof load>>[number]

const titles = {
  one_step: 'Receive in 1 step (stock)',
  two_steps: 'Receive in 2 steps (input + stock)',
  three_steps: 'Receive in 3 steps (input + quality + stock)',
  ship_only: 'Deliver in 1 step (ship)',
  pick_ship: 'Deliver in 2 steps (pick + ship)',
  pick_pack_ship: 'Deliver in 3 steps (pick + pack + ship)',
} as const

export interface Step {
  readonly action: 'pull' | 'push'
  readonly from: { readonly id: number; readonly name: string } | null
  readonly to: { readonly id: number; readonly name: string } | null
  readonly type: { readonly id: number } | null
  readonly method?: 'make_to_stock' | 'make_to_order'
}

function receiving(warehouse: Warehouse): Step[] {
  const { wh_input_stock_loc_id: input, wh_qc_stock_loc_id: control, lot_stock_id: stock } = warehouse
  if (warehouse.reception_steps === 'two_steps')
    return [{ action: 'push', from: input, to: stock, type: warehouse.store_type_id }]
  if (warehouse.reception_steps === 'three_steps')
    return [
      { action: 'push', from: input, to: control, type: warehouse.qc_type_id },
      { action: 'push', from: control, to: stock, type: warehouse.store_type_id },
    ]
  return []
}

/**
 * Goods for customers are pulled from the shelves by the first step; every further step is pushed once
 * the one before it is done, so that an order has one open transfer at a time (recorded case
 * coverage-defects/d01).
 */
function delivering(warehouse: Warehouse, customers: { readonly id: number; readonly name: string }): Step[] {
  const {
    wh_pack_stock_loc_id: pack,
    wh_output_stock_loc_id: output,
    lot_stock_id: stock,
    out_type_id: ship,
  } = warehouse
  if (warehouse.delivery_steps === 'ship_only')
    return [{ action: 'pull', from: stock, to: customers, type: ship }]
  const pick: Step = { action: 'pull', from: stock, to: customers, type: warehouse.pick_type_id }
  const last: Step = { action: 'push', from: output, to: customers, type: ship, method: 'make_to_order' }
  if (warehouse.delivery_steps === 'pick_ship') return [pick, last]
  return [
    pick,
    { action: 'push', from: pack, to: output, type: warehouse.pack_type_id, method: 'make_to_order' },
    last,
  ]
}

/** Steps of warehouses by the ways in which goods may come in and leave. */
export async function stepsByWay(
  warehouses: Warehouses,
): Promise<Map<number, Record<string, readonly Step[]>>> {
  const { env } = warehouses
  const place = env
    .sudo()
    .model('stock.location')
    .browse([await env.ref('stock.stock_location_customers')])
  const customers = await place.one(['name'])
  const rows = await load(warehouses)
  return new Map(
    rows.map((row) => {
      const arriving = ['one_step', 'two_steps', 'three_steps'] as const
      const leaving = ['ship_only', 'pick_ship', 'pick_pack_ship'] as const
      return [
        row.id,
        Object.fromEntries([
          ...arriving.map((way) => [way, receiving({ ...row, reception_steps: way })]),
          ...leaving.map((way) => [way, delivering({ ...row, delivery_steps: way }, customers)]),
        ]),
      ]
    }),
  )
}

interface Owner {
  readonly id: number
  readonly code: string
  readonly company_id: { readonly id: number }
}

/**
 * A rule of a warehouse for a step of a route. `onward`: further steps follow, which are cancelled with it.
 */
export const ruleOf = (
  owner: Owner,
  route: number,
  { action, from, to, type, method }: Step,
  onward = true,
): RuleVals => ({
  name: `${owner.code}: ${from?.name} → ${to?.name}`,
  action,
  route_id: route,
  location_src_id: from?.id ?? null,
  ...(to && { location_dest_id: to.id }),
  ...(type && { picking_type_id: type.id }),
  procure_method: method ?? 'make_to_stock',
  warehouse_id: owner.id,
  company_id: owner.company_id.id,
  propagate_cancel: onward,
})

/**
 * Brings routes and rules of warehouses in line with their steps. Warehouses change once in a while: one
 * after the other.
 */
export async function routeWarehouses(warehouses: Warehouses): Promise<void> {
  const env = warehouses.env.sudo().withContext({ active_test: false })
  const place = env.model('stock.location').browse([await env.ref('stock.stock_location_customers')])
  const customers = await place.one(['name'])
  const mto = await env.find('stock.route_warehouse0_mto')
  for (const row of await load(env.model('stock.warehouse').browse(warehouses.ids))) {
    const warehouseRecord = env.model('stock.warehouse').browse([row.id])
    const reception = await routeFor(
      warehouseRecord,
      row,
      row.reception_route_id?.id,
      titles[row.reception_steps],
    )
    const delivery = await routeFor(
      warehouseRecord,
      row,
      row.delivery_route_id?.id,
      titles[row.delivery_steps],
    )
    const old = await env.model('stock.rule').search([['route_id', 'in', [reception, delivery]]])
    // Moves know the rules they were made by: those are kept, out of use.
    if (old.length) await old.write({ active: false })
    const onward = row.delivery_steps !== 'ship_only'
    await env
      .model('stock.rule')
      .create([
        ...receiving(row).map((step) => ruleOf(row, reception, step)),
        ...delivering(row, customers).map((step) => ruleOf(row, delivery, step, onward)),
      ])
    const vals: Record<string, unknown> = {
      reception_route_id: reception,
      delivery_route_id: delivery,
      route_ids: [
        [4, reception, 0],
        [4, delivery, 0],
      ],
    }
    if (mto && !row.mto_pull_id) {
      const step: Step = {
        action: 'pull',
        from: row.lot_stock_id,
        to: customers,
        type: row.out_type_id,
        method: 'make_to_order',
      }
      const [createdRule] = (await env.model('stock.rule').create([ruleOf(row, mto, step, onward)])).ids
      vals.mto_pull_id = createdRule
    }
    await warehouseRecord.write(vals as Vals<'stock.warehouse'>)
  }
}

async function routeFor(
  warehouse: Warehouses,
  record: Warehouse,
  existing: number | undefined,
  title: string,
): Promise<number> {
  const name = `${record.name}: ${title}`
  const routes = warehouse.env.model('stock.route')
  if (existing !== undefined) {
    await routes.browse([existing]).write({ name })
    return existing
  }
  const createdRoutes = await routes.create([
    {
      name,
      company_id: record.company_id.id,
      product_selectable: false,
      product_categ_selectable: true,
      warehouse_selectable: true,
      sequence: 10,
    },
  ])
  return createdRoutes.ensureOne()
}
