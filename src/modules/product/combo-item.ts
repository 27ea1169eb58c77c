// Products to choose from (product.combo.item), each at the combo's price or for something more.
import { computed, float, implement, many2one, model, type Of } from '#models'

const item = model('product.combo.item', {
  label: 'Product Combo Item',
  formsBySaving: true,
  order: 'id',
  recName: 'product_id',
  rules: {
    product_once: {
      unique: ['combo_id', 'product_id'],
      message: 'A product can be in a combo choice only once.',
    },
  },
  fields: {
    company_id: many2one('res.company', { label: 'Company', related: 'combo_id.company_id', stored: true }),
    combo_id: many2one('product.combo', { label: 'Combo', required: true, ondelete: 'cascade', index: true }),
    product_id: many2one('product.product', {
      label: 'Options',
      required: true,
      ondelete: 'restrict',
      index: true,
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      related: 'product_id.product_tmpl_id.currency_id',
    }),
    lst_price: float({ label: 'Original Price', digits: false, related: 'product_id.lst_price' }),
    extra_price: float({ label: 'Extra Price', digits: false, default: 0 }),
  },
})

declare module '#models' {
  interface Models {
    'product.combo.item': ProductComboItem
  }
  interface ProductComboItem extends Of<typeof item> {}
}

export default implement(item, {
  checks: {
    'A combo product cannot be chosen inside a combo.': computed(
      item,
      ['product_id.product_tmpl_id.type'],
      (item) => item.product_id.product_tmpl_id.type !== 'combo',
    ),
  },
})
