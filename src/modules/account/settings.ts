// Settings of accounting: the current company's default taxes, its way of rounding, its country.
import { boolean, extend, implement, many2one, type Of, selection } from '#models'

const settings = extend('res.config.settings', {
  fields: {
    sale_tax_id: many2one('account.tax', {
      label: 'Default Sale Tax',
      related: 'company_id.account_sale_tax_id',
      readonly: false,
    }),
    purchase_tax_id: many2one('account.tax', {
      label: 'Default Purchase Tax',
      related: 'company_id.account_purchase_tax_id',
      readonly: false,
    }),
    account_use_credit_limit: boolean({
      label: 'Sales Credit Limit',
      related: 'company_id.account_use_credit_limit',
      readonly: false,
    }),
    account_fiscal_country_id: many2one('res.country', {
      label: 'Fiscal Country',
      related: 'company_id.account_fiscal_country_id',
      readonly: false,
    }),
    tax_calculation_rounding_method: selection(
      { round_per_line: 'Round per Line', round_globally: 'Round Globally' },
      {
        label: 'Tax Calculation Rounding Method',
        related: 'company_id.tax_calculation_rounding_method',
        readonly: false,
      },
    ),
    account_price_include: selection(
      { tax_included: 'Tax Included', tax_excluded: 'Tax Excluded' },
      { label: 'Default Sales Price Include', related: 'company_id.account_price_include', readonly: false },
    ),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings)
