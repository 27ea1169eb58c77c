// Categories (product.category): the routes of their products, and which of their goods leave first.
import { extend, implement, many2many, many2one, type Of } from '#models'

const category = extend('product.category', {
  fields: {
    route_ids: many2many('stock.route', {
      label: 'Routes',
      relation: { table: 'stock_route_categ', column: 'categ_id', other: 'route_id' },
      domain: [['product_categ_selectable', '=', true]],
    }),
    removal_strategy_id: many2one('product.removal', {
      label: 'Force Removal Strategy',
      help: 'Which products are removed first, if the location has no strategy. By default the oldest.',
    }),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
}

export default implement(category)
