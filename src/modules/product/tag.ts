// Tags of products (product.tag): on a product for all its variants, or on single variants.
import { binary, boolean, char, computed, implement, integer, many2many, model, type Of } from '#models'
import { markCopies } from '../base/index.ts'

/** Link tables, seen from both sides. */
export const templateTags = {
  table: 'product_tag_product_template_rel',
  column: 'product_tag_id',
  other: 'product_template_id',
} as const
export const variantTags = {
  table: 'product_tag_product_product_rel',
  column: 'product_tag_id',
  other: 'product_product_id',
} as const
export const turned = ({ table, column, other }: { table: string; column: string; other: string }) => ({
  table,
  column: other,
  other: column,
})

const tag = model('product.tag', {
  label: 'Product Tag',
  dictionary: true,
  order: 'sequence, id',
  rules: { name_uniq: { unique: ['name'], message: 'A product tag with this name already exists!' } },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    color: char({ label: 'Color', default: '#3C3C3C' }),
    image: binary({ label: 'Image', image: true, maxWidth: 200 }),
    visible_to_customers: boolean({ label: 'Visible to customers', default: true }),
    product_template_ids: many2many('product.template', {
      label: 'Product Templates',
      relation: templateTags,
    }),
    product_product_ids: many2many('product.product', { label: 'Product Variants', relation: variantTags }),
    product_ids: many2many('product.product', {
      label: 'All Variants',
      computed: true,
      help: 'Those that have the tag, themselves or by their product.',
    }),
    has_image: boolean({ label: 'Has Image', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'product.tag': ProductTag
  }
  interface ProductTag extends Of<typeof tag> {}
}

export default implement(tag, {
  computed: {
    product_ids: computed(
      tag,
      ['product_product_ids', 'product_template_ids.product_variant_ids'],
      ({ product_product_ids: variants, product_template_ids: templates }) => [
        ...new Set(
          [...variants, ...templates.flatMap((template) => template.product_variant_ids)].map(({ id }) => id),
        ),
      ],
    ),
    has_image: computed(tag, ['image'], (tag) => tag.image !== null),
  },
  wrapGeneric: { copy_data: markCopies },
})
