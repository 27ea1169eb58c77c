// Goods in places as lists of counts show and handle them (stock.quant), and their lots (stock.lot).
import {
  boolean,
  computed,
  computedTogether,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  optional,
  properties,
  type Records,
  required,
  returns,
} from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, assertNoneMissing, readonlyActionMethod, shownWindow } from '../../base/index.ts'
import { moveNow } from '../engine.ts'
import { holdsGoods } from '../places/usages.ts'
import { lotNames } from './lot-names.ts'

type Quants = Records<'stock.quant'>

const flag = (label: string) => optional<unknown>('any', false, { doc: label, annotation: 'bool' })
const check = (doc: string) => ({ doc, readonly: true, params: {} }) as const

const quant = extend('stock.quant', {
  fields: {
    cyclic_inventory_frequency: integer({
      label: 'Days Between Counts',
      related: 'location_id.cyclic_inventory_frequency',
    }),
    storage_category_id: many2one('stock.storage.category', {
      label: 'Storage Category',
      related: 'location_id.storage_category_id',
    }),
    lot_properties: properties({
      label: 'Properties',
      related: 'lot_id.lot_properties',
      definition: 'product_id.lot_properties_definition',
    }),
    sn_duplicated: boolean({
      label: 'Serial Number Is There Twice',
      computed: true,
      help: 'Another place has goods with the same serial number.',
    }),
  },
  methods: {
    action_apply_all: { doc: 'Applies all counted quantities.', params: {} },
    action_reset: { doc: 'Clears the counted quantity.', params: {} },
    action_set_inventory_quantity_zero: { doc: 'Sets the counted quantity to zero.', params: {} },
    action_stock_quant_relocate: {
      doc: 'Moves goods to the place of the context (location_dest_id), or into the package (package_dest_id).',
      params: {},
    },
    move_quants: {
      doc: 'Moves goods to another place, or into another package, at once.',
      params: {
        location_dest_id: optional<unknown>('any', false, { annotation: 'int | bool' }),
        package_dest_id: optional<unknown>('any', false, { annotation: 'int | bool' }),
        message: optional<unknown>('any', false, {
          doc: 'The reason, written to the moves',
          annotation: 'str | bool',
        }),
        unpack: flag('Out of their packages'),
        up_to_parent_packages: flag('Containers too: they are packages like any other here'),
      },
    },
    check_quantity: check('Refuses more than one of a serial number in a place.'),
    check_location_id: check('Refuses goods in a place that is a view.'),
    check_lot_id: check('Refuses lots of another product.'),
    check_product_id: check('Refuses products that are not tracked.'),
    get_aggregate_barcodes: {
      doc: 'Returns GS1 barcodes of goods: product, lot and quantity.',
      readonly: true,
      params: {},
      returns: returns<string[]>('array', 'list[str]'),
    },
  },
})

const lot = extend('stock.lot', {
  fields: {
    display_complete: boolean({ label: 'Is Saved', computed: true }),
    lot_properties: properties({ label: 'Properties', definition: 'product_id.lot_properties_definition' }),
    delivery_ids: many2many('stock.picking', { label: 'Deliveries', computed: true }),
    partner_ids: many2many('res.partner', { label: 'Customers', computed: true }),
  },
  methods: {
    generate_lot_names: {
      doc: 'Returns a number of serial numbers, starting with the given one.',
      level: 'model',
      readonly: true,
      params: { first_lot: required<string>('string'), count: required<number>('integer') },
      returns: returns<object[]>('array', 'list[dict]'),
    },
    action_lot_open_quants: readonlyActionMethod('Shows where lots are.'),
  },
})

declare module '#models' {
  interface StockQuant extends Of<typeof quant> {}
  interface StockLot extends Of<typeof lot> {}
}

interface Target {
  readonly location_dest_id: unknown
  readonly package_dest_id: unknown
  readonly message?: unknown
  readonly unpack?: unknown
}

/** Throws UserError for places that goods reach, or leave, by transfers and counts alone. */
async function assertMovable(env: Quants['env'], from: readonly (string | null)[], place: number) {
  const places = env.model('stock.location').browse([place])
  await assertAllowed(places, 'read')
  const { usage } = await places.one(['usage'])
  if (![...from, usage].every(holdsGoods))
    throw new UserError('Goods are relocated between stock locations only: use a transfer instead.')
}

/** Throws UserError where no place and no package is named, and for goods that are reserved. */
async function relocate(list: Quants, target: Target): Promise<null> {
  // Goods that are named twice are moved once.
  const quants = list.browse([...new Set(list.ids)])
  await assertAllowed(quants, 'write')
  const place = isInteger(target.location_dest_id) ? target.location_dest_id : null
  const into = isInteger(target.package_dest_id) ? target.package_dest_id : null
  if (place === null && into === null && !target.unpack)
    throw new UserError('The destination location or package is required.')
  const rows = await quants.load([
    'product_id',
    'product_uom_id',
    'location_id.usage',
    'lot_id',
    'package_id',
    'owner_id',
    'quantity',
    'reserved_quantity',
    'company_id',
  ])
  assertNoneMissing(quants, rows)
  if (rows.some((row) => row.reserved_quantity > 0))
    throw new UserError('Some of these goods are reserved: unreserve them first.')
  const { env } = quants
  if (place !== null)
    await assertMovable(
      env,
      rows.map((row) => row.location_id.usage),
      place,
    )
  if (into !== null) await assertAllowed(env.model('stock.package').browse([into]), 'write')
  const moved = rows.filter((row) => row.quantity > 0)
  if (moved.length)
    await moveNow(
      env,
      moved.map((change) => ({
        product_id: change.product_id.id,
        product_uom: change.product_uom_id?.id ?? 0,
        product_uom_qty: change.quantity,
        location_id: change.location_id.id,
        location_dest_id: place ?? change.location_id.id,
        company_id: change.company_id?.id ?? env.companyId,
        is_inventory: true,
        inventory_name: typeof target.message === 'string' ? target.message : 'Quantity Relocated',
        lines: [
          {
            quantity: change.quantity,
            lot: change.lot_id?.id ?? null,
            package: change.package_id?.id ?? null,
            result: target.unpack ? null : (into ?? change.package_id?.id ?? null),
            owner: change.owner_id?.id ?? null,
          },
        ],
      })),
    )
  return null
}

/** Digits of a GS1 trade number. */
const GTIN = 14

export const quantsShown = [
  implement(quant, {
    computed: {
      sn_duplicated: computedTogether(quant, ['lot_id', 'tracking', 'quantity'], async (quants, env) => {
        const serial = quants.filter((quant) => quant.tracking === 'serial' && quant.lot_id)
        const rows = await env.rows(
          sql`SELECT q.lot_id FROM stock_quant q JOIN stock_location l ON l.id = q.location_id AND l.usage IN ('internal', 'customer')
          WHERE q.lot_id = ANY(${idList(serial.map((quant) => quant.lot_id?.id ?? 0))}) AND q.quantity > 0 GROUP BY 1 HAVING sum(q.quantity) > 1`,
          { reads: ['stock.quant', 'stock.location'], row: ['int'] },
        )
        const twice = new Set(rows.map((row) => row[0]))
        return new Map(
          quants.map((quant) => [quant.id, serial.includes(quant) && twice.has(quant.lot_id?.id ?? 0)]),
        )
      }),
    },
    methods: {
      action_apply_all: async (quants) => {
        assertNoneMissing(quants, await quants.load(['inventory_quantity_set']))
        const noted = await quants.search([['inventory_quantity_set', '=', true]])
        return noted.length ? ((await noted.action_apply_inventory()) as null) : null
      },
      action_reset: (quants) => quants.action_clear_inventory_quantity(),
      action_set_inventory_quantity_zero: async (quants) => {
        await quants.write({ inventory_quantity: 0 })
        return null
      },
      action_stock_quant_relocate: (quants) =>
        relocate(quants, {
          location_dest_id: quants.env.context.location_dest_id,
          package_dest_id: quants.env.context.package_dest_id,
        }),
      move_quants: (quants, params) => relocate(quants, params),
      check_quantity: async (quants) => {
        const rows = await quants.load(['tracking', 'quantity', 'lot_id.name', 'location_id.usage'])
        const wrong = rows.find(
          (row) =>
            row.tracking === 'serial' &&
            row.lot_id &&
            row.location_id.usage !== 'inventory' &&
            row.quantity > 1,
        )
        if (wrong)
          throw new ValidationError(
            `The serial number ${wrong.lot_id?.name} is in a location more than once.`,
          )
        return null
      },
      check_location_id: async (quants) => {
        const rows = await quants.load(['location_id.usage', 'location_id.complete_name'])
        const wrong = rows.find((row) => row.location_id.usage === 'view')
        if (wrong)
          throw new ValidationError(`${wrong.location_id.complete_name} is a view and cannot contain goods.`)
        return null
      },
      check_lot_id: async (quants) => {
        const rows = await quants.load(['product_id', 'lot_id.product_id', 'lot_id.name'])
        const wrong = rows.find((row) => row.lot_id && row.lot_id.product_id.id !== row.product_id.id)
        if (wrong) throw new ValidationError(`The lot ${wrong.lot_id?.name} belongs to another product.`)
        return null
      },
      check_product_id: async (quants) => {
        const rows = await quants.load(['product_id.product_tmpl_id.is_storable', 'product_id.display_name'])
        const wrong = rows.find((row) => !row.product_id.product_tmpl_id.is_storable)
        if (wrong)
          throw new ValidationError(`Quantities of ${wrong.product_id.display_name} are not tracked.`)
        return null
      },
      get_aggregate_barcodes: async (quants) => {
        const rows = await quants.load(['product_id.barcode', 'lot_id.name', 'tracking', 'quantity'])
        return rows.flatMap(({ product_id: { barcode }, lot_id: lot, tracking, quantity }) => {
          if (!barcode || !/^\d{8,14}$/.test(barcode)) return []
          const number = tracking === 'serial' ? '21' : '10'
          const amount = tracking === 'serial' ? '' : `30${Math.trunc(quantity)}`
          return [`01${barcode.padStart(GTIN, '0')}${amount}${lot ? `${number}${lot.name}` : ''}`]
        })
      },
    },
  }),
  implement(lot, {
    computed: {
      display_complete: computed(lot, [], () => true),
      delivery_ids: computedTogether(lot, [], async (lots, env) => {
        const rows = await env.rows(
          sql`SELECT DISTINCT l.lot_id, l.picking_id FROM stock_move_line l JOIN stock_location d ON d.id = l.location_dest_id
          WHERE l.lot_id = ANY(${idList(lots.map(({ id }) => id))}) AND l.state = 'done' AND d.usage = 'customer' AND l.picking_id IS NOT NULL ORDER BY 2`,
          { reads: ['stock.move.line', 'stock.location'], row: ['int', 'int'] },
        )
        const byLot = Map.groupBy(rows, ([id]) => id)
        return new Map(lots.map(({ id }) => [id, (byLot.get(id) ?? []).map((row) => row[1])]))
      }),
      partner_ids: computed(lot, ['delivery_ids.partner_id'], (lot) => [
        ...new Set(lot.delivery_ids.flatMap(({ partner_id: partner }) => partner?.id ?? [])),
      ]),
    },
    methods: {
      generate_lot_names: (_lots, { first_lot, count }) => lotNames(first_lot, count),
      action_lot_open_quants: async (lots) => {
        await assertAllowed(lots, 'read')
        return shownWindow({
          name: 'Locations',
          res_model: 'stock.quant',
          view_mode: 'list,form',
          domain: [['lot_id', 'in', lots.ids]],
        })
      },
    },
  }),
] as const
