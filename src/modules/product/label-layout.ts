// The form that asks how labels of products are printed (product.label.layout), and what opens it.
import {
  computedFields,
  extend,
  html,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  selection,
  transient,
} from '#models'
import { readonlyActionMethod, shownForm } from '../base/index.ts'

const layout = transient('product.label.layout', {
  label: 'Choose the sheet layout to print the labels',
  recName: 'print_format',
  fields: {
    print_format: selection(
      {
        dymo: 'Dymo',
        '2x7xprice': '2 x 7 with price',
        '4x7xprice': '4 x 7 with price',
        '4x12': '4 x 12',
        '4x12xprice': '4 x 12 with price',
      },
      { label: 'Format', required: true, default: '2x7xprice' },
    ),
    custom_quantity: integer({ label: 'Quantity', default: 1, help: 'Labels of each product.' }),
    product_ids: many2many('product.product', { label: 'Products' }),
    product_tmpl_ids: many2many('product.template', { label: 'Product Templates' }),
    pricelist_id: many2one('product.pricelist', { label: 'Pricelist' }),
    extra_html: html({ label: 'Extra Content' }),
    rows: integer({ label: 'Rows', computed: true }),
    columns: integer({ label: 'Columns', computed: true }),
  },
})

const opens = {
  action_open_label_layout: readonlyActionMethod('Opens the form with the options for printing labels.'),
} as const
const template = extend('product.template', { fields: {}, methods: opens })
const product = extend('product.product', { fields: {}, methods: opens })

declare module '#models' {
  interface Models {
    'product.label.layout': ProductLabelLayout
  }
  interface ProductLabelLayout extends Of<typeof layout> {}
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductProduct extends Of<typeof product> {}
}

/** Columns and rows of a sheet, as its format names them; rolls have one label in a row. */
function sheetOf(format: string): { columns: number; rows: number } {
  const [columns, rows] = format.split('x').map(Number)
  return { columns: columns || 1, rows: rows || 1 }
}

const opened = (context: object) => shownForm('Choose Labels Layout', 'product.label.layout', context)

export const labels = [
  implement(layout, {
    computed: computedFields(
      layout,
      ['rows', 'columns'],
      ['print_format'],
      (forms) => new Map(forms.map(({ id, print_format: format }) => [id, sheetOf(format)])),
    ),
  }),
  implement(template, {
    methods: { action_open_label_layout: async (rows) => opened({ default_product_tmpl_ids: rows.ids }) },
  }),
  implement(product, {
    methods: { action_open_label_layout: async (rows) => opened({ default_product_ids: rows.ids }) },
  }),
]
