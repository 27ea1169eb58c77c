// Values of attributes (product.attribute.value), such as Large or Blue; shown as "Size: Large".
import {
  binary,
  boolean,
  char,
  computed,
  type Environment,
  float,
  implement,
  integer,
  linesOf,
  many2many,
  many2one,
  model,
  type Of,
  returns,
  selection,
} from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'

/** Which values a product's line offers. */
export const lineValues = {
  table: 'product_attribute_value_product_template_attribute_line_rel',
  column: 'product_attribute_value_id',
  other: 'product_template_attribute_line_id',
} as const

const value = model('product.attribute.value', {
  label: 'Attribute Value',
  order: 'attribute_id, sequence, id',
  rules: {
    value_company_uniq: {
      unique: ['name', 'attribute_id'],
      message: 'You cannot create two values with the same name for the same attribute.',
    },
  },
  fields: {
    name: char({ label: 'Value', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', index: true }),
    attribute_id: many2one('product.attribute', {
      label: 'Attribute',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    pav_attribute_line_ids: many2many('product.template.attribute.line', {
      label: 'Lines',
      relation: lineValues,
      copy: false,
    }),
    default_extra_price: float({
      label: 'Default Extra Price',
      digits: false,
      help: 'Where a product takes the value, its extra begins with this.',
    }),
    is_custom: boolean({ label: 'Free text', help: 'Customers may enter a value in their own words.' }),
    html_color: char({ label: 'Color' }),
    image: binary({ label: 'Image', image: true, maxWidth: 70 }),
    display_type: selection(
      {
        radio: 'Radio',
        pills: 'Pills',
        select: 'Select',
        color: 'Color',
        multi: 'Multi-checkbox',
        image: 'Image',
      },
      { label: 'Display Type', related: 'attribute_id.display_type' },
    ),
    color: integer({ label: 'Color Index', default: 0 }),
    active: boolean({ label: 'Active', default: true }),
    is_used_on_products: boolean({ label: 'Used on Products', computed: true }),
  },
  methods: {
    check_is_used_on_products: {
      doc: 'Returns a message that names the products that use the value, or false if it can be deleted.',
      readonly: true,
      params: {},
      returns: returns<string | false>('any', 'str | bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'product.attribute.value': ProductAttributeValue
  }
  interface ProductAttributeValue extends Of<typeof value> {}
}

const hidesAttribute = ({ context }: Environment) => 'show_attribute' in context && !context.show_attribute

export default implement(value, {
  displayName: computed(
    value,
    ['name', 'attribute_id.name'],
    (value, env) => (hidesAttribute(env) ? value.name : `${value.attribute_id.name}: ${value.name}`),
    {
      context: ['show_attribute'],
      sql: (scope) => {
        const [name, attribute] = [scope.path('name'), scope.path('attribute_id.name')]
        return name && attribute && hidesAttribute(scope.env) ? name : sql`(${attribute} || ': ' || ${name})`
      },
    },
  ),
  computed: {
    is_used_on_products: computed(
      value,
      ['pav_attribute_line_ids'],
      (value) => value.pav_attribute_line_ids.length > 0,
      {
        sql: (scope) => {
          const lines = linesOf(scope, 'pav_attribute_line_ids')
          return lines && sql`EXISTS (${lines})`
        },
      },
    ),
  },
  methods: {
    check_is_used_on_products: async (values) => {
      const rows = await values.load(['display_name', 'pav_attribute_line_ids.product_tmpl_id.display_name'])
      const used = rows.find((row) => row.pav_attribute_line_ids.length > 0)
      if (!used) return false
      const names = used.pav_attribute_line_ids.map((line) => `${line.product_tmpl_id.display_name}\n`)
      return `You cannot delete the value ${used.display_name} because it is used on the following products:\n${names.join('')}`
    },
  },
  wrapWrite: (next) => async (values, changes) => {
    const wanted = new Map(
      changes.flatMap(({ ids, vals }) =>
        vals.attribute_id === undefined ? [] : ids.map((id) => [id, vals.attribute_id] as const),
      ),
    )
    const rows = wanted.size
      ? await values.browse([...wanted.keys()]).load(['attribute_id', 'pav_attribute_line_ids'])
      : []
    if (rows.some((row) => row.attribute_id.id !== wanted.get(row.id) && row.pav_attribute_line_ids.length))
      throw new UserError('A value that products use cannot be moved to another attribute.')
    return next(values, changes)
  },
  wrapGeneric: {
    unlink: (next) => async (values, params) => {
      const rows = await values.env.rows(
        sql`SELECT v.name->>'en_US' FROM product_attribute_value_product_template_attribute_line_rel r
        JOIN product_attribute_value v ON v.id = r.product_attribute_value_id WHERE v.id = ANY(${idList(values.ids)}) LIMIT 1`,
        { reads: ['product.attribute.value'], row: ['text'] },
      )
      if (rows[0])
        throw new UserError(
          `The value ${rows[0][0]} is used by products: remove it from them before you delete it.`,
        )
      return next(values, params)
    },
  },
})
