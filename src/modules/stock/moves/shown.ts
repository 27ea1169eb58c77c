// Moves as forms show them (stock.move): what may still be changed, lots and packages, and numbers for new
// lots.
import {
  boolean,
  char,
  computed,
  datetime,
  extend,
  float,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  required,
  returns,
  text,
} from '#models'
import { InvalidValue } from '../../../errors.ts'
import { readonlyActionMethod } from '../../base/index.ts'
import { holdsGoods } from '../places/usages.ts'
import { lotNames } from '../quants/lot-names.ts'

const live = { computed: true } as const
const flag = (label: string) => boolean({ label, ...live })
const vals = returns<object[]>('array', 'list[dict]')

const move = extend('stock.move', {
  fields: {
    description_picking_manual: text({
      label: 'Typed Description',
      readonly: true,
      help: 'Instructions of an order for packing the goods.',
    }),
    delay_alert_date: datetime({
      label: 'Late Since',
      ...live,
      asStored: true,
      help: 'When moves before it bring the goods, where that is after its day.',
    }),
    is_locked: boolean({ label: 'Is Locked', related: 'picking_id.is_locked' }),
    move_lines_count: integer({ label: 'Number of Details', ...live }),
    next_serial: char({ label: 'First Number of Lots', copy: false }),
    next_serial_count: integer({ label: 'Number of Lots', copy: false }),
    package_ids: many2many('stock.package', { label: 'Packages', ...live, asLines: true }),
    packaging_uom_id: many2one('uom.uom', { label: 'Packaging', related: 'product_uom', asStored: true }),
    packaging_uom_qty: float({ label: 'Packagings', precision: 'Product Unit', ...live, asStored: true }),
    has_lines_without_result_package: flag('Has Details Without a Package'),
    show_operations: boolean({ label: 'Shows Details', related: 'picking_type_id.show_operations' }),
    show_details_visible: flag('Details Can Be Opened'),
    is_initial_demand_editable: flag('Demand May Change'),
    is_date_editable: flag('Day May Change'),
    is_quantity_done_editable: flag('Quantity May Change'),
    display_assign_serial: flag('Numbers Can Be Given'),
    display_import_lot: flag('Lots Can Be Imported'),
    show_quant: flag('Shows Where It Is Taken From'),
    show_lots_m2o: flag('Lots Are Chosen'),
    show_lots_text: flag('Lots Are Typed'),
  },
  methods: {
    action_generate_lot_line_vals: {
      doc: 'Values of details with new lots, numbered from the first on (mode generate), or one for each line of a text (mode import).',
      level: 'model',
      readonly: true,
      params: {
        context_data: required<unknown>('any', { annotation: 'dict' }),
        mode: required<string>('string', { doc: 'generate or import' }),
        first_lot: required<unknown>('any', { annotation: 'str' }),
        count: required<unknown>('any', { annotation: 'int' }),
        lot_text: required<unknown>('any', { annotation: 'str' }),
      },
      returns: vals,
    },
    split_lots: {
      doc: 'Lots of a text, one per line, each optionally followed by a semicolon or a tab and a quantity.',
      level: 'model',
      readonly: true,
      params: { lots: required<string>('string') },
      returns: vals,
    },
    action_product_forecast_report: readonlyActionMethod(
      'Shows what is expected of the product to come and to leave.',
    ),
  },
})

declare module '#models' {
  interface StockMove extends Of<typeof move> {}
}

const isOpen = (state: string | null) => state !== 'done' && state !== 'cancel'

/** Lots of a text, with their quantities; one where none is said. */
function lotsIn(text: string): { lot_name: string; quantity: number }[] {
  return text
    .split('\n')
    .map((each) => each.split(/[;\t]/).map((part) => part.trim()))
    .flatMap(([lot_name = '', amount]) => {
      const quantity = amount ? Number(amount.replace(',', '.')) : 1
      if (!Number.isFinite(quantity) || quantity < 0)
        throw new InvalidValue(`The quantity of ${lot_name} is not a number.`)
      return lot_name ? [{ lot_name, quantity }] : []
    })
}

const tracked = computed(move, ['has_tracking'], (move) => move.has_tracking !== 'none')

export default implement(move, {
  writable: { later: { done: ['next_serial', 'next_serial_count'] } },
  computed: {
    delay_alert_date: computed(
      move,
      ['state', 'date', 'move_orig_ids.state', 'move_orig_ids.date'],
      (move) => {
        const last = move.move_orig_ids
          .filter((before) => isOpen(before.state))
          .map((before) => before.date)
          .toSorted()
          .at(-1)
        return isOpen(move.state) && last !== undefined && last > move.date ? last : null
      },
    ),
    move_lines_count: computed(move, ['move_line_ids'], (move) => move.move_line_ids.length),
    package_ids: computed(move, ['move_line_ids.result_package_id'], (move) => [
      ...new Set(move.move_line_ids.flatMap((each) => each.result_package_id?.id ?? [])),
    ]),
    packaging_uom_qty: computed(move, ['product_uom_qty'], (move) => move.product_uom_qty),
    has_lines_without_result_package: computed(move, ['move_line_ids.result_package_id'], (move) =>
      move.move_line_ids.some((each) => !each.result_package_id),
    ),
    show_details_visible: tracked,
    is_initial_demand_editable: computed(
      move,
      ['state', 'picking_id.is_locked'],
      (move) => move.state === 'draft' || (isOpen(move.state) && move.picking_id?.is_locked === false),
    ),
    is_date_editable: computed(move, ['state'], (move) => isOpen(move.state)),
    is_quantity_done_editable: computed(move, ['state'], (move) => move.state !== 'cancel'),
    display_assign_serial: computed(
      move,
      ['has_tracking', 'state', 'picking_type_id.use_create_lots'],
      (move) =>
        move.has_tracking === 'serial' &&
        isOpen(move.state) &&
        move.picking_type_id?.use_create_lots === true,
    ),
    display_import_lot: computed(
      move,
      ['has_tracking', 'state', 'picking_type_id.use_create_lots'],
      (move) =>
        move.has_tracking !== 'none' && isOpen(move.state) && move.picking_type_id?.use_create_lots === true,
    ),
    show_quant: computed(
      move,
      ['location_id.usage', 'is_storable'],
      (move) => move.is_storable && holdsGoods(move.location_id.usage),
    ),
    show_lots_m2o: computed(
      move,
      ['has_tracking', 'location_id.usage', 'picking_type_id.use_existing_lots'],
      (move) =>
        move.has_tracking !== 'none' &&
        !holdsGoods(move.location_id.usage) &&
        move.picking_type_id?.use_existing_lots === true,
    ),
    show_lots_text: computed(
      move,
      ['has_tracking', 'picking_type_id.use_create_lots', 'picking_type_id.use_existing_lots', 'state'],
      (move) =>
        move.has_tracking !== 'none' &&
        move.picking_type_id?.use_create_lots === true &&
        !move.picking_type_id.use_existing_lots &&
        move.state !== 'done',
    ),
  },
  methods: {
    action_generate_lot_line_vals: (_moves, { mode, first_lot, count, lot_text }) => {
      if (mode === 'import') return lotsIn(String(lot_text ?? ''))
      if (mode !== 'generate') throw new InvalidValue('Invalid mode: use generate or import.')
      return lotNames(String(first_lot ?? ''), Number(count)).map(({ lot_name }) => ({
        lot_name,
        quantity: 1,
      }))
    },
    split_lots: (_moves, { lots }) => lotsIn(lots),
    action_product_forecast_report: async (moves) => {
      const { product_id: product } = await moves.one(['product_id'])
      return moves.env.model('product.product').browse([product.id]).action_product_forecast_report()
    },
  },
})
