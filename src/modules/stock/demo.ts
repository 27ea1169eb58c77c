// Goods of the shop to look at: most products are tracked and counted, a few are ordered anew when they run
// low, and some are on their way to another shelf.

import { type DataSet, type Environment, ref } from '#models'
import { present } from '../../kit/present.ts'

const TRACKED = 120
const KINDS = [0, 3, 12, 24, 60, 7, 35, 18] as const

const shelves: DataSet = {
  model: 'stock.location',
  noupdate: true,
  records: Object.fromEntries(
    ['A', 'B'].map((name) => [
      `demo_shelf_${name.toLowerCase()}`,
      { name: `Shelf ${name}`, location_id: ref('stock_location_stock'), usage: 'internal' },
    ]),
  ),
}

/** Products that are goods: the first ones, in the order in which they were made. */
async function goods(env: Environment) {
  const templates = await env
    .model('product.template')
    .search([['type', '=', 'consu']], { order: 'id', limit: TRACKED })
  return { templates: templates, rows: await templates.load(['product_variant_ids']) }
}

/** Tracked, and counted once; what was promised of them before waits until `promised`. */
async function counted(env: Environment): Promise<null> {
  const { templates, rows } = await goods(env)
  const variants = rows.flatMap((row) => row.product_variant_ids.map(({ id }) => id))
  if (variants.length === 0) return null
  const open = await env.model('stock.picking').search([['state', 'in', ['confirmed', 'assigned']]])
  if (open.length) await open.do_unreserve()
  // Default values of the company's properties are visible from the next call on; installing is a single
  // call.
  const property_stock_inventory = await env.ref('stock.location_inventory')
  await templates.write({ is_storable: true, property_stock_inventory })
  const places = await Promise.all(
    ['stock_location_stock', 'demo_shelf_a', 'demo_shelf_b'].map((name) => env.ref(`stock.${name}`)),
  )
  const quants = await env
    .withContext({ inventory_mode: true })
    .model('stock.quant')
    .create(
      variants.map((product_id, n) => ({
        product_id,
        location_id: present(places[n % places.length]),
        inventory_quantity: present(KINDS[n % KINDS.length]),
      })),
    )
  await quants.action_apply_inventory()
  if (open.length) await open.action_assign()
  return null
}

/** The least and the most of some of them. */
async function minimums(env: Environment): Promise<DataSet> {
  const { rows } = await goods(env)
  const records = rows
    .slice(0, 12)
    .flatMap(({ product_variant_ids: [first] }, n) =>
      first
        ? [
            [
              `demo_minimum_${n + 1}`,
              { product_id: first.id, product_min_qty: 5, product_max_qty: 24 },
            ] as const,
          ]
        : [],
    )
  return { model: 'stock.warehouse.orderpoint', noupdate: true, records: Object.fromEntries(records) }
}

/** From one shelf to another: one is done, one is ready, one is being written. */
async function shifts(env: Environment): Promise<null> {
  const held = await env.model('stock.quant').search(
    [
      ['location_id', '=', await env.ref('stock.demo_shelf_a')],
      ['quantity', '>', 5],
    ],
    { order: 'id', limit: 6 },
  )
  const rows = await held.load(['product_id'])
  if (rows.length < 6) return null
  const [from, to] = [await env.ref('stock.demo_shelf_a'), await env.ref('stock.demo_shelf_b')]
  const createdPickings = await env.model('stock.picking').create(
    await Promise.all(
      [0, 1, 2].map(async (n) => ({
        picking_type_id: await env.ref('stock.picking_type_internal'),
        location_id: from,
        location_dest_id: to,
        move_ids: rows
          .slice(2 * n, 2 * n + 2)
          .map(({ product_id }) => [0, 0, { product_id: product_id.id, product_uom_qty: 2 }]),
      })),
    ),
  )
  const [done, ready] = createdPickings.ids
  const pickings = env.model('stock.picking')
  await pickings.browse([done, ready].flatMap((id) => id ?? [])).action_confirm()
  await pickings.browse(done === undefined ? [] : [done]).button_validate()
  return null
}

export const demo: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[] = [
  shelves,
  counted,
  minimums,
  shifts,
]
