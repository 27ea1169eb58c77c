// The fields that sales and purchase orders, and their lines, have alike. The contracts of the two have those
// that differ by name or meaning: quantities, partners, dates.
import { binary, char, float, integer, many2many, many2one, monetary, returns, selection } from '#models'

/** Computed before the record is stored, and kept when a client writes it. */
export const precomputed = { computed: true, stored: true, precompute: true } as const

export const orderFields = {
  name: char({ label: 'Order Reference', required: true, default: 'New', copy: false, index: 'trigram' }),
  company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
  currency_rate: float({
    label: 'Currency Rate',
    computed: true,
    stored: true,
    precompute: true,
    help: "Value of one unit of the company's currency in the order's.",
  }),
  payment_term_id: many2one('account.payment.term', {
    label: 'Payment Terms',
    ...precomputed,
    checkCompany: true,
  }),
  tax_country_id: many2one('res.country', { label: 'Tax Country', computed: true }),
  tax_calculation_rounding_method: selection(
    { round_per_line: 'Round per Line', round_globally: 'Round Globally' },
    { label: 'Tax calculation rounding method', related: 'company_id.tax_calculation_rounding_method' },
  ),
  country_code: char({ label: 'Country code', related: 'company_id.account_fiscal_country_id.code' }),
  amount_untaxed: monetary({ label: 'Untaxed Amount', computed: true, stored: true }),
  amount_tax: monetary({ label: 'Taxes', computed: true, stored: true }),
  amount_total: monetary({ label: 'Total', computed: true, stored: true }),
  type_name: char({ label: 'Type Name', computed: true }),
} as const

/** Fields that clients read of orders and that are never stored. */
export const orderFactFields = {
  tax_totals: binary({
    label: 'Tax Totals',
    computed: true,
    help: 'Untaxed amount, groups of taxes and total, in both currencies.',
  }),
  company_price_include: selection(
    { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
    { label: 'Default Sales Price Include', related: 'company_id.account_price_include' },
  ),
} as const

export const orderLineFields = {
  sequence: integer({ label: 'Sequence', default: 10 }),
  display_type: selection(
    { line_section: 'Section', line_subsection: 'Subsection', line_note: 'Note' },
    { label: 'Display Type', help: 'The line is a section or a note.' },
  ),
  company_id: many2one('res.company', {
    label: 'Company',
    related: 'order_id.company_id',
    stored: true,
    index: true,
  }),
  product_id: many2one('product.product', {
    label: 'Product',
    ondelete: 'restrict',
    index: true,
    checkCompany: true,
  }),
  product_template_id: many2one('product.template', {
    label: 'Product Template',
    related: 'product_id.product_tmpl_id',
  }),
  product_type: selection(
    { consu: 'Goods', service: 'Service', combo: 'Combo' },
    { label: 'Product Type', related: 'product_id.type' },
  ),
  product_uom_id: many2one('uom.uom', { label: 'Unit', ondelete: 'restrict', ...precomputed }),
  allowed_uom_ids: many2many('uom.uom', { label: 'Allowed Units', computed: true }),
  price_unit: float({ label: 'Unit Price', digits: false, ...precomputed }),
  technical_price_unit: float({
    label: 'Computed Unit Price',
    digits: false,
    ...precomputed,
    copy: true,
    help: 'The last price that was computed: another unit price was typed.',
  }),
  discount: float({ label: 'Discount (%)', precision: 'Discount', ...precomputed }),
  price_subtotal: monetary({ label: 'Subtotal', computed: true, stored: true, precompute: true }),
  price_total: monetary({ label: 'Total', computed: true, stored: true, precompute: true }),
} as const

/** Methods of lines, which stand under sections. */
export const sectionMethods = {
  get_parent_section_line: {
    doc: 'Returns the section or subsection of the line; the line itself if it is a section.',
    readonly: true,
    params: {},
    returns: returns<number[]>('ids', 'list[int]'),
  },
} as const

interface TaxedOrder {
  readonly company_id: { readonly account_fiscal_country_id: { readonly id: number } | null }
  readonly fiscal_position_id: {
    readonly foreign_vat: string | null
    readonly country_id: { readonly id: number } | null
  } | null
}

export const taxCountryPaths = [
  'company_id.account_fiscal_country_id',
  'fiscal_position_id.foreign_vat',
  'fiscal_position_id.country_id',
] as const

/** The country whose taxes an order has: that of a registration abroad, else the company's. */
export const taxCountry = ({ company_id: company, fiscal_position_id: position }: TaxedOrder) =>
  position?.foreign_vat ? position.country_id : company.account_fiscal_country_id
