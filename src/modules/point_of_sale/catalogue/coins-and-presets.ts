// Small things that tills know by name: coins and notes, notes for the kitchen, printers, presets of orders.
import {
  binary,
  boolean,
  char,
  computed,
  extend,
  float,
  html,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  type Records,
  returns,
  selection,
} from '#models'
import { today } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'

const bill = model('pos.bill', {
  label: 'Coins/Bills',
  order: 'value',
  fields: {
    name: char({ label: 'Name' }),
    value: float({ label: 'Value', required: true, digits: [16, 4] }),
    for_all_config: boolean({ label: 'For All PoS', default: true }),
    pos_config_ids: many2many('pos.config', { label: 'Point of Sale' }),
  },
})

const note = model('pos.note', {
  label: 'PoS Note',
  order: 'sequence, id',
  rules: { name_unique: { unique: ['name'], message: 'A note with this text already exists.' } },
  fields: {
    name: char({ label: 'Name', required: true }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    color: integer({ label: 'Color' }),
  },
})

const printer = model('pos.printer', {
  label: 'Point of Sale Printer',
  fields: {
    name: char({ label: 'Printer Name', required: true, default: 'Printer' }),
    printer_type: selection(
      { iot: 'Use a printer connected to the IoT Box', epson_epos: 'Use an Epson printer of the network' },
      { label: 'Printer Type', default: 'iot' },
    ),
    proxy_ip: char({ label: 'Proxy IP Address' }),
    epson_printer_ip: char({ label: 'Address of the Epson Printer' }),
    product_categories_ids: many2many('pos.category', { label: 'Printed Product Categories' }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    pos_config_ids: many2many('pos.config', { label: 'Point of Sale' }),
  },
})

const preset = model('pos.preset', {
  label: 'Easily load a set of configuration options',
  fields: {
    name: char({ label: 'Label', required: true }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist' }),
    fiscal_position_id: many2one('account.fiscal.position', { label: 'Fiscal Position' }),
    identification: selection(
      { none: 'Not required', address: 'Address', name: 'Name' },
      { label: 'Identification', required: true, default: 'none' },
    ),
    is_return: boolean({ label: 'Return mode', help: 'All lines of a new order take goods back.' }),
    color: integer({ label: 'Color' }),
    image_512: binary({ label: 'Image', image: true, maxWidth: 512 }),
    image_128: binary({
      label: 'Image 128',
      image: true,
      maxWidth: 128,
      related: 'image_512',
      asStored: true,
    }),
    has_image: boolean({ label: 'Has Image', computed: true }),
    use_timing: boolean({
      label: 'Orders by Time',
      help: 'Orders have a time at which they should be ready.',
    }),
    resource_calendar_id: many2one('resource.calendar', {
      label: 'Resource',
      ondelete: 'set null',
      help: 'Working hours in which orders may be ready.',
    }),
    interval_time: integer({ label: 'Minutes of a Slot', default: 20 }),
    slots_per_interval: integer({ label: 'Orders of a Slot', default: 5 }),
  },
  methods: {
    get_available_slots: {
      doc: 'Returns the orders of a preset by the time that they should be ready, from today on.',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

const combo = extend('product.combo', {
  fields: {
    qty_max: integer({
      label: 'Maximum Quantity',
      default: 1,
      help: 'Maximum number of products to choose.',
    }),
    qty_free: integer({
      label: 'Free Quantity',
      default: 1,
      help: 'Number of products that the price includes.',
    }),
  },
})
const tag = extend('product.tag', {
  fields: { pos_description: html({ label: 'Description at Tills', translate: true }) },
})
const unit = extend('uom.uom', {
  fields: {
    is_pos_groupable: boolean({
      label: 'Group Products at Tills',
      help: 'The point of sale adds products sold in this unit to an existing order line instead of a new one.',
    }),
  },
})

declare module '#models' {
  interface ProductCombo extends Of<typeof combo> {}
  interface ProductTag extends Of<typeof tag> {}
  interface Uom extends Of<typeof unit> {}
  interface Models {
    'pos.bill': PosBill
    'pos.note': PosNote
    'pos.printer': PosPrinter
    'pos.preset': PosPreset
  }
  interface PosBill extends Of<typeof bill> {}
  interface PosNote extends Of<typeof note> {}
  interface PosPrinter extends Of<typeof printer> {}
  interface PosPreset extends Of<typeof preset> {}
}

/** Far more than a kitchen has of a day. */
const MOST_TAKEN = 1000

async function takenTimes(presets: Records<'pos.preset'>): Promise<object> {
  await assertAllowed(presets, 'read')
  const { env } = presets
  const orders = await env.model('pos.order').search(
    [
      ['preset_id', 'in', presets.ids],
      // A bare day begins at the caller's midnight.
      ['preset_time', '>=', today(env.tz, env.now())],
      ['state', '!=', 'cancel'],
    ],
    { order: 'preset_time, id', limit: MOST_TAKEN },
  )
  const rows = await orders.load(['preset_time'])
  const taken = Map.groupBy(rows, (row) => row.preset_time ?? '')
  return { usage_utc: Object.fromEntries([...taken].map(([time, list]) => [time, list.map(({ id }) => id)])) }
}

export const small = [
  implement(combo),
  implement(tag),
  implement(unit),
  implement(bill, {
    displayName: computed(bill, ['name', 'value'], (bill) => bill.name ?? String(bill.value)),
    checks: {
      'The value of a coin must be more than 0.': computed(bill, ['value'], (bill) => bill.value > 0),
    },
  }),
  implement(note),
  implement(printer, { defaults: { company_id: (env) => env.companyId } }),
  implement(preset, {
    computed: { has_image: computed(preset, ['image_512'], (preset) => preset.image_512 !== null) },
    methods: { get_available_slots: takenTimes },
  }),
] as const
