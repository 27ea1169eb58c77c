// Contract of taxes (account.tax). Amounts are computed in `tax-engine/` (spec/business-models.md
// section 4).
import {
  boolean,
  char,
  float,
  html,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  required,
  returns,
  selection,
} from '#models'

/** One part of a tax, as `compute_all` answers it. */
export interface ComputedTax {
  readonly id: number
  readonly name: string
  readonly amount: number
  readonly base: number
  readonly sequence: number
  readonly account_id: number | false
  readonly analytic: boolean
  readonly use_in_tax_closing: boolean
  readonly is_reverse_charge: boolean
  readonly price_include: boolean
  readonly tax_exigibility: string
  readonly tax_repartition_line_id: number
  /** The group of taxes that it came with. */
  readonly group: number | false
  readonly tag_ids: readonly number[]
  /** Later taxes that take its amount into their base. */
  readonly tax_ids: readonly number[]
}

/** The answer of `compute_all`. */
export interface ComputedTaxes {
  readonly base_tags: readonly number[]
  readonly taxes: readonly ComputedTax[]
  readonly total_excluded: number
  readonly total_included: number
  /** The base and the parts without an account of their own. */
  readonly total_void: number
}

export const tax = model('account.tax', {
  label: 'Tax',
  dictionary: true,
  order: 'sequence, id',
  rules: {
    // Two calls at once cannot both take a name.
    name_uniq: {
      uniqueExpression: `company_id, type_tax_use, COALESCE(tax_scope, ''), COALESCE(country_id, 0), (name->>'en_US')`,
      where: `active AND type_tax_use <> 'none'`,
      message: 'Tax names must be unique within a company, a use, a scope and a country.',
    },
  },
  fields: {
    name: char({ label: 'Tax Name', required: true, translate: true }),
    type_tax_use: selection(
      { sale: 'Sales', purchase: 'Purchases', none: 'None' },
      {
        label: 'Tax Type',
        required: true,
        default: 'sale',
        help: 'Where the tax can be chosen. None: only within a group of taxes.',
      },
    ),
    tax_scope: selection(
      { service: 'Services', consu: 'Goods' },
      { label: 'Tax Scope', help: 'Restricts the tax to one kind of product.' },
    ),
    amount_type: selection(
      { group: 'Group of Taxes', fixed: 'Fixed', percent: 'Percentage', division: 'Percentage Tax Included' },
      {
        label: 'Tax Computation',
        required: true,
        default: 'percent',
        help: 'Percentage: of the price. Percentage Tax Included: of the price with its tax. Fixed: money for each unit. Group: the taxes in it.',
      },
    ),
    amount: float({ label: 'Amount', digits: [16, 4], default: 0 }),
    active: boolean({ label: 'Active', default: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    children_tax_ids: many2many('account.tax', {
      label: 'Children Taxes',
      relation: { table: 'account_tax_filiation_rel', column: 'parent_tax', other: 'child_tax' },
    }),
    /** The groups that a tax is in: what it says must go with what they say. */
    group_ids: many2many('account.tax', {
      relation: { table: 'account_tax_filiation_rel', column: 'child_tax', other: 'parent_tax' },
      hidden: true,
      copy: false,
      context: { active_test: false },
    }),
    sequence: integer({ label: 'Sequence', default: 1, help: 'Taxes of a line are computed in this order.' }),
    description: html({ label: 'Description', translate: true }),
    invoice_label: char({ label: 'Label on Invoices', translate: true }),
    invoice_legal_notes: html({
      label: 'Legal Notes',
      translate: true,
      help: 'Legal notes for documents with the tax.',
    }),
    price_include: boolean({ label: 'Included in Price', computed: true, help: 'Prices contain this tax.' }),
    price_include_override: selection(
      { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
      { label: 'Included in Price Override', help: 'Empty: the setting of the company applies.' },
    ),
    company_price_include: selection(
      { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
      { label: 'Default Sales Price Include', related: 'company_id.account_price_include' },
    ),
    include_base_amount: boolean({
      label: 'Affect Base of Subsequent Taxes',
      default: false,
      help: 'The base of later taxes includes this tax.',
    }),
    is_base_affected: boolean({
      label: 'Base Affected by Previous Taxes',
      default: true,
      help: 'Its base includes earlier taxes that affect the base of later ones.',
    }),
    analytic: boolean({ label: 'Include in Analytic Cost' }),
    tax_group_id: many2one('account.tax.group', {
      label: 'Tax Group',
      required: true,
      computed: true,
      stored: true,
      readonly: false,
      index: true,
    }),
    tax_exigibility: selection(
      { on_invoice: 'Based on Invoice', on_payment: 'Based on Payment' },
      {
        label: 'Tax Exigibility',
        default: 'on_invoice',
        help: 'Whether the tax is due when the invoice is posted or when it is paid.',
      },
    ),
    cash_basis_transition_account_id: many2one('account.account', {
      label: 'Cash Basis Transition Account',
      ondelete: 'restrict',
      help: 'Holds a tax that is owed on payment until then.',
    }),
    invoice_repartition_line_ids: one2many('account.tax.repartition.line', 'tax_id', {
      label: 'Distribution for Invoices',
      domain: [['document_type', '=', 'invoice']],
      copy: true,
    }),
    refund_repartition_line_ids: one2many('account.tax.repartition.line', 'tax_id', {
      label: 'Distribution for Refund Invoices',
      domain: [['document_type', '=', 'refund']],
      copy: true,
    }),
    repartition_line_ids: one2many('account.tax.repartition.line', 'tax_id', {
      label: 'Distribution',
      copy: false,
    }),
    has_negative_factor: boolean({
      label: 'Has Negative Factor',
      asStored: false,
      computed: true,
      stored: true,
      help: 'A part of the tax is taken back, as with a reverse charge.',
    }),
    country_id: many2one('res.country', {
      label: 'Country',
      computed: true,
      stored: true,
      // Known before the group of taxes follows from it, which may be given.
      precompute: true,
      readonly: false,
      help: 'The country in which the tax is due.',
    }),
    country_code: char({ label: 'Country Code', related: 'country_id.code' }),
    fiscal_position_ids: many2many('account.fiscal.position', {
      label: 'Fiscal Positions',
      relation: {
        table: 'account_fiscal_position_account_tax_rel',
        column: 'account_tax_id',
        other: 'account_fiscal_position_id',
      },
      help: 'Fiscal positions in which the tax is used.',
    }),
    original_tax_ids: many2many('account.tax', {
      label: 'Replaces',
      relation: { table: 'account_tax_alternatives', column: 'dest_tax_id', other: 'src_tax_id' },
      help: 'Taxes that it replaces in its fiscal positions.',
      // Not copied: a copy would be charged in addition to the tax.
      copy: false,
    }),
    replacing_tax_ids: many2many('account.tax', {
      label: 'Replaced by',
      relation: { table: 'account_tax_alternatives', column: 'src_tax_id', other: 'dest_tax_id' },
      copy: false,
    }),
  },
  methods: {
    compute_all: {
      doc: 'Computes taxes on a price. Returns the totals and one entry per part of each tax.',
      readonly: true,
      params: {
        price_unit: required<number>('number', { annotation: 'float' }),
        currency: optional<number | false | null>('any', null, {
          doc: 'A currency. Default: the currency of the company',
          annotation: 'int | None',
        }),
        quantity: optional<number>('number', 1, { annotation: 'float' }),
        product: optional<number | false | null>('any', null, { annotation: 'int | None' }),
        partner: optional<number | false | null>('any', null, {
          doc: 'A contact: names are returned in its language',
          annotation: 'int | None',
        }),
        is_refund: optional<boolean>('boolean', false, { annotation: 'bool' }),
        handle_price_include: optional<boolean>('boolean', true, {
          doc: 'False: the price excludes taxes, whatever the taxes say',
          annotation: 'bool',
        }),
        include_caba_tags: optional<boolean>('boolean', false, { annotation: 'bool' }),
        rounding_method: optional<'round_per_line' | 'round_globally' | false | null>('any', null, {
          doc: 'Default: the setting of the company',
          annotation: 'str | None',
        }),
      },
      returns: returns<ComputedTaxes>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.tax': AccountTax
  }
  interface AccountTax extends Of<typeof tax> {}
}
