// Variants of products (product.product): the goods in stock and on orders. Fields that all variants share
// are read through the template.
import { boolean, char, float, many2many, many2one, model, type Of, one2many, returns } from '#models'
import { turned, variantTags } from './tag.ts'
import { combination } from './template-attribute-value.ts'

export const product = model('product.product', {
  label: 'Product Variant',
  formsBySaving: true,
  inherits: { 'product.template': 'product_tmpl_id' },
  order: 'is_favorite desc, default_code, name, id',
  recName: 'name',
  recNamesSearch: ['name', 'default_code', 'barcode'],
  rules: {
    combination_unique: {
      unique: ['product_tmpl_id', 'combination_indices'],
      where: 'active',
      message: 'A variant with this combination of values already exists.',
    },
    // Tills ask for the whole code; parts of it are what people type (`recNamesSearch`).
    barcode: { index: ['barcode'] },
    default_code: { index: ['default_code'] },
    // Other systems ask for what changed since they asked last.
    changes: { index: ['write_date', 'id'] },
  },
  fields: {
    active: boolean({ label: 'Active', default: true }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    barcode: char({ label: 'Barcode', copy: false, index: 'trigram', help: 'Names one product only.' }),
    default_code: char({ label: 'Internal Reference', copy: false, index: 'trigram' }),
    code: char({ label: 'Reference', computed: true, help: "The vendor's, when the context names one." }),
    partner_ref: char({ label: 'Customer Ref', computed: true }),
    price_extra: float({
      label: 'Variant Price Extra',
      digits: false,
      computed: true,
      help: 'The sum of the extras of its values.',
    }),
    lst_price: float({
      label: 'Sales Price',
      digits: false,
      computed: true,
      help: 'Price and extras, in the unit that the context names.',
    }),
    standard_price: float({
      label: 'Cost',
      digits: false,
      companyDependent: true,
      copy: false,
      groups: 'base.group_user',
    }),
    volume: float({ label: 'Volume', precision: 'Volume' }),
    weight: float({ label: 'Weight', precision: 'Stock Weight' }),
    product_template_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Attribute Values',
      relation: turned(combination),
    }),
    product_template_variant_value_ids: many2many('product.template.attribute.value', {
      label: 'Variant Values',
      asStored: true,
      computed: true,
    }),
    combination_indices: char({ label: 'Combination Indices', computed: true, stored: true, index: true }),
    is_product_variant: boolean({ label: 'Is a product variant', computed: true }),
    product_uom_ids: one2many('product.uom', 'product_id', { label: 'Unit Barcode' }),
    additional_product_tag_ids: many2many('product.tag', {
      label: 'Variant Tags',
      relation: turned(variantTags),
    }),
    all_product_tag_ids: many2many('product.tag', { label: 'All Product Tags', computed: true }),
  },
  methods: {
    get_contextual_price: {
      doc: 'The price under the pricelist, quantity, uom and date of the context.',
      readonly: true,
      params: {},
      returns: returns<number>('number', 'float'),
    },
  },
})

declare module '#models' {
  interface Models {
    'product.product': ProductProduct
  }
  interface ProductProduct extends Of<typeof product> {}
  interface Delegates {
    'product.product': 'product.template'
  }
}
