// The form that orders a quantity of a product (product.replenish): its vendor.
import { boolean, computed, extend, implement, many2one, type Of } from '#models'
import { UserError } from '../../errors.ts'
import { actionMethod } from '../base/index.ts'
import type { Need } from '../stock/index.ts'

const form = extend('product.replenish', {
  fields: {
    supplier_id: many2one('product.supplierinfo', {
      label: "Vendor's Price",
      ondelete: 'set null',
      help: 'The goods are bought from its vendor; empty: from the one who fits best.',
    }),
    show_vendor: boolean({ label: 'Bought from Vendors', computed: true }),
  },
  methods: {
    action_stock_replenishment_info: actionMethod(
      "Opens the details of what the product's reordering rule in the warehouse proposes.",
    ),
  },
})

declare module '#models' {
  interface ProductReplenish extends Of<typeof form> {}
}

export default implement(form, {
  computed: {
    show_vendor: computed(
      form,
      ['route_id.rule_ids.action', 'product_id.product_tmpl_id.seller_ids'],
      ({ route_id: route, product_id: { product_tmpl_id: template } }) =>
        route ? route.rule_ids.some((rule) => String(rule.action) === 'buy') : template.seller_ids.length > 0,
    ),
  },
  checks: {
    'The vendor must be a vendor of the product: choose a price of the product.': computed(
      form,
      ['supplier_id.product_tmpl_id', 'product_id.product_tmpl_id'],
      ({ supplier_id: offer, product_id: { product_tmpl_id: template } }) =>
        !offer?.product_tmpl_id || offer.product_tmpl_id.id === template.id,
    ),
  },
  methods: {
    action_stock_replenishment_info: async (forms) => {
      const { product_id, warehouse_id } = await forms.one(['product_id', 'warehouse_id.lot_stock_id'])
      const rules = await forms.env.model('stock.warehouse.orderpoint').search(
        [
          ['product_id', '=', product_id.id],
          ['location_id', '=', warehouse_id.lot_stock_id?.id ?? 0],
        ],
        { limit: 1 },
      )
      if (rules.length === 0)
        throw new UserError('The warehouse has no reordering rule for the product: create one first.')
      return rules.action_stock_replenishment_info()
    },
  },
  wrap: {
    replenished_need: (next) => async (forms, params) => {
      const { supplier_id: offer } = await forms.one(['supplier_id.partner_id'])
      const need = (await next(forms, params)) as Need
      return offer ? { ...need, vendor: offer.partner_id.id } : need
    },
  },
})
