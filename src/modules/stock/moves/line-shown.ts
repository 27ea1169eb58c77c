// Details of moves as forms show them (stock.move.line): their transfer, lots and packages, and counts that
// are taken back.
import {
  boolean,
  char,
  computed,
  extend,
  implement,
  many2many,
  many2one,
  type Of,
  type Records,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { actionMethod, assertAllowed, assertNoneMissing } from '../../base/index.ts'
import { moveNow } from '../engine.ts'
import { holdsGoods, usages } from '../places/usages.ts'
import { packLines, packParams } from '../quants/packing.ts'

const live = { computed: true } as const

const line = extend('stock.move.line', {
  fields: {
    consume_line_ids: many2many('stock.move.line', {
      label: 'Made From',
      copy: false,
      relation: { table: 'stock_move_line_consume_rel', column: 'produce_line_id', other: 'consume_line_id' },
    }),
    produce_line_ids: many2many('stock.move.line', {
      label: 'Made Into',
      copy: false,
      relation: { table: 'stock_move_line_consume_rel', column: 'consume_line_id', other: 'produce_line_id' },
    }),
    is_entire_pack: boolean({ label: 'Whole Package', help: 'The package moves with all that is in it.' }),
    package_history_id: many2one('stock.package.history', {
      label: 'Package History',
      ondelete: 'set null',
      index: 'set',
      copy: false,
    }),
    is_locked: boolean({ label: 'Is Locked', related: 'move_id.picking_id.is_locked' }),
    location_usage: selection(usages, { label: 'Source Location Type', related: 'location_id.usage' }),
    location_dest_usage: selection(usages, {
      label: 'Destination Location Type',
      related: 'location_dest_id.usage',
    }),
    lots_visible: boolean({ label: 'Lots Are Shown', ...live }),
    move_partner_id: many2one('res.partner', { label: 'Contact of the Move', related: 'move_id.partner_id' }),
    picking_location_id: many2one('stock.location', {
      label: 'Transfer From',
      related: 'picking_id.location_id',
    }),
    picking_location_dest_id: many2one('stock.location', {
      label: 'Transfer To',
      related: 'picking_id.location_dest_id',
    }),
    picking_type_use_create_lots: boolean({
      label: 'New Lots',
      related: 'picking_id.picking_type_id.use_create_lots',
    }),
    picking_type_use_existing_lots: boolean({
      label: 'Lots That Are There',
      related: 'picking_id.picking_type_id.use_existing_lots',
    }),
    product_category_name: char({
      label: 'Name of the Category',
      related: 'product_id.categ_id.complete_name',
    }),
    quant_id: many2one('stock.quant', {
      label: 'Taken From',
      ...live,
      readonly: false,
      help: 'Naming what lies somewhere fills in place, lot, package and owner.',
    }),
    result_package_dest_name: char({
      label: 'Name of the Package',
      related: 'result_package_id.dest_complete_name',
    }),
    scrap_id: many2one('stock.scrap', { label: 'Scrap', related: 'move_id.scrap_id' }),
  },
  methods: {
    action_put_in_pack: {
      doc: 'Puts unpacked goods into a package, a new one by default.',
      ...packParams,
    },
    action_revert_inventory: actionMethod(
      'Reverses inventory adjustments with moves in the other direction.',
    ),
  },
})

declare module '#models' {
  interface StockMoveLine extends Of<typeof line> {}
}

/** Reverses done details of counts. Throws UserError where there are none. */
async function revert(lines: Records<'stock.move.line'>): Promise<object> {
  await assertAllowed(lines, 'write')
  const rows = await lines.load([
    'state',
    'is_inventory',
    'product_id',
    'product_uom_id',
    'quantity',
    'location_id.usage',
    'location_dest_id.usage',
    'lot_id',
    'package_id',
    'result_package_id',
    'owner_id',
    'company_id',
    'reference',
  ])
  const counted = rows.filter((row) => row.is_inventory && row.state === 'done' && row.quantity > 0)
  if (counted.length === 0)
    throw new UserError('These move lines do not belong to a count: select lines of a count.')
  const { env } = lines
  await assertAllowed(env.model('stock.quant').browse([]), 'write')
  const isCount = counted.some(
    (line) => !holdsGoods(line.location_id.usage) || !holdsGoods(line.location_dest_id.usage),
  )
  if (isCount && !env.su && !env.hasGroup('stock.group_stock_manager'))
    throw new UserError('Only a stock manager may revert a count.')
  await moveNow(
    env,
    counted.map((row) => ({
      product_id: row.product_id.id,
      product_uom: row.product_uom_id.id,
      product_uom_qty: row.quantity,
      location_id: row.location_dest_id.id,
      location_dest_id: row.location_id.id,
      company_id: row.company_id.id,
      is_inventory: true,
      inventory_name: `${row.reference ?? 'Count'} [reverted]`,
      lines: [
        {
          quantity: row.quantity,
          lot: row.lot_id?.id ?? null,
          package: row.result_package_id?.id ?? null,
          result: row.package_id?.id ?? null,
          owner: row.owner_id?.id ?? null,
        },
      ],
    })),
  )
  return {
    type: 'ir.actions.client',
    tag: 'display_notification',
    params: { type: 'success', message: 'The counts were taken back.' },
  }
}

export default implement(line, {
  computed: {
    lots_visible: computed(
      line,
      ['tracking', 'picking_type_use_create_lots', 'picking_type_use_existing_lots'],
      (line) =>
        line.tracking !== 'none' &&
        (line.picking_type_use_create_lots || line.picking_type_use_existing_lots),
    ),
    quant_id: computed(line, [], () => null, {
      inverse: async (env, values) => {
        const named = [...values].flatMap(([id, quant]) => (isInteger(quant) ? [[id, quant] as const] : []))
        const quants = env.model('stock.quant').browse([...new Set(named.map(([, quant]) => quant))])
        const rows = await quants.load(['location_id', 'lot_id', 'package_id', 'owner_id'])
        assertNoneMissing(quants, rows)
        const byId = new Map(rows.map((row) => [row.id, row]))
        await env.model('stock.move.line').writeEach(
          new Map(
            named.map(([id, quant]) => {
              const quantRow = present(byId.get(quant))
              return [
                id,
                {
                  location_id: quantRow.location_id.id,
                  lot_id: quantRow.lot_id?.id ?? false,
                  package_id: quantRow.package_id?.id ?? false,
                  owner_id: quantRow.owner_id?.id ?? false,
                },
              ] as const
            }),
          ),
        )
      },
    }),
  },
  methods: {
    action_put_in_pack: async (lines, params) => {
      await assertAllowed(lines, 'write')
      return packLines(lines.env, lines.ids, params)
    },
    action_revert_inventory: revert,
  },
})
