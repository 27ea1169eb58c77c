// Forms for transfers and reordering: putting goods into a package (stock.put.in.pack), where a package goes
// whose goods had several places (stock.package.destination), pausing reordering (stock.orderpoint.snooze),
// details of a proposal (stock.replenishment.info).
import {
  char,
  computed,
  date,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  returns,
  selection,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { addDays, addMonths, today } from '../../../kit/dates.ts'
import { actionMethod, assertAllowed, assertNoneMissing, shownForm } from '../../base/index.ts'

const pack = transient('stock.put.in.pack', {
  label: 'Put In Pack Wizard',
  fields: {
    move_line_ids: many2many('stock.move.line', { label: 'Details of Moves' }),
    package_ids: many2many('stock.package', { label: 'Packages' }),
    package_type_id: many2one('stock.package.type', { label: 'Type of Package' }),
    result_package_id: many2one('stock.package', { label: 'Package', help: 'Empty: a new one.' }),
  },
  methods: {
    action_put_in_pack: {
      doc: 'Puts the goods, or the packages, into one package.',
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
  },
})

const destination = transient('stock.package.destination', {
  label: 'Stock Package Destination',
  fields: {
    move_line_ids: many2many('stock.move.line', { label: 'Details of Moves' }),
    location_dest_id: many2one('stock.location', { label: 'Destination' }),
    filtered_location: many2many('stock.location', {
      label: 'Places That the Goods Go to',
      computed: true,
      asLines: true,
    }),
  },
  methods: {
    action_done: {
      doc: 'Sends all the goods to the place, and packs those that are in no package yet.',
      params: {},
    },
  },
})

const snooze = transient('stock.orderpoint.snooze', {
  label: 'Snooze Orderpoint',
  fields: {
    orderpoint_ids: many2many('stock.warehouse.orderpoint', { label: 'Reordering Rules' }),
    predefined_date: selection(
      { day: '1 Day', week: '1 Week', month: '1 Month', custom: 'Custom' },
      { label: 'Snooze for', default: 'day' },
    ),
    snoozed_until: date({ label: 'Snooze Date', computed: true, stored: true, precompute: true }),
  },
  methods: { action_snooze: { doc: 'Snoozes reordering rules until the date.', params: {} } },
})

const info = transient('stock.replenishment.info', {
  label: 'Stock supplier replenishment information',
  recName: 'orderpoint_id',
  fields: {
    orderpoint_id: many2one('stock.warehouse.orderpoint', { label: 'Reordering Rule', ondelete: 'cascade' }),
    product_id: many2one('product.product', { label: 'Product', related: 'orderpoint_id.product_id' }),
    product_uom_name: char({ label: 'Unit', related: 'orderpoint_id.product_uom_name' }),
    product_min_qty: float({ label: 'Minimum', related: 'orderpoint_id.product_min_qty' }),
    product_max_qty: float({ label: 'Maximum', related: 'orderpoint_id.product_max_qty' }),
    qty_to_order: float({ label: 'To Order', related: 'orderpoint_id.qty_to_order' }),
  },
})

const labels = extend('product.label.layout', {
  fields: {
    move_ids: many2many('stock.move', { label: 'Moves' }),
    move_quantity: selection(
      { move: 'Operation Quantities', custom: 'Custom' },
      { label: 'Quantity to Print', required: true, default: 'custom' },
    ),
  },
})

const orderpoint = extend('stock.warehouse.orderpoint', {
  fields: {},
  methods: {
    action_stock_replenishment_info: actionMethod('Opens the details of the proposed quantity.'),
  },
})

declare module '#models' {
  interface Models {
    'stock.put.in.pack': PutInPack
    'stock.package.destination': PackageDestination
    'stock.orderpoint.snooze': OrderpointSnooze
    'stock.replenishment.info': ReplenishmentInfo
  }
  interface PutInPack extends Of<typeof pack> {}
  interface PackageDestination extends Of<typeof destination> {}
  interface OrderpointSnooze extends Of<typeof snooze> {}
  interface ReplenishmentInfo extends Of<typeof info> {}
  interface ProductLabelLayout extends Of<typeof labels> {}
  interface Orderpoint extends Of<typeof orderpoint> {}
}

export const transferForms = [
  implement(pack, {
    methods: {
      action_put_in_pack: async (forms) => {
        const rows = await forms.load([
          'move_line_ids',
          'package_ids',
          'package_type_id',
          'result_package_id',
        ])
        assertNoneMissing(forms, rows)
        const packed: number[] = []
        for (const { move_line_ids: lines, package_ids: packages, ...into } of rows) {
          const params = {
            package_id: into.result_package_id?.id ?? false,
            package_type_id: into.package_type_id?.id ?? false,
          }
          const chosen = packages.length
            ? forms.env.model('stock.package').browse(packages.map(({ id }) => id))
            : forms.env.model('stock.move.line').browse(lines.map(({ id }) => id))
          packed.push(...(await chosen.action_put_in_pack(params)))
        }
        return packed
      },
    },
  }),
  implement(destination, {
    computed: {
      filtered_location: computed(destination, ['move_line_ids.location_dest_id'], (form) => [
        ...new Set(form.move_line_ids.map((line) => line.location_dest_id.id)),
      ]),
    },
    methods: {
      action_done: async (forms) => {
        const { move_line_ids: details, location_dest_id: place } = await forms.one([
          'move_line_ids.result_package_id',
          'location_dest_id',
        ])
        if (!place) throw new UserError('The destination location of the package is required.')
        const lines = forms.env.model('stock.move.line').browse(details.map(({ id }) => id))
        await lines.write({ location_dest_id: place.id })
        const loose = details.filter((line) => !line.result_package_id).map(({ id }) => id)
        if (loose.length) await lines.browse(loose).action_put_in_pack()
        return null
      },
    },
  }),
  implement(snooze, {
    computed: {
      snoozed_until: computed(
        snooze,
        ['predefined_date'],
        ({ predefined_date: choice }, env) => {
          const now = today(env.tz, env.now())
          if (choice === 'month') return addMonths(now, 1)
          return choice === 'custom' ? null : addDays(now, choice === 'week' ? 7 : 1)
        },
        { editable: true },
      ),
    },
    methods: {
      action_snooze: async (forms) => {
        const rows = await forms.load(['orderpoint_ids', 'snoozed_until'])
        assertNoneMissing(forms, rows)
        for (const { orderpoint_ids: points, snoozed_until } of rows)
          await forms.env
            .model('stock.warehouse.orderpoint')
            .browse(points.map(({ id }) => id))
            .write({ snoozed_until })
        return null
      },
    },
  }),
  implement(info),
  implement(labels),
  implement(orderpoint, {
    methods: {
      action_stock_replenishment_info: async (points) => {
        const orderpoint_id = points.ensureOne()
        await assertAllowed(points, 'read')
        const form = await points.env.model('stock.replenishment.info').create([{ orderpoint_id }])
        return {
          ...shownForm('Replenishment Information', 'stock.replenishment.info'),
          res_id: form.ensureOne(),
        }
      },
    },
  }),
]
