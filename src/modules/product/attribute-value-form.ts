// The form that takes a value of an attribute over to products (update.product.attribute.value): to all that
// have the attribute, or its extra price to those that have the value.
import {
  char,
  computed,
  computedTogether,
  extend,
  implement,
  integer,
  many2one,
  type Of,
  type Records,
  returns,
  selection,
  transient,
} from '#models'
import { assertWithin, limits } from '../../limits.ts'
import { actionMethod, shownForm } from '../base/index.ts'

const action = returns<object>('object', 'dict')

const form = transient('update.product.attribute.value', {
  label: 'Update product attribute value',
  recName: 'attribute_value_id',
  fields: {
    attribute_value_id: many2one('product.attribute.value', {
      label: 'Attribute Value',
      required: true,
      ondelete: 'cascade',
    }),
    mode: selection(
      { add: 'Add to existing products', update_extra_price: 'Update the extra price on existing products' },
      { label: 'Mode', required: true, default: 'add' },
    ),
    product_count: integer({ label: 'Products', computed: true, help: 'Those that the form changes.' }),
    message: char({ label: 'Message', computed: true }),
  },
  methods: {
    action_confirm: actionMethod('Changes the products.'),
  },
})

const opens = (doc: string) => ({ doc, readonly: true, params: {}, returns: action }) as const
const value = extend('product.attribute.value', {
  fields: {},
  methods: {
    action_add_to_products: opens('Opens the form that adds a value to all products with its attribute.'),
    action_update_prices: opens('Opens the form that takes the extra price of a value over to products.'),
  },
})

declare module '#models' {
  interface Models {
    'update.product.attribute.value': UpdateAttributeValue
  }
  interface UpdateAttributeValue extends Of<typeof form> {}
  interface ProductAttributeValue extends Of<typeof value> {}
}

type Forms = Records<'update.product.attribute.value'>

/** One more than a form may change: it says that there are too many. */
const bound = () => ({ limit: limits.records + 1 })

/** Lines of products that have the attribute and not the value. */
const linesWithout = ({ env }: Forms, attribute: number, chosen: number) =>
  env.model('product.template.attribute.line').search(
    [
      ['attribute_id', '=', attribute],
      ['value_ids', 'not in', [chosen]],
    ],
    bound(),
  )

/** The value on products that have it. */
const onProducts = ({ env }: Forms, chosen: number) =>
  env.model('product.template.attribute.value').search(
    [
      ['product_attribute_value_id', '=', chosen],
      ['ptav_active', '=', true],
    ],
    bound(),
  )

async function confirm(forms: Forms): Promise<object> {
  const { mode, attribute_value_id: chosen } = await forms.one([
    'mode',
    'attribute_value_id.attribute_id',
    'attribute_value_id.default_extra_price',
  ])
  if (mode === 'add') {
    const lines = await linesWithout(forms, chosen.attribute_id.id, chosen.id)
    assertWithin('records', lines.length)
    if (lines.length) await lines.write({ value_ids: [[4, chosen.id]] })
  } else {
    const values = await onProducts(forms, chosen.id)
    assertWithin('records', values.length)
    if (values.length) await values.write({ price_extra: chosen.default_extra_price })
  }
  return { type: 'ir.actions.act_window_close' }
}

const openedFor =
  (mode: 'add' | 'update_extra_price', name: string) =>
  async (values: Records<'product.attribute.value'>): Promise<object> => {
    const { id } = await values.one(['name'])
    return shownForm(name, 'update.product.attribute.value', {
      default_attribute_value_id: id,
      default_mode: mode,
    })
  }

export const attributeValueForms = [
  implement(form, {
    computed: {
      product_count: computedTogether(
        form,
        ['mode', 'attribute_value_id.attribute_id'],
        async (rows, env) => {
          const counts = new Map<number, number>()
          for (const { id, mode, attribute_value_id: chosen } of rows) {
            const forms = env.model('update.product.attribute.value').browse([id])
            const changed =
              mode === 'add'
                ? await linesWithout(forms, chosen.attribute_id.id, chosen.id)
                : await onProducts(forms, chosen.id)
            const products = await changed.load(['product_tmpl_id'])
            counts.set(id, new Set(products.map((row) => row.product_tmpl_id?.id)).size)
          }
          return counts
        },
      ),
      message: computed(
        form,
        ['mode', 'product_count', 'attribute_value_id.display_name'],
        ({ mode, product_count: count, attribute_value_id: { display_name: name } }) =>
          mode === 'add'
            ? `${count} products get the value ${name}.`
            : `${count} products get the extra price of ${name}.`,
      ),
    },
    methods: { action_confirm: confirm },
  }),
  implement(value, {
    methods: {
      action_add_to_products: openedFor('add', 'Add to Products'),
      action_update_prices: openedFor('update_extra_price', 'Update Extra Prices'),
    },
  }),
]
