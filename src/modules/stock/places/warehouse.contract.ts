// Warehouses (stock.warehouse): a tree of places with the kinds of operations, routes and rules that goods
// come and go by.
import { boolean, char, integer, many2many, many2one, model, type Of, one2many, selection } from '#models'

const place = (label: string) =>
  many2one('stock.location', { label, checkCompany: true, copy: false, ondelete: 'set null' })
const type = (label: string) => many2one('stock.picking.type', { label, checkCompany: true, copy: false })
const rule = (label: string) => many2one('stock.rule', { label, checkCompany: true, copy: false })

export const warehouse = model('stock.warehouse', {
  label: 'Warehouse',
  dictionary: true,
  order: 'sequence, id',
  rules: {
    warehouse_name_uniq: {
      unique: ['name', 'company_id'],
      message: 'The name of the warehouse must be unique per company!',
    },
    warehouse_code_uniq: {
      unique: ['code', 'company_id'],
      message: 'The short name of the warehouse must be unique per company!',
    },
  },
  fields: {
    name: char({ label: 'Warehouse', required: true, mustSend: false }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      readonly: true,
      index: true,
      ondelete: 'cascade',
    }),
    partner_id: many2one('res.partner', { label: 'Address', checkCompany: true }),
    code: char({
      label: 'Short Name',
      required: true,
      size: 5,
      help: 'Begins the numbers of its transfers.',
    }),
    sequence: integer({
      label: 'Sequence',
      default: 10,
      help: 'The first warehouse of a company delivers its orders.',
    }),
    view_location_id: place('View Location'),
    lot_stock_id: place('Location Stock'),
    wh_input_stock_loc_id: place('Input Location'),
    wh_qc_stock_loc_id: place('Quality Control Location'),
    wh_output_stock_loc_id: place('Output Location'),
    wh_pack_stock_loc_id: place('Packing Location'),
    reception_steps: selection(
      {
        one_step: 'Receive and Store (1 step)',
        two_steps: 'Receive then Store (2 steps)',
        three_steps: 'Receive, Quality Control, then Store (3 steps)',
      },
      { label: 'Incoming Shipments', required: true, default: 'one_step' },
    ),
    delivery_steps: selection(
      {
        ship_only: 'Deliver (1 step)',
        pick_ship: 'Pick then Deliver (2 steps)',
        pick_pack_ship: 'Pick, Pack, then Deliver (3 steps)',
      },
      { label: 'Outgoing Shipments', required: true, default: 'ship_only' },
    ),
    in_type_id: type('In Type'),
    out_type_id: type('Out Type'),
    int_type_id: type('Internal Type'),
    pick_type_id: type('Pick Type'),
    pack_type_id: type('Pack Type'),
    qc_type_id: type('Quality Control Type'),
    store_type_id: type('Storage Type'),
    reception_route_id: many2one('stock.route', {
      label: 'Receipt Route',
      checkCompany: true,
      copy: false,
      ondelete: 'set null',
    }),
    delivery_route_id: many2one('stock.route', {
      label: 'Delivery Route',
      checkCompany: true,
      copy: false,
      ondelete: 'set null',
    }),
    mto_pull_id: rule('MTO rule'),
    route_ids: many2many('stock.route', {
      label: 'Routes',
      relation: { table: 'stock_route_warehouse', column: 'warehouse_id', other: 'route_id' },
      help: 'Deliveries from the warehouse follow them.',
    }),
    resupply_wh_ids: many2many('stock.warehouse', {
      label: 'Resupply From',
      relation: { table: 'stock_wh_resupply_table', column: 'supplied_wh_id', other: 'supplier_wh_id' },
    }),
    resupply_route_ids: one2many('stock.route', 'supplied_wh_id', { label: 'Resupply Routes' }),
  },
})

declare module '#models' {
  interface Models {
    'stock.warehouse': Warehouse
  }
  interface Warehouse extends Of<typeof warehouse> {}
}
