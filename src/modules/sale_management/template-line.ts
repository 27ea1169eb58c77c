// Lines of templates of quotations (sale.order.template.line): products, sections and notes.
import {
  boolean,
  computed,
  float,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  selection,
  text,
} from '#models'

const line = model('sale.order.template.line', {
  label: 'Quotation Template Line',
  order: 'sale_order_template_id, sequence, id',
  rules: {
    products: {
      check: 'display_type IS NOT NULL OR (product_id IS NOT NULL AND product_uom_id IS NOT NULL)',
      message: 'A line of a template needs a product and a unit, unless it is a section or a note.',
    },
    text_lines: {
      check:
        'display_type IS NULL OR (product_id IS NULL AND product_uom_qty = 0 AND product_uom_id IS NULL)',
      message: 'Sections and notes of a template have no product, quantity or unit.',
    },
  },
  fields: {
    sale_order_template_id: many2one('sale.order.template', {
      label: 'Quotation Template Reference',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'sale_order_template_id.company_id',
      stored: true,
      index: true,
    }),
    display_type: selection(
      { line_section: 'Section', line_subsection: 'Subsection', line_note: 'Note' },
      { label: 'Display Type' },
    ),
    product_id: many2one('product.product', {
      label: 'Product',
      ondelete: 'cascade',
      index: true,
      checkCompany: true,
      domain: [['product_tmpl_id.sale_ok', '=', true]],
    }),
    name: text({ label: 'Description', translate: true, help: 'Empty: as the product is described.' }),
    product_uom_qty: float({ label: 'Quantity', precision: 'Product Unit', required: true, default: 1 }),
    product_uom_id: many2one('uom.uom', {
      label: 'Unit',
      computed: true,
      stored: true,
      precompute: true,
      copy: true,
      ondelete: 'restrict',
    }),
    allowed_uom_ids: many2many('uom.uom', { label: 'Allowed Units', computed: true }),
    is_optional: boolean({
      label: 'Optional Line',
      help: 'Customers may add the optional products of the section to the order.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'sale.order.template.line': SaleOrderTemplateLine
  }
  interface SaleOrderTemplateLine extends Of<typeof line> {}
}

export default implement(line, {
  computed: {
    product_uom_id: computed(
      line,
      ['product_id.product_tmpl_id.uom_id'],
      (line) => line.product_id?.product_tmpl_id.uom_id ?? null,
      { editable: true },
    ),
    allowed_uom_ids: computed(
      line,
      ['product_id.product_tmpl_id.uom_id', 'product_id.product_tmpl_id.uom_ids'],
      ({ product_id: product }) =>
        product ? [product.product_tmpl_id.uom_id, ...product.product_tmpl_id.uom_ids] : [],
    ),
  },
  prepare: (vals, _, ids) => {
    // New sections and notes hold nothing.
    if (vals.display_type && !ids) vals.product_uom_qty = 0
  },
})
