// Values of a product's attribute lines (product.template.attribute.value), which its variants combine,
// each with an extra price.

import {
  boolean,
  char,
  computed,
  computedTogether,
  float,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  selection,
} from '#models'
import { only } from '../../kit/present.ts'
import { sql } from '../../sql/index.ts'
import { companyCurrency } from './currencies.ts'

/** The values that a variant combines. */
export const combination = {
  table: 'product_variant_combination',
  column: 'product_template_attribute_value_id',
  other: 'product_product_id',
} as const

const value = model('product.template.attribute.value', {
  label: 'Product Template Attribute Value',
  order: 'attribute_line_id, product_attribute_value_id, id',
  rules: {
    attribute_value_unique: {
      unique: ['attribute_line_id', 'product_attribute_value_id'],
      message: 'Each value should be defined only once per attribute per product.',
    },
  },
  fields: {
    ptav_active: boolean({ label: 'Active', default: true }),
    name: char({ label: 'Value', related: 'product_attribute_value_id.name' }),
    product_attribute_value_id: many2one('product.attribute.value', {
      label: 'Attribute Value',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    attribute_line_id: many2one('product.template.attribute.line', {
      label: 'Product Attribute Line',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    price_extra: float({
      label: 'Extra Price',
      digits: false,
      help: 'Added to the sales price of every variant that has the value.',
    }),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    exclude_for: one2many('product.template.attribute.exclusion', 'product_template_attribute_value_id', {
      label: 'Exclude for',
      help: 'Values that do not go together with this one.',
    }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      related: 'attribute_line_id.product_tmpl_id',
      stored: true,
      index: true,
    }),
    attribute_id: many2one('product.attribute', {
      label: 'Attribute',
      related: 'attribute_line_id.attribute_id',
      stored: true,
      index: true,
    }),
    ptav_product_variant_ids: many2many('product.product', {
      label: 'Related Variants',
      relation: combination,
      readonly: true,
      copy: false,
    }),
    html_color: char({ label: 'HTML Color Index', related: 'product_attribute_value_id.html_color' }),
    is_custom: boolean({ label: 'Is custom value', related: 'product_attribute_value_id.is_custom' }),
    display_type: selection(
      {
        radio: 'Radio',
        pills: 'Pills',
        select: 'Select',
        color: 'Color',
        multi: 'Multi-checkbox',
        image: 'Image',
      },
      { label: 'Display Type', related: 'product_attribute_value_id.display_type' },
    ),
    color: integer({ label: 'Color', default: 0 }),
  },
})

declare module '#models' {
  interface Models {
    'product.template.attribute.value': ProductTemplateAttributeValue
  }
  interface ProductTemplateAttributeValue extends Of<typeof value> {}
}

export default implement(value, {
  displayName: computed(
    value,
    ['name', 'attribute_id.name'],
    (value) => `${value.attribute_id?.name}: ${value.name}`,
    {
      sql: (scope) => sql`(${scope.path('attribute_id.name')} || ': ' || ${scope.path('name')})`,
    },
  ),
  computed: {
    currency_id: computedTogether(
      value,
      [],
      async (values, env) => {
        const [currency] = only(
          await env.rows(sql`SELECT ${companyCurrency(env)}`, { reads: ['res.company'], row: ['int'] }),
        )
        return new Map(values.map(({ id }) => [id, { id: currency }]))
      },
      { sql: (scope) => companyCurrency(scope.env) },
    ),
  },
})
