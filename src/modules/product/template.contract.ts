// Products (product.template): what a product is called, costs and does, common to all its variants.
import {
  boolean,
  char,
  float,
  html,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  returns,
  selection,
  text,
} from '#models'
import { templateTags, turned } from './tag.ts'

export const template = model('product.template', {
  label: 'Product',
  formsBySaving: true,
  order: 'is_favorite desc, name, id',
  mixins: ['image.mixin'],
  rules: {
    own_order: { index: ['is_favorite desc', 'name', 'id'] },
    // Other systems ask for the whole reference, and for what changed since they asked last.
    default_code: { index: ['default_code'] },
    changes: { index: ['write_date', 'id'] },
  },
  recNamesSearch: ['name', 'default_code', 'product_variant_ids.default_code', 'product_variant_ids.barcode'],
  fields: {
    name: char({ label: 'Name', required: true, translate: true, index: 'trigram' }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    description: html({ label: 'Description', translate: true }),
    description_purchase: text({ label: 'Purchase Description', translate: true }),
    description_sale: text({
      label: 'Sales Description',
      translate: true,
      help: 'Stands on quotations and invoices below the name.',
    }),
    type: selection(
      { consu: 'Goods', service: 'Service', combo: 'Combo' },
      {
        label: 'Product Type',
        default: 'consu',
        required: true,
        help: 'Goods are handed over, services are done, combos are chosen from several products.',
      },
    ),
    combo_ids: many2many('product.combo', { label: 'Combo Choices' }),
    service_tracking: selection(
      { no: 'Nothing' },
      { label: 'Create on Order', default: 'no', required: true },
    ),
    categ_id: many2one('product.category', { label: 'Product Category', ondelete: 'set null', index: true }),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    cost_currency_id: many2one('res.currency', { label: 'Cost Currency', computed: true }),
    list_price: float({
      label: 'Sales Price',
      digits: false,
      default: 1,
      help: "For one of the product's unit, in its currency.",
    }),
    standard_price: float({
      label: 'Cost',
      digits: false,
      computed: true,
      groups: 'base.group_user',
      help: "The single variant's cost.",
    }),
    volume: float({ label: 'Volume', precision: 'Volume', computed: true, stored: true }),
    volume_uom_name: char({ label: 'Volume unit of measure label', computed: true }),
    weight: float({ label: 'Weight', precision: 'Stock Weight', computed: true, stored: true }),
    weight_uom_name: char({ label: 'Weight unit of measure label', computed: true }),
    sale_ok: boolean({ label: 'Sales', default: true }),
    purchase_ok: boolean({ label: 'Purchase', default: true }),
    uom_id: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      ondelete: 'restrict',
      help: 'Prices and stock are counted in it.',
    }),
    uom_ids: many2many('uom.uom', {
      label: 'Packagings',
      help: 'Other units that the product may be sold in.',
    }),
    uom_name: char({ label: 'Unit Name', related: 'uom_id.name' }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    seller_ids: one2many('product.supplierinfo', 'product_tmpl_id', { label: 'Vendors' }),
    variant_seller_ids: one2many('product.supplierinfo', 'product_tmpl_id', { label: 'Variant Seller' }),
    active: boolean({ label: 'Active', default: true }),
    color: integer({ label: 'Color Index' }),
    is_favorite: boolean({ label: 'Favorite' }),
    is_product_variant: boolean({ label: 'Is a product variant', computed: true }),
    attribute_line_ids: one2many('product.template.attribute.line', 'product_tmpl_id', {
      label: 'Product Attributes',
      copy: true,
    }),
    product_variant_ids: one2many('product.product', 'product_tmpl_id', { label: 'Products' }),
    /** Archived ones too; what is mirrored from the only variant looks here. */
    every_variant_ids: one2many('product.product', 'product_tmpl_id', {
      hidden: true,
      context: { active_test: false },
    }),
    product_variant_id: many2one('product.product', { label: 'Product', computed: true }),
    product_variant_count: integer({ label: '# Product Variants', computed: true }),
    barcode: char({ label: 'Barcode', computed: true }),
    default_code: char({ label: 'Internal Reference', computed: true, stored: true, index: 'trigram' }),
    pricelist_rule_ids: one2many('product.pricelist.item', 'product_tmpl_id', { label: 'Pricelist Rules' }),
    has_configurable_attributes: boolean({
      label: 'Is a configurable product',
      asStored: true,
      computed: true,
    }),
    is_dynamically_created: boolean({ label: 'Is Dynamically Created', computed: true }),
    product_tag_ids: many2many('product.tag', { label: 'Tags', relation: turned(templateTags) }),
  },
  methods: {
    get_contextual_price: {
      doc: 'The price under the pricelist, quantity, uom and date of the context.',
      readonly: true,
      params: {
        product: optional<number | null>('integer', null, {
          doc: 'One of its variants',
          annotation: 'int | None',
        }),
      },
      returns: returns<number>('number', 'float'),
    },
  },
})

declare module '#models' {
  interface Models {
    'product.template': ProductTemplate
  }
  interface ProductTemplate extends Of<typeof template>, ImageMixin {}
}
