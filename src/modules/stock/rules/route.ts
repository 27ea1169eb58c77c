// Routes (stock.route): sets of rules that goods follow, by product, category, warehouse or line of an order.
import { boolean, char, implement, integer, many2many, many2one, model, type Of, one2many } from '#models'
import { markCopies } from '../../base/index.ts'

export const route = model('stock.route', {
  label: 'Inventory Routes',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Route', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', default: 0 }),
    rule_ids: one2many('stock.rule', 'route_id', { label: 'Rules', copy: true }),
    product_selectable: boolean({ label: 'Applicable on Product', default: true }),
    product_categ_selectable: boolean({ label: 'Applicable on Product Category' }),
    warehouse_selectable: boolean({ label: 'Applicable on Warehouse' }),
    package_type_selectable: boolean({ label: 'Applicable on Package Type' }),
    supplied_wh_id: many2one('stock.warehouse', { label: 'Supplied Warehouse', index: true }),
    supplier_wh_id: many2one('stock.warehouse', { label: 'Supplying Warehouse' }),
    company_id: many2one('res.company', {
      label: 'Company',
      index: true,
      ondelete: 'cascade',
      help: 'Empty for a route that companies share.',
    }),
    product_ids: many2many('product.template', {
      label: 'Products',
      copy: false,
      relation: { table: 'stock_route_product', column: 'route_id', other: 'product_id' },
    }),
    categ_ids: many2many('product.category', {
      label: 'Product Categories',
      copy: false,
      relation: { table: 'stock_route_categ', column: 'route_id', other: 'categ_id' },
    }),
    warehouse_ids: many2many('stock.warehouse', {
      label: 'Warehouses',
      copy: false,
      relation: { table: 'stock_route_warehouse', column: 'route_id', other: 'warehouse_id' },
    }),
  },
})

declare module '#models' {
  interface Models {
    'stock.route': StockRoute
  }
  interface StockRoute extends Of<typeof route> {}
}

export default implement(route, {
  defaults: { company_id: (env) => env.companyId },
  wrapWrite: (next) => async (routes, changes) => {
    await next(routes, changes)
    // Rules come and go with their route.
    for (const { ids, vals } of changes) {
      if (!('active' in vals)) continue
      const rules = await routes.env
        .withContext({ active_test: false })
        .model('stock.rule')
        .search([['route_id', 'in', ids]])
      if (rules.length) await rules.write({ active: Boolean(vals.active) })
    }
  },
  wrapGeneric: { copy_data: markCopies },
})
