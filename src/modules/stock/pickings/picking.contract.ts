// Transfers (stock.picking): moves that are handled together, a receipt, a delivery, a move within
// (spec/business-models.md section 7).
import {
  boolean,
  char,
  datetime,
  html,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  required,
  returns,
  selection,
} from '#models'
import { codes } from '../places/codes.ts'

const done = returns<true>('boolean', 'bool')

export const picking = model('stock.picking', {
  label: 'Transfer',
  formsBySaving: true,
  events: {
    done: {
      doc: 'A receipt, a delivery or a transfer was done.',
      fields: ['name', 'state', 'picking_type_id', 'partner_id', 'origin', 'date_done'],
    },
  },
  order: 'priority desc, scheduled_date, id desc',
  recNamesSearch: ['name', 'origin', 'partner_id.complete_name'],
  rules: {
    name_uniq: { unique: ['name', 'company_id'], message: 'Reference must be unique per company!' },
    own_order: { index: ['priority desc', 'scheduled_date', 'id desc'] },
    changes: { index: ['write_date', 'id'] },
  },
  fields: {
    name: char({ label: 'Reference', default: '/', copy: false, index: 'trigram', readonly: true }),
    origin: char({ label: 'Source Document', index: 'trigram' }),
    note: html({ label: 'Notes' }),
    backorder_id: many2one('stock.picking', {
      label: 'Back Order of',
      copy: false,
      index: 'set',
      readonly: true,
      checkCompany: true,
    }),
    backorder_ids: one2many('stock.picking', 'backorder_id', { label: 'Back Orders' }),
    return_id: many2one('stock.picking', {
      label: 'Return of',
      copy: false,
      index: 'set',
      readonly: true,
      checkCompany: true,
    }),
    return_ids: one2many('stock.picking', 'return_id', { label: 'Returns' }),
    return_count: integer({ label: '# Returns', computed: true }),
    move_type: selection(
      { direct: 'As soon as possible', one: 'When all products are ready' },
      {
        label: 'Shipping Policy',
        required: true,
        computed: true,
        stored: true,
        precompute: true,
        help: 'Whether goods may leave in parts.',
      },
    ),
    state: selection(
      {
        draft: 'Draft',
        waiting: 'Waiting Another Operation',
        confirmed: 'Waiting',
        assigned: 'Ready',
        done: 'Done',
        cancel: 'Cancelled',
      },
      { label: 'Status', computed: true, stored: true, index: true, copy: false, readonly: true },
    ),
    priority: selection({ '0': 'Normal', '1': 'Urgent' }, { label: 'Priority', default: '0' }),
    scheduled_date: datetime({
      label: 'Scheduled Date',
      computed: true,
      stored: true,
      readonly: false,
      index: true,
    }),
    date_deadline: datetime({ label: 'Deadline', computed: true, stored: true }),
    has_deadline_issue: boolean({ label: 'Is late', asStored: true, computed: true }),
    date: datetime({ label: 'Creation Date', copy: false }),
    date_done: datetime({ label: 'Date of Transfer', copy: false, readonly: true }),
    location_id: many2one('stock.location', {
      label: 'Source Location',
      required: true,
      mustSend: false,
      checkCompany: true,
    }),
    location_dest_id: many2one('stock.location', {
      label: 'Destination Location',
      required: true,
      mustSend: false,
      checkCompany: true,
    }),
    move_ids: one2many('stock.move', 'picking_id', { label: 'Stock Moves', copy: true }),
    move_line_ids: one2many('stock.move.line', 'picking_id', { label: 'Operations' }),
    move_line_exist: boolean({ label: 'Has Pack Operations', computed: true }),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type',
      required: true,
      mustSend: false,
      index: true,
      checkCompany: true,
    }),
    picking_type_code: selection(codes, { label: 'Type of Operation', related: 'picking_type_id.code' }),
    use_create_lots: boolean({ label: 'Create New Lots', related: 'picking_type_id.use_create_lots' }),
    use_existing_lots: boolean({ label: 'Use Existing Lots', related: 'picking_type_id.use_existing_lots' }),
    warehouse_address_id: many2one('res.partner', {
      label: 'Warehouse Address',
      related: 'picking_type_id.warehouse_id.partner_id',
    }),
    partner_id: many2one('res.partner', { label: 'Contact', index: true, checkCompany: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, mustSend: false, index: true }),
    user_id: many2one('res.users', { label: 'Responsible' }),
    owner_id: many2one('res.partner', {
      label: 'Assign Owner',
      help: 'Owner of the goods that arrive.',
      checkCompany: true,
    }),
    printed: boolean({ label: 'Printed', copy: false }),
    is_locked: boolean({ label: 'Is Locked', default: true, copy: false }),
    products_availability: char({ label: 'Product Availability', computed: true }),
    products_availability_state: selection(
      { available: 'Available', expected: 'Expected', late: 'Late' },
      { label: 'Products Availability State', computed: true },
    ),
  },
  methods: {
    comptoir_find_by_code: {
      doc: 'Records of a scanned code: products, packagings, lots, packages, places, transfers; codes by the GS1 standard too.',
      level: 'model',
      readonly: true,
      params: { code: required<string>('string', { doc: 'The code as the scanner sends it' }) },
      returns: returns<readonly object[]>(
        'array',
        'list[dict]',
        'Model, id and name of each, with what else the code says',
      ),
    },
    action_confirm: {
      doc: 'Confirms draft transfers, and reserves their goods.',
      params: {},
      returns: done,
    },
    action_assign: { doc: 'Reserves available goods for the transfers.', params: {}, returns: done },
    do_unreserve: { doc: 'Unreserves the goods of the transfers.', params: {} },
    button_validate: {
      doc: 'Completes the transfers with the picked quantities, or else with all reserved ones. Returns a form if the user has to decide about the rest.',
      params: {},
      returns: returns<true | object>('any', 'bool | dict'),
    },
    action_cancel: { doc: 'Cancels transfers that are not done.', params: {}, returns: done },
    action_toggle_is_locked: {
      doc: 'Toggles the lock of transfers.',
      params: {},
      returns: done,
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.picking': StockPicking
  }
  interface StockPicking extends Of<typeof picking> {}
}
