// Custom attribute values of order lines (product.attribute.custom.value), such as the text of an
// engraving.
import { char, computed, implement, many2one, model, type Of } from '#models'
import { sql } from '../../sql/index.ts'

const custom = model('product.attribute.custom.value', {
  label: 'Product Attribute Custom Value',
  order: 'custom_product_template_attribute_value_id, id',
  rules: {
    sol_custom_value_unique: {
      unique: ['custom_product_template_attribute_value_id', 'sale_order_line_id'],
      message: 'A line can have only one custom text for a value.',
    },
  },
  fields: {
    name: char({ label: 'Name', computed: true }),
    custom_product_template_attribute_value_id: many2one('product.template.attribute.value', {
      label: 'Attribute Value',
      required: true,
      ondelete: 'restrict',
    }),
    custom_value: char({ label: 'Custom Value' }),
    sale_order_line_id: many2one('sale.order.line', {
      label: 'Sales Order Line',
      ondelete: 'cascade',
      index: 'set',
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.attribute.custom.value': ProductAttributeCustomValue
  }
  interface ProductAttributeCustomValue extends Of<typeof custom> {}
}

export default implement(custom, {
  computed: {
    name: computed(
      custom,
      ['custom_value', 'custom_product_template_attribute_value_id.display_name'],
      (custom) =>
        `${custom.custom_product_template_attribute_value_id.display_name}: ${custom.custom_value ?? ''}`,
      {
        sql: (scope) => {
          const value = scope.path('custom_product_template_attribute_value_id.display_name')
          return value && sql`(${value} || ': ' || COALESCE(${scope.column('custom_value')}, ''))`
        },
      },
    ),
  },
})
