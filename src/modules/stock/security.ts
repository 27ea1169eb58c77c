// Access rights and rules of stock: stock users handle transfers and count, managers set up the module
// (spec/business-models.md section 11).
import { companyIds, type DataSet, recordRule, recordRules, ref, ruleDomain, user } from '#models'
import { accessLines, companyRule, ofCompanies, ofCompaniesOrNone } from '../base/index.ts'

const privileges: DataSet = {
  model: 'res.groups.privilege',
  records: {
    res_groups_privilege_inventory: {
      name: 'Inventory',
      sequence: 10,
      category_id: ref('base.module_category_inventory'),
    },
  },
}

const inventory = { privilege_id: ref('res_groups_privilege_inventory') }

const groups: DataSet = {
  model: 'res.groups',
  records: {
    group_stock_multi_locations: { name: 'Manage Multiple Stock Locations' },
    group_stock_multi_warehouses: {
      name: 'Manage Multiple Warehouses',
      implied_ids: [[6, 0, [ref('group_stock_multi_locations')]]],
    },
    group_adv_location: { name: 'Manage Push and Pull inventory flows' },
    group_production_lot: { name: 'Manage Lots / Serial Numbers' },
    group_tracking_lot: { name: 'Manage Packages' },
    group_tracking_owner: { name: 'Manage Different Stock Owners' },
    group_stock_user: {
      ...inventory,
      name: 'User',
      sequence: 10,
      implied_ids: [[6, 0, [ref('base.group_user')]]],
      comment: 'Receives, moves, counts and delivers goods.',
    },
    group_stock_manager: {
      ...inventory,
      name: 'Administrator',
      sequence: 20,
      implied_ids: [[6, 0, [ref('group_stock_user')]]],
      user_ids: [
        [4, ref('base.user_root')],
        [4, ref('base.user_admin')],
      ],
      comment: 'Sets warehouses up, and what runs through them.',
    },
  },
}

const EVERYBODY = 'base.group_user'
const KEEPER = 'group_stock_user'
const MANAGER = 'group_stock_manager'

const setUp = { [EVERYBODY]: 'r', [MANAGER]: 'rwcd' }
/** Records that belong to moves: users of documents that move goods write them with the moves. */
const written = { [EVERYBODY]: 'rwcd', [KEEPER]: 'rwcd', [MANAGER]: 'rwcd' }
const handled = { [EVERYBODY]: 'r', [KEEPER]: 'rwcd', [MANAGER]: 'rwcd' }
const form = { [KEEPER]: 'rwcd', [MANAGER]: 'rwcd' }

const access = accessLines({
  'stock.warehouse': setUp,
  'stock.location': setUp,
  'stock.picking.type': setUp,
  'stock.route': setUp,
  'stock.rule': setUp,
  'product.removal': setUp,
  'stock.package.type': setUp,
  'barcode.nomenclature': setUp,
  'barcode.rule': setUp,
  'stock.storage.category': setUp,
  'stock.storage.category.capacity': setUp,
  'stock.putaway.rule': setUp,
  'stock.scrap.reason.tag': setUp,
  'stock.reference': written,
  // Histories of packages are written by transfers, and stay.
  'stock.package.history': { [EVERYBODY]: 'r', [KEEPER]: 'rwc', [MANAGER]: 'rwcd' },
  'stock.picking': { 'base.group_portal': 'r', [KEEPER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock.move': { [KEEPER]: 'rwc', [MANAGER]: 'rwcd' },
  'stock.move.line': written,
  'stock.quant': { [EVERYBODY]: 'r', [KEEPER]: 'rwc', [MANAGER]: 'rwc' },
  'stock.lot': { [EVERYBODY]: '', [KEEPER]: 'rwcd', [MANAGER]: 'rwcd' },
  'stock.package': handled,
  'stock.scrap': { [KEEPER]: 'rwc', [MANAGER]: 'rwcd' },
  'stock.warehouse.orderpoint': { [KEEPER]: 'r', [MANAGER]: 'rwcd' },
  'stock.return.picking': { [KEEPER]: 'rwc', [MANAGER]: 'rwc' },
  'stock.return.picking.line': form,
  'stock.backorder.confirmation': form,
  'stock.backorder.confirmation.line': form,
  'stock.warn.insufficient.qty.scrap': form,
  'stock.inventory.adjustment.name': form,
  'stock.inventory.warning': form,
  'stock.inventory.conflict': form,
  'stock.request.count': form,
  'stock.quant.relocate': form,
  'stock.put.in.pack': form,
  'stock.package.destination': form,
  'stock.orderpoint.snooze': form,
  'stock.replenishment.info': form,
  'stock.replenishment.option': form,
  'product.replenish': form,
  'stock.traceability.report': form,
  'report.stock.quantity': { [KEEPER]: 'r' },
  // Rights of managers on models of other modules.
  'base/res.partner': { [MANAGER]: 'rwc' },
  'product/product.pricelist': { [MANAGER]: 'rwcd' },
  'product/product.attribute': { [MANAGER]: 'rwcd' },
  'product/product.attribute.value': { [MANAGER]: 'rwcd' },
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: recordRules(
    {
      'stock.warehouse': ofCompanies,
      'stock.location': ofCompaniesOrNone,
      'stock.picking.type': ofCompanies,
      'stock.route': ofCompaniesOrNone,
      'stock.rule': ofCompaniesOrNone,
      'stock.picking': ofCompanies,
      'stock.move': ofCompanies,
      'stock.move.line': ofCompanies,
      'stock.quant': ofCompaniesOrNone,
      'stock.lot': ofCompaniesOrNone,
      'stock.storage.category': ofCompaniesOrNone,
      'stock.putaway.rule': ofCompanies,
      'stock.package': ofCompaniesOrNone,
      'stock.package.history': ofCompanies,
      'report.stock.quantity': ofCompanies,
      'stock.package.type': ofCompaniesOrNone,
      'stock.scrap': ofCompanies,
      'stock.warehouse.orderpoint': ofCompanies,
      // Its figures are those of a reordering rule: it shows none of other companies.
      'stock.replenishment.info': ruleDomain([
        '|',
        ['orderpoint_id', '=', false],
        ['orderpoint_id.company_id', 'in', companyIds],
      ]),
      'stock.replenishment.option': ruleDomain([
        '|',
        ['replenishment_info_id.orderpoint_id', '=', false],
        ['replenishment_info_id.orderpoint_id.company_id', 'in', companyIds],
      ]),
    },
    companyRule,
  ),
}

/** Customers and vendors read the transfers of their company and all its people. */
const portal: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    stock_picking_rule_portal: recordRule(
      'stock.picking',
      [['partner_id', 'child_of', [user.partner_id.commercial_partner_id.id]]],
      { name: 'stock.picking: portal', groups: ['base.group_portal'] },
    ),
  },
}

export const security: readonly DataSet[] = [privileges, groups, access, rules, portal]
