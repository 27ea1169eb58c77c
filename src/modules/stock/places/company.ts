// Companies (res.company): the places that stand for what they lose, make and have on its way, and their
// first warehouse.

import {
  boolean,
  type DataSet,
  type DataVals,
  type Environment,
  extend,
  float,
  implement,
  integer,
  loadData,
  many2one,
  type Of,
  type Records,
  selection,
} from '#models'
import { monthNames } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'
import { views } from '../data.ts'

const company = extend('res.company', {
  fields: {
    internal_transit_location_id: many2one('stock.location', {
      label: 'Internal Transit Location',
      ondelete: 'set null',
      copy: false,
      help: 'Holds goods on their way from one warehouse to another.',
    }),
    annual_inventory_day: integer({ label: 'Day of the month', default: 31 }),
    annual_inventory_month: selection(monthNames, { label: 'Annual Inventory Month', default: '12' }),
    horizon_days: float({
      label: 'Replenishment Horizon',
      required: true,
      default: 365,
      help: 'Number of days that replenishment looks into the future.',
    }),
    stock_move_email_validation: boolean({ label: 'Email Confirmation picking' }),
    stock_text_confirmation: boolean({ label: 'Stock Text Confirmation' }),
    stock_confirmation_type: selection({ sms: 'SMS' }, { label: 'Stock Confirmation Type', default: 'sms' }),
    stock_mail_confirmation_template_id: many2one('mail.template', {
      label: 'Email Template confirmation picking',
      domain: [['model', '=', 'stock.picking']],
      ondelete: 'set null',
    }),
  },
  methods: {
    create_missing_inventory_loss_location: completes('places of losses'),
    create_missing_production_location: completes('places of production'),
    create_missing_scrap_location: completes('places of waste'),
    create_missing_scrap_sequence: completes('numbers of scraps'),
    create_missing_transit_location: completes('places of goods on their way'),
    create_missing_warehouse: completes('first warehouses'),
  },
})

/** Companies are completed at once: places and warehouse need each other. */
function completes(what: string) {
  return {
    doc: `Creates ${what} for companies of the caller without them, and what else they lack.`,
    level: 'model',
    params: {},
  } as const
}

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

/** Warehouses of the caller's companies that have none, and virtual places that are gone. */
async function complete({ env }: Records<'res.company'>): Promise<null> {
  await assertAllowed(env.model('stock.warehouse').browse([]), 'create')
  const su = env.sudo()
  const main = await su.ref('base.main_company')
  const parent = await su.ref('stock.stock_location_locations_virtual')
  for (const id of env.companyIds) {
    const inCompany = su.withCompany(id)
    await equipCompany(inCompany, id)
    await loadData(
      inCompany,
      'stock',
      virtual(id, (name) => (id === main ? name : `${name}_${id}`), parent),
    )
  }
  return null
}

export default implement(company, {
  methods: {
    create_missing_inventory_loss_location: complete,
    create_missing_production_location: complete,
    create_missing_scrap_location: complete,
    create_missing_scrap_sequence: complete,
    create_missing_transit_location: complete,
    create_missing_warehouse: complete,
  },
  wrapCreate: (next) => async (companies, list) => {
    const createdCompanies = await next(companies, list)
    // While the database is made, companies are there before the places that theirs lie in.
    if ((await companies.env.find('stock.stock_location_customers')) === null) return createdCompanies
    for (const id of createdCompanies.ids) await equipCompany(companies.env.sudo().withCompany(id), id)
    return createdCompanies
  },
})

/** Makes the virtual places and the first warehouse of a company that has none. */
export async function equipCompany(env: Environment, company: number): Promise<void> {
  const su = env.sudo().withContext({ active_test: false })
  if (await su.model('stock.warehouse').searchCount([['company_id', '=', company]], 1)) return
  const main = company === (await env.ref('base.main_company'))
  const name = (id: string) => (main ? id : `${id}_${company}`)
  const { name: title } = await su.model('res.company').browse([company]).one(['name'])
  const code = main ? 'WH' : await freeCode(su, title)
  await loadData(su, 'stock', {
    model: 'stock.warehouse',
    noupdate: true,
    records: { [main ? 'warehouse0' : `warehouse_${company}`]: { name: title, code, company_id: company } },
  })
  await loadData(su, 'stock', views)
  await loadData(su, 'stock', virtual(company, name, await env.ref('stock.stock_location_locations_virtual')))
  const transit = await su.ref(`stock.${name('stock_location_transit')}`)
  await su.model('res.company').browse([company]).write({ internal_transit_location_id: transit })
  await setDefaults(su, company, name)
  if (main) await nameParts(su)
}

type Place = DataVals<'stock.location'>

const virtual = (company_id: number, name: (id: string) => string, location_id: number): DataSet => {
  const place = (title: string, usage: Place['usage']): Place => ({
    name: title,
    usage,
    company_id,
    location_id,
  })
  return {
    model: 'stock.location',
    noupdate: true,
    records: {
      [name('location_inventory')]: place('Inventory adjustment', 'inventory'),
      [name('location_production')]: place('Production', 'production'),
      [name('stock_location_scrapped')]: place('Scrap', 'inventory'),
      [name('stock_location_transit')]: place('Inter-warehouse transit', 'transit'),
    },
  }
}

/** Where goods go from and to unless a product or a contact says otherwise. */
async function setDefaults(
  env: Environment,
  company_id: number,
  name: (id: string) => string,
): Promise<void> {
  const defaults = [
    ['product.template', 'property_stock_inventory', name('location_inventory')],
    ['product.template', 'property_stock_production', name('location_production')],
    ['stock.scrap', 'scrap_location_id', name('stock_location_scrapped')],
    ['res.partner', 'property_stock_customer', 'stock_location_customers'],
    ['res.partner', 'property_stock_supplier', 'stock_location_suppliers'],
  ] as const
  for (const [model_name, field_name, place] of defaults) {
    const value = await env.ref(`stock.${place}`)
    await env
      .model('ir.default')
      .set({ model_name, field_name, value, user_id: false, company_id, condition: false })
  }
}

/** A short name made of the company's own, which no warehouse has. */
async function freeCode(env: Environment, title: string): Promise<string> {
  const letters = title.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase()
  const taken = new Set(
    (await (await env.model('stock.warehouse').search([])).load(['code'])).map((warehouse) => warehouse.code),
  )
  const base = letters.slice(0, 5) || 'WH'
  let code = base
  for (let n = 2; taken.has(code); n++) code = `${base.slice(0, 5 - String(n).length)}${n}`
  return code
}

/** The parts of the first warehouse have external ids: clients know them by those. */
async function nameParts(env: Environment): Promise<void> {
  const warehouse = env.model('stock.warehouse').browse([await env.ref('stock.warehouse0')])
  const parts = await warehouse.one([
    'view_location_id',
    'lot_stock_id',
    'wh_input_stock_loc_id',
    'wh_output_stock_loc_id',
    'wh_pack_stock_loc_id',
    'wh_qc_stock_loc_id',
    'in_type_id',
    'out_type_id',
    'int_type_id',
  ])
  const named = [
    ['stock_location_company', 'stock.location', parts.view_location_id],
    ['stock_location_stock', 'stock.location', parts.lot_stock_id],
    ['stock_location_input', 'stock.location', parts.wh_input_stock_loc_id],
    ['stock_location_output', 'stock.location', parts.wh_output_stock_loc_id],
    ['location_pack_zone', 'stock.location', parts.wh_pack_stock_loc_id],
    ['location_qc', 'stock.location', parts.wh_qc_stock_loc_id],
    ['picking_type_in', 'stock.picking.type', parts.in_type_id],
    ['picking_type_out', 'stock.picking.type', parts.out_type_id],
    ['picking_type_internal', 'stock.picking.type', parts.int_type_id],
  ] as const
  await env
    .model('ir.model.data')
    .create(
      named.flatMap(([name, model, record]) =>
        record ? [{ module: 'stock', name, model, res_id: record.id, noupdate: true }] : [],
      ),
    )
}
