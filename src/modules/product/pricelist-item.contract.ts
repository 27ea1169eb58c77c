// Rules of pricelists (product.pricelist.item): for which products, from which quantity, how long, and what
// the price is made of.
import { boolean, char, datetime, float, many2one, model, type Of, selection } from '#models'

export const item = model('product.pricelist.item', {
  label: 'Pricelist Rule',
  formsBySaving: true,
  order: 'applied_on, min_quantity desc, categ_id desc, id desc',
  fields: {
    pricelist_id: many2one('product.pricelist', {
      label: 'Pricelist',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    name: char({ label: 'Name', computed: true }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'pricelist_id.company_id',
      stored: true,
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      related: 'pricelist_id.currency_id',
      stored: true,
    }),
    pricelist_active: boolean({ label: 'Pricelist is active', related: 'pricelist_id.active' }),
    date_start: datetime({ label: 'Start Date', help: 'The first moment that the rule holds.' }),
    date_end: datetime({ label: 'End Date', help: 'The last moment that the rule holds.' }),
    min_quantity: float({
      label: 'Min. Quantity',
      precision: 'Product Unit',
      default: 0,
      help: "In the product's own unit.",
    }),
    applied_on: selection(
      {
        '3_global': 'All Products',
        '2_product_category': 'Product Category',
        '1_product': 'Product',
        '0_product_variant': 'Product Variant',
      },
      {
        label: 'Apply On',
        required: true,
        mustSend: false,
        help: 'A rule for a variant comes before one for a product, a category, everything.',
      },
    ),
    display_applied_on: selection(
      { '1_product': 'Product', '2_product_category': 'Category' },
      {
        label: 'Shown As for',
        computed: true,
        asStored: true,
        readonly: false,
        required: true,
        mustSend: false,
      },
    ),
    price: char({
      label: 'Price as Text',
      computed: true,
      help: 'Description of how the rule computes a price.',
    }),
    product_uom_name: char({ label: 'Unit Name', related: 'product_tmpl_id.uom_id.name' }),
    categ_id: many2one('product.category', { label: 'Category', ondelete: 'cascade', index: true }),
    product_tmpl_id: many2one('product.template', { label: 'Product', ondelete: 'cascade', index: true }),
    product_id: many2one('product.product', { label: 'Variant', ondelete: 'cascade', index: true }),
    base: selection(
      { list_price: 'Sales Price', standard_price: 'Cost', pricelist: 'Other Pricelist' },
      { label: 'Based on', default: 'list_price', required: true },
    ),
    base_pricelist_id: many2one('product.pricelist', { label: 'Other Pricelist', index: true }),
    compute_price: selection(
      { percentage: 'Discount', formula: 'Formula', fixed: 'Fixed Price' },
      { label: 'Price Type', default: 'fixed', required: true, index: true },
    ),
    fixed_price: float({ label: 'Fixed Price', digits: false }),
    percent_price: float({
      label: 'Percentage Price',
      help: 'Taken off the base; a negative percentage is added.',
    }),
    price_discount: float({
      label: 'Price Discount',
      digits: [16, 2],
      default: 0,
      help: 'Percent taken off the base of a formula.',
    }),
    price_markup: float({
      label: 'Price Markup',
      asStored: true,
      digits: [16, 2],
      computed: true,
      help: 'The discount with the opposite sign.',
    }),
    price_round: float({
      label: 'Price Rounding',
      digits: false,
      help: 'The price after the discount becomes a multiple of this.',
    }),
    price_surcharge: float({
      label: 'Extra Fee',
      digits: false,
      help: 'Added after rounding: 9.99 is a multiple of 10 less 0.01.',
    }),
    price_min_margin: float({
      label: 'Min. Price Margin',
      digits: false,
      help: 'The price is at least the base and this.',
    }),
    price_max_margin: float({
      label: 'Max. Price Margin',
      digits: false,
      help: 'The price is at most the base and this.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.pricelist.item': ProductPricelistItem
  }
  interface ProductPricelistItem extends Of<typeof item> {}
}
