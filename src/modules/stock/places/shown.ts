// Fields of places and operation types for forms: weights, counts, printouts (stock.location,
// stock.picking.type), and those of warehouses and scraps.
import {
  boolean,
  computed,
  computedFields,
  computedTogether,
  date,
  extend,
  float,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  one2many,
  propertiesDefinition,
  returns,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { addDays } from '../../../kit/dates.ts'
import { roundToScale } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { trackings } from '../products/trackings.ts'

const print = (label: string) => boolean({ label: `Print ${label}`, help: 'When a transfer is done.' })

const location = extend('stock.location', {
  fields: {
    child_internal_location_ids: many2many('stock.location', {
      label: 'Internal Places in It',
      computed: true,
      help: 'The location and those below it that hold goods.',
    }),
    net_weight: float({ label: 'Weight', precision: 'Stock Weight', computed: true }),
    forecast_weight: float({
      label: 'Weight to Come',
      precision: 'Stock Weight',
      computed: true,
      help: 'With what open moves bring and take.',
    }),
    last_inventory_date: date({ label: 'Last Count', computed: true, asStored: true }),
    next_inventory_date: date({ label: 'Next Count', computed: true, asStored: true }),
    putaway_rule_ids: one2many('stock.putaway.rule', 'location_in_id', { label: 'Put-away Rules' }),
    warehouse_view_ids: one2many('stock.warehouse', 'view_location_id', {
      label: 'Warehouses',
      readonly: true,
    }),
    incoming_move_line_ids: one2many('stock.move.line', 'location_dest_id', {
      label: 'What Came',
      copy: false,
      domain: [['state', '!=', 'cancel']],
    }),
    outgoing_move_line_ids: one2many('stock.move.line', 'location_id', {
      label: 'What Left',
      copy: false,
      domain: [['state', '!=', 'cancel']],
    }),
  },
})

const pickingType = extend('stock.picking.type', {
  fields: {
    show_entire_packs: boolean({ label: 'Move Whole Packages' }),
    set_package_type: boolean({ label: 'Ask for Types of Packages' }),
    show_operations: boolean({ label: 'Show Details' }),
    print_label: boolean({
      label: 'Print Shipping Labels',
      computed: true,
      stored: true,
      readonly: false,
      help: 'On for deliveries unless somebody switches it off.',
    }),
    auto_show_reception_report: boolean({ label: 'Show Reception Report' }),
    auto_print_delivery_slip: print('the Delivery Slip'),
    auto_print_return_slip: print('the Return Slip'),
    auto_print_product_labels: print('Labels of Products'),
    product_label_format: selection(
      {
        dymo: 'Dymo',
        '2x7xprice': '2 × 7 with price',
        '4x7xprice': '4 × 7 with price',
        '4x12': '4 × 12',
        '4x12xprice': '4 × 12 with price',
        zpl: 'ZPL',
        zplxprice: 'ZPL with price',
      },
      { label: 'Labels of Products', default: '2x7xprice' },
    ),
    auto_print_lot_labels: print('Labels of Lots'),
    lot_label_format: selection(
      {
        '4x12_lots': '4 × 12, one a lot',
        '4x12_units': '4 × 12, one a unit',
        zpl_lots: 'ZPL, one a lot',
        zpl_units: 'ZPL, one a unit',
      },
      { label: 'Labels of Lots', default: '4x12_lots' },
    ),
    auto_print_reception_report: print('Reception Report'),
    auto_print_reception_report_labels: print('Labels of the Reception Report'),
    auto_print_packages: print('Packages'),
    auto_print_package_label: print('Labels of Packages'),
    package_label_to_print: selection(
      { pdf: 'PDF', zpl: 'ZPL' },
      { label: 'Labels of Packages', default: 'pdf' },
    ),
    picking_properties_definition: propertiesDefinition({ label: 'Properties of Transfers' }),
    favorite_user_ids: many2many('res.users', { label: 'Favorite of', copy: false }),
    count_picking: integer({ label: 'Open Transfers', computed: true }),
    count_move_ready: integer({ label: 'Moves That Are Ready', computed: true }),
    hide_reservation_method: boolean({ label: 'Nothing Is Reserved', computed: true }),
    show_picking_type: boolean({ label: 'Is Shown', computed: true }),
  },
})

const warehouse = extend('stock.warehouse', {
  fields: {
    xdock_type_id: many2one('stock.picking.type', {
      label: 'Cross-Dock Type',
      checkCompany: true,
      copy: false,
      help: 'Goods that arrive for a delivery leave with it without being stored.',
    }),
  },
  methods: {
    get_current_warehouses: {
      doc: 'Warehouses of the current companies.',
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
  },
})

const scrap = extend('stock.scrap', {
  fields: {
    scrap_reason_tag_ids: many2many('stock.scrap.reason.tag', { label: 'Reasons' }),
    tracking: selection(trackings, { label: 'Tracking', related: 'product_id.tracking' }),
  },
  methods: {
    check_available_qty: {
      doc: 'Whether the location has the quantity of the product.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

const rule = extend('stock.rule', {
  fields: {
    propagate_carrier: boolean({ label: 'Pass on the Carrier', default: false }),
  },
})

declare module '#models' {
  interface StockLocation extends Of<typeof location> {}
  interface PickingType extends Of<typeof pickingType> {}
  interface Warehouse extends Of<typeof warehouse> {}
  interface StockScrap extends Of<typeof scrap> {}
  interface StockRule extends Of<typeof rule> {}
}

const idsOf = (all: readonly { readonly id: number }[]) => idList(all.map(({ id }) => id))

const weights = computedFields(location, ['net_weight', 'forecast_weight'], [], async (locations, env) => {
  const rows = await env.rows(
    sql`SELECT l.id, COALESCE((SELECT sum(q.quantity * COALESCE(p.weight, 0)) FROM stock_quant q JOIN product_product p ON p.id = q.product_id
        WHERE q.location_id = l.id), 0)::float8,
      COALESCE((SELECT sum((CASE WHEN m.location_dest_id = l.id THEN 1 ELSE -1 END) * m.quantity_product_uom * COALESCE(p.weight, 0))
        FROM stock_move_line m JOIN product_product p ON p.id = m.product_id
        WHERE l.id IN (m.location_id, m.location_dest_id) AND m.location_id <> m.location_dest_id
          AND m.state NOT IN ('draft', 'done', 'cancel')), 0)::float8
    FROM stock_location l WHERE l.id = ANY(${idsOf(locations)})`,
    {
      reads: ['stock.location', 'stock.quant', 'stock.move.line', 'product.product'],
      row: ['int', 'float', 'float'],
    },
  )
  return new Map(
    rows.map(([id, held, coming]) => [
      id,
      { net_weight: roundToScale(held, 6), forecast_weight: roundToScale(held + coming, 6) },
    ]),
  )
})

const counts = computedFields(
  location,
  ['last_inventory_date', 'next_inventory_date'],
  ['cyclic_inventory_frequency', 'usage', 'create_date'],
  async (locations, env) => {
    const rows = await env.rows(
      sql`SELECT location_id, to_char(max(last_count_date), 'YYYY-MM-DD') FROM stock_quant
      WHERE location_id = ANY(${idsOf(locations)}) GROUP BY 1`,
      { reads: ['stock.quant'], row: ['int', 'text?'] },
    )
    const counted = new Map(rows.map((row) => [row[0], row[1]]))
    const today = env.now().toISOString().slice(0, 10)
    return new Map(
      locations.map(({ id, cyclic_inventory_frequency: days, usage }) => {
        const last = counted.get(id) ?? null
        const due = days > 0 && ['internal', 'transit'].includes(usage) ? addDays(last ?? today, days) : null
        return [
          id,
          {
            last_inventory_date: last,
            next_inventory_date: due !== null && due.localeCompare(today) < 0 ? today : due,
          },
        ]
      }),
    )
  },
)

export const placesShown = [
  implement(location, {
    computed: {
      ...weights,
      ...counts,
      child_internal_location_ids: computedTogether(location, ['parent_path'], async (locations, env) => {
        const rows = await env.rows(
          sql`SELECT l.id, c.id FROM stock_location l JOIN stock_location c ON starts_with(c.parent_path, l.parent_path)
            AND c.usage = 'internal' AND c.active WHERE l.id = ANY(${idsOf(locations)}) ORDER BY c.complete_name, c.id`,
          { reads: ['stock.location'], row: ['int', 'int'] },
        )
        const below = Map.groupBy(rows, ([id]) => id)
        return new Map(locations.map(({ id }) => [id, (below.get(id) ?? []).map((row) => row[1])]))
      }),
    },
  }),
  implement(pickingType, {
    computed: {
      print_label: computed(pickingType, ['code'], (pickingType) => pickingType.code === 'outgoing', {
        editable: true,
      }),
      hide_reservation_method: computed(
        pickingType,
        ['code'],
        (pickingType) => pickingType.code === 'incoming',
      ),
      show_picking_type: computed(pickingType, ['code'], (pickingType) =>
        ['incoming', 'outgoing', 'internal'].includes(pickingType.code),
      ),
      ...computedFields(pickingType, ['count_picking', 'count_move_ready'], [], async (types, env) => {
        const rows = await env.rows(
          sql`SELECT y.id, (SELECT count(*) FROM stock_picking p WHERE p.picking_type_id = y.id AND p.state IN ('assigned', 'confirmed', 'waiting'))::int,
            (SELECT count(*) FROM stock_move m WHERE m.picking_type_id = y.id AND m.state = 'assigned')::int
          FROM stock_picking_type y WHERE y.id = ANY(${idsOf(types)})`,
          { reads: ['stock.picking.type', 'stock.picking', 'stock.move'], row: ['int', 'int', 'int'] },
        )
        return new Map(
          rows.map(([id, count_picking, count_move_ready]) => [id, { count_picking, count_move_ready }]),
        )
      }),
    },
  }),
  implement(warehouse, {
    methods: {
      get_current_warehouses: async (warehouses) =>
        (await warehouses.search([['company_id', 'in', [...warehouses.env.companyIds]]])).read(
          ['id', 'name', 'code'],
          null,
        ),
    },
  }),
  implement(scrap, {
    methods: {
      check_available_qty: async (scraps) => {
        const scrapRow = await scraps.one(['product_id', 'location_id', 'scrap_qty', 'product_uom_id.factor'])
        if (scrapRow.scrap_qty <= 0) throw new UserError('The quantity to scrap must be more than 0.')
        const rows = await scraps.env
          .model('stock.quant')
          .search([
            ['product_id', '=', scrapRow.product_id.id],
            ['location_id', 'child_of', scrapRow.location_id.id],
          ])
          .then((quants) => quants.load(['quantity', 'product_uom_id.factor']))
        const held = rows.reduce((sum, { quantity }) => sum + quantity, 0)
        const factor = rows[0]?.product_uom_id?.factor ?? scrapRow.product_uom_id.factor
        return held >= (scrapRow.scrap_qty * scrapRow.product_uom_id.factor) / factor
      },
    },
  }),
  implement(rule),
] as const
