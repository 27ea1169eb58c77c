// Fields and methods of transfers for forms and lists (stock.picking), apart from those that move goods.
import {
  binary,
  boolean,
  datetime,
  extend,
  float,
  integer,
  many2many,
  many2one,
  type Of,
  properties,
  required,
  returns,
  selection,
  text,
} from '#models'
import { packParams } from '../quants/packing.ts'

const live = { computed: true } as const
const object = returns<object>('object', 'dict')
const shows = (doc: string) => ({ doc, readonly: true, params: {}, returns: object }) as const
const flag = (label: string) => boolean({ label, ...live })

export const picking = extend('stock.picking', {
  fields: {
    picking_properties: properties({
      label: 'Properties',
      definition: 'picking_type_id.picking_properties_definition',
    }),
    reference_ids: many2many('stock.reference', { label: 'References', ...live }),
    delay_alert_date: datetime({
      label: 'Late Since',
      ...live,
      help: 'When the goods come at the earliest.',
    }),
    has_scrap_move: flag('Goods Were Scrapped'),
    has_tracking: flag('Goods with Lots'),
    is_date_editable: flag('Day May Change'),
    signature: binary({ label: 'Signature', image: true, maxWidth: 1024, copy: false }),
    is_signed: flag('Is Signed'),
    lot_id: many2one('stock.lot', { label: 'Lot', ...live }),
    product_id: many2one('product.product', { label: 'Product', ...live }),
    package_history_ids: many2many('stock.package.history', { label: 'Packages Moved', copy: false }),
    packages_count: integer({ label: 'Number of Packages', ...live, readonly: true }),
    picking_type_entire_packs: boolean({
      label: 'Moves Whole Packages',
      related: 'picking_type_id.show_entire_packs',
    }),
    show_operations: boolean({ label: 'Shows Details', related: 'picking_type_id.show_operations' }),
    partner_country_id: many2one('res.country', { label: 'Country', related: 'partner_id.country_id' }),
    picking_warning_text: text({ label: 'What to Mind', ...live }),
    weight_bulk: float({
      label: 'Weight Without Packages',
      precision: 'Stock Weight',
      ...live,
      readonly: true,
    }),
    shipping_weight: float({
      label: 'Weight to Ship',
      precision: 'Stock Weight',
      ...live,
      asStored: true,
      readonly: false,
      help: 'Of goods and packages; another weight may be typed.',
    }),
    typed_weight: float({ label: 'Weight as Typed', copy: false, precision: 'Stock Weight' }),
    shipping_volume: float({ label: 'Volume to Ship', precision: 'Volume', ...live, readonly: true }),
    show_check_availability: flag('Availability Can Be Checked'),
    show_allocation: flag('Goods Are Waited For'),
    show_next_pickings: flag('Has Next Transfers'),
    show_lots_text: flag('Lots Are Typed'),
    search_date_category: selection(
      {
        before: 'Before',
        yesterday: 'Yesterday',
        today: 'Today',
        day_1: 'Tomorrow',
        day_2: 'The day after tomorrow',
        after: 'After',
      },
      { label: 'Day', ...live, help: 'Searched by, and never shown.' },
    ),
  },
  methods: {
    action_add_entire_packs: {
      doc: 'Adds the contents of packages to transfers.',
      params: { package_ids: required<unknown[]>('array', { annotation: 'list[int]' }) },
      returns: returns<true>('boolean', 'bool'),
    },
    action_put_in_pack: {
      doc: 'Puts what is reserved or picked, and in no package yet, into one: a new one unless it is named.',
      ...packParams,
    },
    action_split_transfer: {
      doc: 'Moves what is not picked to a separate transfer.',
      params: {},
    },
    action_detailed_operations: shows('Shows the details of transfers.'),
    action_picking_move_tree: shows('Shows the moves of transfers.'),
    action_next_transfer: shows('Shows the transfers that take on what these bring.'),
    action_see_packages: shows('Shows the packages of transfers.'),
    action_see_returns: shows('Shows what came back of transfers.'),
    button_scrap: shows('Opens the form that scraps goods of a transfer.'),
    do_print_picking: {
      doc: 'Marks transfers as printed.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    should_print_delivery_address: {
      doc: 'Whether the delivery slip shows the address of the contact.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    calculate_date_category: {
      doc: 'Category of a moment relative to today: before, yesterday, today, day_1, day_2 or after.',
      level: 'model',
      readonly: true,
      params: { datetime: required<unknown>('any', { annotation: 'str | bool' }) },
      returns: returns<string>('string', 'str'),
    },
    date_category_to_domain: {
      doc: 'Returns the domain of a date field for such a category.',
      level: 'model',
      readonly: true,
      params: { field_name: required<string>('string'), date_category: required<string>('string') },
      returns: returns<unknown[]>('array', 'DomainType'),
    },
  },
})

declare module '#models' {
  interface StockPicking extends Of<typeof picking> {}
}
