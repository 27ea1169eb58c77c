// Transfers as forms and lists show them (stock.picking): weights and packages, what may still be changed, and
// views of what hangs on them.
import {
  binary,
  boolean,
  computed,
  computedFields,
  computedTogether,
  datetime,
  extend,
  float,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  properties,
  type Records,
  required,
  returns,
  selection,
  text,
} from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { addDays } from '../../../kit/dates.ts'
import { roundToScale } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, givenIds, shownRecords } from '../../base/index.ts'
import { packLines, packParams } from '../quants/packing.ts'
import { makeBackorders } from './backorder.ts'

type Pickings = Records<'stock.picking'>

const live = { computed: true } as const
const object = returns<object>('object', 'dict')
const shows = (doc: string) => ({ doc, readonly: true, params: {}, returns: object }) as const
const flag = (label: string) => boolean({ label, ...live })

const picking = extend('stock.picking', {
  fields: {
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
    packages_count: integer({ label: 'Number of Packages', ...live }),
    picking_type_entire_packs: boolean({
      label: 'Moves Whole Packages',
      related: 'picking_type_id.show_entire_packs',
    }),
    show_operations: boolean({ label: 'Shows Details', related: 'picking_type_id.show_operations' }),
    partner_country_id: many2one('res.country', { label: 'Country', related: 'partner_id.country_id' }),
    picking_properties: properties({
      label: 'Properties',
      definition: 'picking_type_id.picking_properties_definition',
    }),
    picking_warning_text: text({ label: 'What to Mind', ...live }),
    weight_bulk: float({ label: 'Weight Without Packages', precision: 'Stock Weight', ...live }),
    shipping_weight: float({
      label: 'Weight to Ship',
      precision: 'Stock Weight',
      ...live,
      readonly: false,
      help: 'Of goods and packages; another weight may be typed.',
    }),
    typed_weight: float({ label: 'Weight as Typed', copy: false, precision: 'Stock Weight' }),
    shipping_volume: float({ label: 'Volume to Ship', precision: 'Volume', ...live }),
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
      doc: 'Adds all that packages hold to transfers.',
      params: { package_ids: required<unknown[]>('array', { annotation: 'list[int]' }) },
      returns: returns<true>('boolean', 'bool'),
    },
    action_put_in_pack: {
      doc: 'Puts what is reserved or picked, and in no package yet, into one: a new one unless it is named.',
      ...packParams,
    },
    action_split_transfer: {
      doc: 'Puts what is not picked into a transfer of its own.',
      params: {},
    },
    action_detailed_operations: shows('Shows the details of transfers.'),
    action_picking_move_tree: shows('Shows the moves of transfers.'),
    action_next_transfer: shows('Shows the transfers that take on what these bring.'),
    action_see_packages: shows('Shows the packages of transfers.'),
    action_see_returns: shows('Shows what came back of transfers.'),
    button_scrap: shows('Opens the form that scraps goods of a transfer.'),
    do_print_picking: {
      doc: 'Notes that transfers were printed.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    should_print_delivery_address: {
      doc: 'Whether the address of the contact stands on the delivery slip.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    calculate_date_category: {
      doc: 'How far a moment is from today: before, yesterday, today, day_1, day_2 or after.',
      level: 'model',
      readonly: true,
      params: { datetime: required<unknown>('any', { annotation: 'str | bool' }) },
      returns: returns<string>('string', 'str'),
    },
    date_category_to_domain: {
      doc: 'The condition on a field that stands for such a distance from today.',
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

const weights = computedFields(
  picking,
  ['weight_bulk', 'shipping_weight', 'shipping_volume', 'packages_count'],
  [
    'typed_weight',
    'move_line_ids.quantity_product_uom',
    'move_line_ids.product_id.weight',
    'move_line_ids.product_id.volume',
    'move_line_ids.result_package_id.shipping_weight',
    'move_line_ids.result_package_id.package_type_id.base_weight',
    'state',
  ],
  (pickings) =>
    new Map(
      pickings.map(({ id, typed_weight: typed, move_line_ids: lines, state }) => {
        const sum = (of: (line: (typeof lines)[number]) => number) =>
          roundToScale(
            lines.reduce((total, line) => total + of(line), 0),
            6,
          )
        const loose = sum((line) =>
          line.result_package_id ? 0 : line.quantity_product_uom * line.product_id.weight,
        )
        const packages = new Map(
          lines.flatMap(({ result_package_id: one }) => (one ? [[one.id, one] as const] : [])),
        )
        const packed = [...packages.values()].reduce(
          (total, one) => total + (one.shipping_weight || (one.package_type_id?.base_weight ?? 0)),
          0,
        )
        return [
          id,
          {
            weight_bulk: loose,
            shipping_weight: typed || roundToScale(loose + packed, 6),
            shipping_volume:
              state === 'done' ? sum((line) => line.quantity_product_uom * line.product_id.volume) : 0,
            packages_count: packages.size,
          },
        ]
      }),
    ),
  {
    inverse: async (env, values) => {
      await env
        .model('stock.picking')
        .writeEach(new Map([...values].map(([id, weight]) => [id, { typed_weight: Number(weight) || 0 }])))
    },
  },
)

const isOpen = (state: string | null) => state !== 'done' && state !== 'cancel'

/** Transfers that take on what these bring, by transfer. */
async function nextOf(pickings: Pickings): Promise<number[]> {
  const rows = await pickings.load(['move_ids.move_dest_ids.picking_id'])
  const ids = rows.flatMap(({ id, move_ids: moves }) =>
    moves.flatMap((move) =>
      move.move_dest_ids.flatMap(({ picking_id: next }) => (next && next.id !== id ? [next.id] : [])),
    ),
  )
  return [...new Set(ids)]
}

const categories = ['before', 'yesterday', 'today', 'day_1', 'day_2', 'after'] as const

/** How far a day is from today. */
function categoryOf(moment: string, today: string): (typeof categories)[number] {
  const days = Math.round((Date.parse(moment.slice(0, 10)) - Date.parse(today)) / 86_400_000)
  return categories[Math.max(0, Math.min(5, days + 2))] ?? 'after'
}

/** Throws InvalidValue for categories that there are none of. */
function domainOf(field: string, category: string, today: string): unknown[] {
  const place = categories.indexOf(category as (typeof categories)[number])
  if (place < 0) throw new InvalidValue(`Name one of ${categories.join(', ')}.`)
  const from = [field, '>=', `${addDays(today, place - 2)} 00:00:00`]
  const until = [field, '<', `${addDays(today, place - 1)} 00:00:00`]
  if (category === 'before') return [until]
  return category === 'after' ? [from] : [from, until]
}

/** Throws UserError where all is picked, or nothing. */
async function split(pickings: Pickings): Promise<null> {
  await assertAllowed(pickings, 'write')
  const rows = await pickings.sudo().load(['move_ids.state', 'move_ids.picked'])
  const open = rows.flatMap(({ move_ids: moves }) => moves.filter((move) => isOpen(move.state)))
  const left = open.filter((move) => !move.picked).map(({ id }) => id)
  if (left.length === 0 || left.length === open.length)
    throw new UserError('Pick some of the moves of the transfer: the others go into a transfer of their own.')
  await makeBackorders(pickings.env.sudo(), left)
  return null
}

/** Throws UserError for packages that hold nothing. */
async function addPackages(pickings: Pickings, given: readonly unknown[]): Promise<true> {
  const id = pickings.ensureOne()
  await assertAllowed(pickings, 'write')
  const ids = givenIds([...given])
  const quants = await pickings.env.model('stock.quant').search([
    ['package_id', 'in', ids],
    ['quantity', '>', 0],
  ])
  if (quants.length === 0) throw new UserError('These packages hold nothing.')
  const rows = await quants.load([
    'product_id',
    'location_id',
    'lot_id',
    'package_id',
    'owner_id',
    'quantity',
  ])
  await pickings.env.model('stock.move.line').create(
    rows.map((one) => ({
      picking_id: id,
      product_id: one.product_id.id,
      location_id: one.location_id.id,
      lot_id: one.lot_id?.id ?? false,
      package_id: one.package_id?.id ?? false,
      result_package_id: one.package_id?.id ?? false,
      owner_id: one.owner_id?.id ?? false,
      quantity: one.quantity,
      is_entire_pack: true,
    })),
  )
  return true
}

/** A view of the records of a model that hang on transfers. */
const over =
  (name: string, model: 'stock.move' | 'stock.move.line' | 'stock.picking', path: string) =>
  async (pickings: Pickings): Promise<object> => {
    await assertAllowed(pickings, 'read')
    return {
      type: 'ir.actions.act_window',
      name,
      res_model: model,
      view_mode: 'list,form',
      domain: [[path, 'in', pickings.ids]],
    }
  }

const today = ({ env }: Pickings) => env.now().toISOString().slice(0, 10)

export default implement(picking, {
  computed: {
    ...weights,
    reference_ids: computed(picking, ['move_ids.reference_ids'], (one) => [
      ...new Set(one.move_ids.flatMap((move) => move.reference_ids.map(({ id }) => id))),
    ]),
    delay_alert_date: computed(
      picking,
      ['move_ids.delay_alert_date'],
      (one) =>
        one.move_ids
          .flatMap((move) => move.delay_alert_date ?? [])
          .toSorted()
          .at(-1) ?? null,
    ),
    has_scrap_move: computedTogether(picking, [], async (pickings, env) => {
      const rows = await env.rows(
        sql`SELECT DISTINCT picking_id FROM stock_scrap WHERE state = 'done' AND picking_id = ANY(${idList(pickings.map(({ id }) => id))})`,
        { reads: ['stock.scrap'], row: ['int'] },
      )
      const scrapped = new Set(rows.map((row) => row[0]))
      return new Map(pickings.map(({ id }) => [id, scrapped.has(id)]))
    }),
    has_tracking: computed(picking, ['move_ids.has_tracking'], (one) =>
      one.move_ids.some((move) => move.has_tracking !== 'none'),
    ),
    is_date_editable: computed(picking, ['state'], (one) => isOpen(one.state)),
    is_signed: computed(picking, ['signature'], (one) => one.signature !== null),
    lot_id: computed(
      picking,
      ['move_line_ids.lot_id'],
      (one) => one.move_line_ids.find((line) => line.lot_id)?.lot_id ?? null,
    ),
    product_id: computed(picking, ['move_ids.product_id'], (one) => one.move_ids[0]?.product_id ?? null),
    picking_warning_text: computed(
      picking,
      ['partner_id.picking_warn_msg', 'partner_id.parent_id.picking_warn_msg'],
      ({ partner_id: partner }) =>
        [partner?.picking_warn_msg, partner?.parent_id?.picking_warn_msg].filter(Boolean).join('\n') || null,
    ),
    show_check_availability: computed(
      picking,
      ['move_ids.state', 'move_ids.product_uom_qty', 'state'],
      (one) =>
        isOpen(one.state) &&
        one.state !== 'draft' &&
        one.move_ids.some(
          (move) =>
            ['waiting', 'confirmed', 'partially_available'].includes(move.state ?? '') &&
            move.product_uom_qty > 0,
        ),
    ),
    show_allocation: computedTogether(
      picking,
      ['picking_type_id.code', 'move_ids.product_id', 'location_dest_id'],
      async (pickings, env) => {
        const incoming = pickings.filter((one) => one.picking_type_id.code === 'incoming')
        const rows = await env.rows(
          sql`SELECT DISTINCT m.picking_id FROM stock_move m JOIN stock_move w ON w.product_id = m.product_id
            AND w.location_id = m.location_dest_id AND w.state IN ('confirmed', 'partially_available')
          WHERE m.picking_id = ANY(${idList(incoming.map(({ id }) => id))}) AND m.state <> 'cancel'`,
          { reads: ['stock.move'], row: ['int?'] },
        )
        const waited = new Set(rows.map((row) => row[0]))
        return new Map(pickings.map(({ id }) => [id, waited.has(id)]))
      },
    ),
    show_next_pickings: computed(picking, ['move_ids.move_dest_ids.picking_id'], (one) =>
      one.move_ids.some((move) =>
        move.move_dest_ids.some(({ picking_id: next }) => next !== null && next.id !== one.id),
      ),
    ),
    show_lots_text: computed(
      picking,
      ['state', 'use_create_lots', 'use_existing_lots'],
      (one) => one.use_create_lots && !one.use_existing_lots && one.state !== 'done',
    ),
    search_date_category: computed(picking, [], () => null),
  },
  methods: {
    action_add_entire_packs: (pickings, { package_ids }) => addPackages(pickings, package_ids),
    action_put_in_pack: async (pickings, params) => {
      await assertAllowed(pickings, 'write')
      const rows = await pickings.sudo().load(['move_line_ids'])
      return packLines(
        pickings.env,
        rows.flatMap(({ move_line_ids: lines }) => lines.map(({ id }) => id)),
        params,
      )
    },
    action_split_transfer: split,
    action_detailed_operations: over('Detailed Operations', 'stock.move.line', 'picking_id'),
    action_picking_move_tree: over('Stock Moves', 'stock.move', 'picking_id'),
    action_next_transfer: async (pickings) =>
      shownRecords('Next Transfers', 'stock.picking', await nextOf(pickings)),
    action_see_packages: async (pickings) => {
      const rows = await pickings.load(['move_line_ids.result_package_id'])
      const ids = rows.flatMap(({ move_line_ids: lines }) =>
        lines.flatMap(({ result_package_id: one }) => one?.id ?? []),
      )
      return {
        type: 'ir.actions.act_window',
        name: 'Packages',
        res_model: 'stock.package',
        view_mode: 'list,form',
        domain: [['id', 'in', [...new Set(ids)]]],
      }
    },
    action_see_returns: over('Returns', 'stock.picking', 'return_id'),
    button_scrap: async (pickings) => {
      await assertAllowed(pickings, 'read')
      return {
        type: 'ir.actions.act_window',
        name: 'Scrap Products',
        res_model: 'stock.scrap',
        view_mode: 'form',
        target: 'new',
        context: { default_picking_id: pickings.ensureOne() },
      }
    },
    do_print_picking: async (pickings) => {
      await pickings.write({ printed: true })
      return true as const
    },
    should_print_delivery_address: async (pickings) => {
      const { partner_id: partner, picking_type_id: kind } = await pickings.one([
        'partner_id',
        'picking_type_id.code',
      ])
      return partner !== null && kind.code === 'outgoing'
    },
    calculate_date_category: (pickings, { datetime: moment }) =>
      typeof moment === 'string' && moment !== '' ? categoryOf(moment, today(pickings)) : '',
    date_category_to_domain: (pickings, { field_name, date_category }) =>
      domainOf(field_name, date_category, today(pickings)),
  },
})
