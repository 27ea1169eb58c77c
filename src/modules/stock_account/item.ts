// Journal items (account.move.line): the line whose goods an item books as sold, and costs of sales.
import { boolean, computed, extend, implement, many2one, type Of } from '#models'
import { sql } from '../../sql/index.ts'
import { costOfSales } from './sales-cost.ts'

const item = extend('account.move.line', {
  fields: {
    is_stocked: boolean({ label: 'Valued Perpetually', computed: true }),
    cogs_origin_id: many2one('account.move.line', {
      label: 'Origin of Cost of Goods Sold',
      copy: false,
      index: 'set',
      ondelete: 'set null',
      help: 'The invoice line of the products whose cost this item posts.',
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof item> {}
}

export default implement(item, {
  wrap: {
    cost_of_sales:
      () =>
      (lines, { sales }) =>
        costOfSales(lines.env, sales),
  },
  computed: {
    is_stocked: computed(
      item,
      ['product_id.product_tmpl_id.is_storable', 'product_id.product_tmpl_id.categ_id.property_valuation'],
      ({ product_id: product }) =>
        product?.product_tmpl_id.is_storable === true &&
        product.product_tmpl_id.categ_id?.property_valuation === 'real_time',
      {
        // Posting reads it with the other columns of items: looking for goods sold takes no statement.
        sql: (scope) => {
          const storable = scope.path('product_id.product_tmpl_id.is_storable')
          const valuation = scope.path('product_id.product_tmpl_id.categ_id.property_valuation')
          return storable && valuation && sql`COALESCE(${storable} AND ${valuation} = 'real_time', false)`
        },
      },
    ),
  },
})
