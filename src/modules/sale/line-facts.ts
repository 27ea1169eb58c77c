// Further fields of order lines that clients read, apart from prices and quantities (sale.order.line):
// sections, warnings, delivered and invoiced so far.
import {
  boolean,
  char,
  computed,
  extend,
  float,
  implement,
  many2one,
  type Of,
  selection,
  text,
  writable,
} from '#models'
import { asDecimal } from '../../kit/rounding.ts'
import { orderFactFields, orderFields, sectionMethods, sectionsOf } from '../account/index.ts'

const line = extend('sale.order.line', {
  fields: {
    categ_id: many2one('product.category', { label: 'Product Category', related: 'product_id.categ_id' }),
    company_price_include: orderFactFields.company_price_include,
    tax_calculation_rounding_method: orderFields.tax_calculation_rounding_method,
    service_tracking: selection(
      { no: 'Nothing' },
      { label: 'Create on Order', related: 'product_id.service_tracking' },
    ),
    is_product_archived: boolean({ label: 'Is Product Archived', computed: true }),
    sale_line_warn_msg: text({
      label: 'Sale Line Warn Msg',
      computed: true,
      groups: 'base.group_user',
      help: 'Warning of the product for salespeople.',
    }),
    qty_delivered_at_date: float({ label: 'Delivered', precision: 'Product Unit', computed: true }),
    qty_invoiced_at_date: float({ label: 'Invoiced', precision: 'Product Unit', computed: true }),
    amount_to_invoice_at_date: float({
      label: 'Amount',
      computed: true,
      help: 'Delivered and not invoiced, at the price of the line; negative for goods that were invoiced before delivery.',
    }),
    selected_combo_items: char({
      label: 'Selected Combo Items',
      computed: true,
      readonly: false,
      help: 'Choices of a combo in a form until they are lines; not stored.',
    }),
    collapse_prices: boolean({
      label: 'Collapse Prices',
      help: 'Printed documents show no prices in the section.',
    }),
    collapse_composition: boolean({
      label: 'Collapse Composition',
      help: 'Printed documents show the section with its total, without its lines.',
    }),
    is_optional: boolean({
      label: 'Optional Line',
      help: 'Customers may add the optional products of the section to the order.',
    }),
    virtual_id: char({ label: 'Virtual', copy: false, help: 'Names the line to others until it is saved.' }),
    linked_virtual_id: char({
      label: 'Linked Virtual',
      copy: false,
      help: 'The line that it belongs to, by its virtual name.',
    }),
  },
  methods: sectionMethods,
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
}

const shown = ['collapse_prices', 'collapse_composition', 'is_optional'] as const

export default implement(line, {
  writable: writable<'sale.order.line'>({ later: { sale: shown } }),
  computed: {
    is_product_archived: computed(
      line,
      ['product_id.active'],
      (line) => line.product_id !== null && !line.product_id.active,
    ),
    sale_line_warn_msg: computed(
      line,
      ['product_id.product_tmpl_id.sale_line_warn_msg'],
      (line) => line.product_id?.product_tmpl_id.sale_line_warn_msg ?? '',
    ),
    selected_combo_items: computed(line, [], () => null),
    qty_delivered_at_date: computed(line, ['qty_delivered'], (line) => line.qty_delivered),
    qty_invoiced_at_date: computed(line, ['qty_invoiced'], (line) => line.qty_invoiced),
    amount_to_invoice_at_date: computed(line, ['qty_delivered', 'qty_invoiced', 'price_unit'], (line) =>
      asDecimal((line.qty_delivered - line.qty_invoiced) * line.price_unit),
    ),
  },
  methods: {
    get_parent_section_line: async (lines) =>
      sectionsOf(await lines.load(['display_type', 'parent_id.parent_id'])),
  },
})
