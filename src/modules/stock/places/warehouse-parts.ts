// Parts of a warehouse: its places, and its operation types with their numbers. Those that its steps do
// not use are archived.

import type { Environment, Records, Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { numbering, partnerPlaces } from './type-creation.ts'

type Warehouses = Records<'stock.warehouse'>

const places = {
  lot_stock_id: { name: 'Stock', replenish_location: true },
  wh_input_stock_loc_id: { name: 'Input' },
  wh_qc_stock_loc_id: { name: 'Quality Control' },
  wh_output_stock_loc_id: { name: 'Output' },
  wh_pack_stock_loc_id: { name: 'Packing Zone' },
} as const
type Place = keyof typeof places

const steps = ['reception_steps', 'delivery_steps'] as const
interface Steps {
  readonly reception_steps: string
  readonly delivery_steps: string
}

/** Places that the steps of a warehouse use, in addition to its stock. */
const used = ({
  reception_steps: receive,
  delivery_steps: deliver,
}: Steps): Readonly<Record<Place, boolean>> => ({
  lot_stock_id: true,
  wh_input_stock_loc_id: receive !== 'one_step',
  wh_qc_stock_loc_id: receive === 'three_steps',
  wh_output_stock_loc_id: deliver !== 'ship_only',
  wh_pack_stock_loc_id: deliver === 'pick_pack_ship',
})

type Ids = Readonly<Record<Place, number>> & { readonly suppliers: number; readonly customers: number }
interface Kind {
  readonly name: string
  readonly code: 'incoming' | 'outgoing' | 'internal'
  readonly sequence_code: string
  readonly from: (at: Ids) => number
  readonly to: (at: Ids) => number
  readonly active: (of: Steps) => boolean
}

const arrival = (at: Ids, { reception_steps }: Steps) =>
  reception_steps === 'one_step' ? at.lot_stock_id : at.wh_input_stock_loc_id
const departure = (at: Ids, { delivery_steps }: Steps) =>
  delivery_steps === 'ship_only' ? at.lot_stock_id : at.wh_output_stock_loc_id

/** Kinds of operations in the order in which they are shown. */
const kinds = (of: Steps): Readonly<Record<string, Kind>> => ({
  in_type_id: {
    name: 'Receipts',
    code: 'incoming',
    sequence_code: 'IN',
    from: (at) => at.suppliers,
    to: (at) => arrival(at, of),
    active: () => true,
  },
  int_type_id: {
    name: 'Internal Transfers',
    code: 'internal',
    sequence_code: 'INT',
    from: (at) => at.lot_stock_id,
    to: (at) => at.lot_stock_id,
    active: () => true,
  },
  pick_type_id: {
    name: 'Pick',
    code: 'internal',
    sequence_code: 'PICK',
    from: (at) => at.lot_stock_id,
    to: (at) =>
      of.delivery_steps === 'pick_pack_ship' ? at.wh_pack_stock_loc_id : at.wh_output_stock_loc_id,
    active: ({ delivery_steps }) => delivery_steps !== 'ship_only',
  },
  pack_type_id: {
    name: 'Pack',
    code: 'internal',
    sequence_code: 'PACK',
    from: (at) => at.wh_pack_stock_loc_id,
    to: (at) => at.wh_output_stock_loc_id,
    active: ({ delivery_steps }) => delivery_steps === 'pick_pack_ship',
  },
  out_type_id: {
    name: 'Delivery Orders',
    code: 'outgoing',
    sequence_code: 'OUT',
    from: (at) => departure(at, of),
    to: (at) => at.customers,
    active: () => true,
  },
  qc_type_id: {
    name: 'Quality Control',
    code: 'internal',
    sequence_code: 'QC',
    from: (at) => at.wh_input_stock_loc_id,
    to: (at) => at.wh_qc_stock_loc_id,
    active: ({ reception_steps }) => reception_steps === 'three_steps',
  },
  store_type_id: {
    name: 'Storage',
    code: 'internal',
    sequence_code: 'STOR',
    from: (at) => (of.reception_steps === 'three_steps' ? at.wh_qc_stock_loc_id : at.wh_input_stock_loc_id),
    to: (at) => at.lot_stock_id,
    active: ({ reception_steps }) => reception_steps !== 'one_step',
  },
})

/**
 * Makes the places and kinds of operations of new warehouses. A warehouse is made once in a while: one after
 * the other.
 */
export async function fillWarehouses(warehouses: Warehouses): Promise<void> {
  const { env } = warehouses
  const outside = await partnerPlaces(env)
  for (const warehouse of await warehouses.load(['code', 'name', 'company_id', ...steps])) {
    const companyEnv = env.withCompany(warehouse.company_id.id)
    const company_id = warehouse.company_id.id
    const locations = companyEnv.model('stock.location')
    const view = (
      await locations.create([{ name: warehouse.code, usage: 'view', company_id, location_id: null }])
    ).ensureOne()
    const names = Object.keys(places) as Place[]
    const active = used(warehouse)
    const barcodes = await freeBarcodes(companyEnv, warehouse, names)
    const createdLocations = await locations.create(
      names.map((place) => ({
        ...places[place],
        barcode: barcodes.get(place) ?? false,
        usage: 'internal',
        company_id,
        location_id: view,
        active: active[place],
      })),
    )
    const at = {
      ...outside,
      ...Object.fromEntries(names.map((place, i) => [place, createdLocations.ids[i]])),
    } as Ids
    const vals = { view_location_id: view, ...Object.fromEntries(names.map((place) => [place, at[place]])) }
    await companyEnv.model('stock.warehouse').browse([warehouse.id]).write(vals)
    await makeTypes(companyEnv.model('stock.warehouse').browse([warehouse.id]), warehouse, at)
  }
}

/** A code of capitals without spaces: `WHSTOCK` for the stock, `WHIN` for what arrives. */
const barcodeOf = (code: string, part: string) =>
  `${code.replaceAll(' ', '')}${part.split(' ', 1)[0]}`.toUpperCase()

/** Barcodes for the places of a new warehouse that no place of its company bears already. */
async function freeBarcodes(
  env: Environment,
  { code, company_id }: { readonly code: string; readonly company_id: { readonly id: number } },
  names: readonly Place[],
): Promise<ReadonlyMap<Place, string>> {
  const wanted = new Map(names.map((place) => [place, barcodeOf(code, places[place].name)]))
  const taken = await env
    .sudo()
    .withContext({ active_test: false })
    .model('stock.location')
    .search([
      ['company_id', '=', company_id.id],
      ['barcode', 'in', [...wanted.values()]],
    ])
  const takenBarcodes = new Set((await taken.load(['barcode'])).map(({ barcode }) => barcode))
  return new Map([...wanted].filter(([, barcode]) => !takenBarcodes.has(barcode)))
}

async function makeTypes(
  warehouse: Warehouses,
  of: Steps & { readonly code: string },
  at: Ids,
): Promise<void> {
  const all = Object.entries(kinds(of))
  const types = await warehouse.env.model('stock.picking.type').create(
    all.map(([, kind], i) => ({
      name: kind.name,
      code: kind.code,
      sequence_code: kind.sequence_code,
      barcode: barcodeOf(of.code, kind.sequence_code),
      sequence: i + 1,
      warehouse_id: warehouse.ensureOne(),
      default_location_src_id: kind.from(at),
      default_location_dest_id: kind.to(at),
      active: kind.active(of),
    })),
  )
  const ids = Object.fromEntries(all.map(([field], i) => [field, types.ids[i]])) as Record<string, number>
  await warehouse.write(ids as Vals<'stock.warehouse'>)
  const [incoming, outgoing] = [present(ids.in_type_id), present(ids.out_type_id)]
  await types.writeEach(
    new Map([
      [incoming, { return_picking_type_id: outgoing }],
      [outgoing, { return_picking_type_id: incoming }],
    ]),
  )
}

/** Places and numbers of transfers bear the code of their warehouse: numbers that come from now on. */
export async function followCodes(warehouses: Warehouses): Promise<void> {
  const env = warehouses.env.sudo().withContext({ active_test: false })
  const rows = await env.model('stock.warehouse').browse(warehouses.ids).load(['code', 'view_location_id'])
  const codes = new Map(rows.map(({ id, code }) => [id, code]))
  const views = rows.flatMap((row) =>
    row.view_location_id ? [[row.view_location_id.id, { name: row.code }] as const] : [],
  )
  await env.model('stock.location').writeEach(new Map(views))
  const types = await env.model('stock.picking.type').search([['warehouse_id', 'in', warehouses.ids]])
  const sequences = (await types.load(['name', 'sequence_code', 'sequence_id', 'warehouse_id'])).flatMap(
    (type) => {
      const code = codes.get(type.warehouse_id?.id ?? 0)
      if (code === undefined || !type.sequence_id) return []
      return [[type.sequence_id.id, numbering(code, type)] as const]
    },
  )
  await env.model('ir.sequence').writeEach(new Map(sequences))
}

/** Brings places and kinds of operations in line with the steps of warehouses. */
export async function followSteps(warehouses: Warehouses): Promise<void> {
  const env = warehouses.env.sudo().withContext({ active_test: false })
  const outside = await partnerPlaces(env)
  const paths = [
    ...(Object.keys(places) as Place[]),
    'in_type_id',
    'int_type_id',
    'pick_type_id',
    'pack_type_id',
  ] as const
  const more = ['out_type_id', 'qc_type_id', 'store_type_id'] as const
  for (const warehouse of await env
    .model('stock.warehouse')
    .browse(warehouses.ids)
    .load([...paths, ...more, ...steps])) {
    const names = Object.keys(places) as Place[]
    const active = used(warehouse)
    const at = {
      ...outside,
      ...Object.fromEntries(names.map((place) => [place, warehouse[place]?.id])),
    } as Ids
    await env
      .model('stock.location')
      .writeEach(new Map(names.map((place) => [at[place], { active: active[place] }])))
    const types = new Map<number, Vals<'stock.picking.type'>>()
    for (const [field, kind] of Object.entries(kinds(warehouse))) {
      const type = (warehouse as unknown as Readonly<Record<string, { readonly id: number } | null>>)[field]
      if (type)
        types.set(type.id, {
          active: kind.active(warehouse),
          default_location_src_id: kind.from(at),
          default_location_dest_id: kind.to(at),
        })
    }
    await env.model('stock.picking.type').writeEach(types)
  }
}
