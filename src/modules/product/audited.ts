// Audited fields of products: costs, prices, and the rules of price lists.
import { audited } from '#models'

export const auditedModels = [
  audited('product.template', { fields: ['list_price'], unlink: true }),
  audited('product.product', { fields: ['standard_price'], unlink: true }),
  audited('product.pricelist', {
    fields: ['name', 'active', 'currency_id', 'company_id'],
    create: true,
    unlink: true,
  }),
  audited('product.pricelist.item', {
    fields: [
      'pricelist_id',
      'date_start',
      'date_end',
      'min_quantity',
      'applied_on',
      'categ_id',
      'product_tmpl_id',
      'product_id',
      'base',
      'base_pricelist_id',
      'compute_price',
      'fixed_price',
      'percent_price',
      'price_discount',
      'price_round',
      'price_surcharge',
      'price_min_margin',
      'price_max_margin',
    ],
    create: true,
    unlink: true,
  }),
  audited('product.supplierinfo', {
    fields: ['partner_id', 'price', 'discount', 'currency_id', 'min_qty', 'date_start', 'date_end'],
    create: true,
    unlink: true,
  }),
]
