// Attributes (product.attribute): what products may differ in, such as size and colour, and when a difference
// makes a variant.
import {
  boolean,
  char,
  computedTogether,
  implement,
  integer,
  linesOf,
  many2many,
  model,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'

const attribute = model('product.attribute', {
  label: 'Product Attribute',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Attribute', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', default: 20, index: true }),
    create_variant: selection(
      { always: 'Instantly', dynamic: 'Dynamically', no_variant: 'Never' },
      {
        label: 'Variant Creation',
        default: 'always',
        required: true,
        help: 'Instantly: every combination is made at once. Dynamically: each when it is first asked for. Never: values ride on order lines.',
      },
    ),
    display_type: selection(
      {
        radio: 'Radio',
        pills: 'Pills',
        select: 'Select',
        color: 'Color',
        multi: 'Multi-checkbox',
        image: 'Image',
      },
      { label: 'Display Type', default: 'radio', required: true },
    ),
    value_ids: one2many('product.attribute.value', 'attribute_id', { label: 'Values', copy: true }),
    attribute_line_ids: one2many('product.template.attribute.line', 'attribute_id', { label: 'Lines' }),
    product_tmpl_ids: many2many('product.template', {
      label: 'Related Products',
      asStored: true,
      computed: true,
    }),
    template_value_ids: one2many('product.template.attribute.value', 'attribute_id', {
      label: 'Values of Products',
    }),
    number_related_products: integer({ label: 'Number Related Products', computed: true }),
  },
})

declare module '#models' {
  interface Models {
    'product.attribute': ProductAttribute
  }
  interface ProductAttribute extends Of<typeof attribute> {}
}

/** Throws UserError when a product, archived or not, has a line of one of the attributes. */
async function assertUnused(attributes: Records<'product.attribute'>, doing: string): Promise<void> {
  const rows = await attributes.env.rows(
    sql`SELECT a.name->>'en_US' FROM product_template_attribute_line l JOIN product_attribute a ON a.id = l.attribute_id
      WHERE l.active AND l.attribute_id = ANY(${idList(attributes.ids)}) LIMIT 1`,
    { reads: ['product.template.attribute.line', 'product.attribute'], row: ['text'] },
  )
  if (rows[0])
    throw new UserError(
      `Products have the attribute ${rows[0][0]}: take it away from them before you ${doing}.`,
    )
}

const templates = computedTogether(
  attribute,
  ['attribute_line_ids.product_tmpl_id'],
  (attributes) =>
    new Map(
      attributes.map((attribute) => [
        attribute.id,
        [...new Set(attribute.attribute_line_ids.map((line) => line.product_tmpl_id.id))],
      ]),
    ),
)

export default implement(attribute, {
  computed: {
    product_tmpl_ids: templates,
    number_related_products: computedTogether(
      attribute,
      ['attribute_line_ids.product_tmpl_id'],
      (attributes) =>
        new Map(
          attributes.map((attribute) => [
            attribute.id,
            new Set(attribute.attribute_line_ids.map((line) => line.product_tmpl_id.id)).size,
          ]),
        ),
      {
        sql: (scope) => {
          const lines = linesOf(scope, 'attribute_line_ids')
          return (
            lines &&
            sql`(SELECT count(DISTINCT l.product_tmpl_id)::int FROM product_template_attribute_line l WHERE l.id IN (${lines}))`
          )
        },
      },
    ),
  },
  wrapWrite: (next) => async (attributes, changes) => {
    const wanted = new Map(
      changes.flatMap(({ ids, vals }) =>
        vals.create_variant === undefined ? [] : ids.map((id) => [id, vals.create_variant] as const),
      ),
    )
    const rows = wanted.size ? await attributes.browse([...wanted.keys()]).load(['create_variant']) : []
    const changing = rows.filter((row) => row.create_variant !== wanted.get(row.id)).map(({ id }) => id)
    if (changing.length) await assertUnused(attributes.browse(changing), 'change when it makes variants')
    return next(attributes, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (attributes, params) => {
      await assertUnused(attributes, 'delete it')
      return next(attributes, params)
    },
  },
})
