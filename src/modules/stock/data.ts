// Initial data: places outside of all companies, sequences of lots, packages, scrap and replenishments,
// the route of goods made to order.
import { type DataSet, type DataVals, ref } from '#models'
import { removals } from './places/removal.ts'

const place = (name: string, usage: Place['usage']): Place => ({
  name,
  usage,
  company_id: false,
  location_id: false,
})

type Place = DataVals<'stock.location'>

/** Clients know the place of customers as 2. */
const suppliers: DataSet = {
  model: 'stock.location',
  noupdate: true,
  records: { stock_location_suppliers: place('Vendors', 'supplier') },
}
const places: DataSet = {
  model: 'stock.location',
  noupdate: true,
  records: {
    stock_location_customers: place('Customers', 'customer'),
    stock_location_inter_company: place('Inter-company transit', 'transit'),
  },
}
/**
 * Above the places of losses, production and scrap of every company; made after the first warehouse, whose
 * stock clients know as 5.
 */
export const views: DataSet = {
  model: 'stock.location',
  noupdate: true,
  records: {
    stock_location_locations_virtual: place('Virtual Locations', 'view'),
    stock_location_locations_partner: place('Partners', 'view'),
  },
}

const sequence = (name: string, code: string, prefix: string, padding: number): DataVals<'ir.sequence'> => ({
  name,
  code,
  prefix,
  padding,
  company_id: false,
})

const sequences: DataSet = {
  model: 'ir.sequence',
  noupdate: true,
  records: {
    sequence_production_lots: sequence('Serial Numbers', 'stock.lot.serial', '', 7),
    sequence_stock_scrap: sequence('Scraps', 'stock.scrap', 'SP/', 5),
    seq_quant_package: sequence('Packages', 'stock.package', 'PACK', 7),
    sequence_mrp_op: sequence('Stock orderpoint', 'stock.orderpoint', 'OP/', 5),
  },
}

const routes: DataSet = {
  model: 'stock.route',
  noupdate: true,
  records: {
    route_warehouse0_mto: {
      name: 'Replenish on Order (MTO)',
      company_id: false,
      sequence: 5,
      product_selectable: true,
      active: false,
    },
  },
}

const scheduled: DataSet = {
  model: 'ir.cron',
  noupdate: true,
  records: {
    ir_cron_scheduler_action: {
      name: 'Procurement: run scheduler',
      model_id: ref('model_stock_rule'),
      state: 'code',
      code: 'model.run_scheduler()',
      user_id: ref('base.user_root'),
      interval_number: 1,
      interval_type: 'days',
    },
  },
}

export const data: readonly DataSet[] = [suppliers, places, removals, sequences, routes, scheduled]
