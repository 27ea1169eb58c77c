// Further fields of purchase order lines that clients read, apart from prices and quantities
// (purchase.order.line).
import { computed, extend, float, implement, many2many, type Of, text } from '#models'
import { asDecimal } from '../../kit/rounding.ts'
import { sectionMethods, sectionsOf } from '../account/index.ts'

const line = extend('purchase.order.line', {
  fields: {
    product_template_attribute_value_ids: many2many('product.template.attribute.value', {
      label: 'Attribute Values',
      related: 'product_id.product_template_attribute_value_ids',
    }),
    purchase_line_warn_msg: text({
      label: 'Purchase Line Warn Msg',
      computed: true,
      groups: 'base.group_user',
      help: 'Warning of the product for buyers.',
    }),
    qty_received_at_date: float({ label: 'Received', precision: 'Product Unit', computed: true }),
    qty_invoiced_at_date: float({ label: 'Billed', precision: 'Product Unit', computed: true }),
    amount_to_invoice_at_date: float({
      label: 'Amount',
      computed: true,
      help: 'Received and not billed, at the price of the line; negative for goods that were billed before receipt.',
    }),
  },
  methods: sectionMethods,
})

declare module '#models' {
  interface PurchaseOrderLine extends Of<typeof line> {}
}

export default implement(line, {
  computed: {
    purchase_line_warn_msg: computed(
      line,
      ['product_id.product_tmpl_id.purchase_line_warn_msg'],
      (line) => line.product_id?.product_tmpl_id.purchase_line_warn_msg ?? '',
    ),
    qty_received_at_date: computed(line, ['qty_received'], (line) => line.qty_received),
    qty_invoiced_at_date: computed(line, ['qty_invoiced'], (line) => line.qty_invoiced),
    amount_to_invoice_at_date: computed(line, ['qty_received', 'qty_invoiced', 'price_unit'], (line) =>
      asDecimal((line.qty_received - line.qty_invoiced) * line.price_unit),
    ),
  },
  methods: {
    get_parent_section_line: async (lines) =>
      sectionsOf(await lines.load(['display_type', 'parent_id.parent_id'])),
  },
})
