// Kinds of operations (stock.picking.type): receipts, deliveries, moves within; from where to where, by which
// numbers.
import {
  boolean,
  char,
  computed,
  computedTogether,
  implement,
  integer,
  many2one,
  model,
  type Of,
  selection,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { givenVals, keptOnceListed, markCopies } from '../../base/index.ts'
import { codes } from './codes.ts'
import { completeTypes } from './type-creation.ts'

export const pickingType = model('stock.picking.type', {
  label: 'Picking Type',
  order: 'is_favorite desc, sequence, id',
  recNamesSearch: ['name', 'warehouse_id.name'],
  fields: {
    name: char({ label: 'Operation Type', required: true, translate: true }),
    color: integer({ label: 'Color' }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    is_favorite: boolean({ label: 'Favorite', asStored: false }),
    code: selection(codes, { label: 'Type of Operation', required: true, default: 'incoming' }),
    sequence_id: many2one('ir.sequence', { label: 'Reference Sequence', checkCompany: true, copy: false }),
    sequence_code: char({ label: 'Sequence Prefix', required: true }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      ondelete: 'cascade',
      checkCompany: true,
      index: true,
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    default_location_src_id: many2one('stock.location', {
      label: 'Source Location',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
      checkCompany: true,
    }),
    default_location_dest_id: many2one('stock.location', {
      label: 'Destination Location',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
      checkCompany: true,
    }),
    return_picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type for Returns',
      checkCompany: true,
      copy: false,
    }),
    active: boolean({ label: 'Active', default: true }),
    use_create_lots: boolean({
      label: 'Create New Lots/Serial Numbers',
      computed: true,
      stored: true,
      readonly: false,
      help: 'New numbers may be typed when goods arrive.',
    }),
    use_existing_lots: boolean({
      label: 'Use Existing Lots/Serial Numbers',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Numbers that are known may be chosen.',
    }),
    create_backorder: selection(
      { ask: 'Ask', always: 'Always', never: 'Never' },
      {
        label: 'Create Backorder',
        required: true,
        default: 'ask',
        help: 'Handling of the rest of a transfer that is done in part.',
      },
    ),
    reservation_method: selection(
      { at_confirm: 'At Confirmation', manual: 'Manually', by_date: 'Before scheduled date' },
      { label: 'Reservation Method', required: true, default: 'at_confirm' },
    ),
    reservation_days_before: integer({ label: 'Days before scheduled date' }),
    reservation_days_before_priority: integer({ label: 'Days when starred' }),
    move_type: selection(
      { direct: 'As soon as possible', one: 'When all products are ready' },
      { label: 'Shipping Policy', required: true, default: 'direct' },
    ),
    barcode: char({ label: 'Barcode', copy: false }),
    count_picking_draft: integer({ label: 'Drafts', computed: true }),
    count_picking_ready: integer({ label: 'Ready', computed: true }),
    count_picking_waiting: integer({ label: 'Waiting', computed: true }),
    count_picking_late: integer({ label: 'Late', computed: true }),
    count_picking_backorders: integer({ label: 'Back Orders', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'stock.picking.type': PickingType
  }
  interface PickingType extends Of<typeof pickingType> {}
}

/** Counts the open transfers of operation types, in one statement for all of them. */
const counted = (condition: ReturnType<typeof sql>) =>
  computedTogether(pickingType, [], async (types, env) => {
    const ids = types.map(({ id }) => id)
    const rows = await env.rows(
      sql`SELECT p.picking_type_id, count(*)::int FROM stock_picking p
      WHERE p.picking_type_id = ANY(${idList(ids)}) AND ${condition} GROUP BY 1`,
      { reads: ['stock.picking'], row: ['int', 'int'] },
    )
    const countById = new Map(rows.map((row) => [row[0], row[1]]))
    return new Map(ids.map((id) => [id, countById.get(id) ?? 0]))
  })

export default implement(pickingType, {
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(
    pickingType,
    ['name', 'warehouse_id.name'],
    (pickingType) =>
      pickingType.warehouse_id ? `${pickingType.warehouse_id.name}: ${pickingType.name}` : pickingType.name,
    { context: ['lang'] },
  ),
  computed: {
    use_create_lots: computed(pickingType, ['code'], (pickingType) => pickingType.code === 'incoming', {
      editable: true,
    }),
    use_existing_lots: computed(
      pickingType,
      ['code'],
      (pickingType) => pickingType.code === 'outgoing' || pickingType.code === 'internal',
      { editable: true },
    ),
    count_picking_draft: counted(sql`p.state = 'draft'`),
    count_picking_ready: counted(sql`p.state = 'assigned'`),
    count_picking_waiting: counted(sql`p.state IN ('confirmed', 'waiting')`),
    count_picking_late: counted(
      sql`p.state IN ('assigned', 'confirmed', 'waiting') AND p.scheduled_date < now() AT TIME ZONE 'UTC'`,
    ),
    count_picking_backorders: counted(
      sql`p.backorder_id IS NOT NULL AND p.state IN ('assigned', 'confirmed', 'waiting')`,
    ),
  },
  wrapCreate: (next) => async (types, list) => {
    const { env } = types
    const complete = await completeTypes(env, givenVals(list))
    return next(types, complete)
  },
  wrapGeneric: { unlink: keptOnceListed as never, copy_data: markCopies },
})
