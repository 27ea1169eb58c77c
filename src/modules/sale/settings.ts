// Settings of selling: features that are on for all internal users, and what quotations of the current
// company begin with.
import { boolean, extend, float, implement, integer, type Of, selection } from '#models'
import { DISCOUNTS } from './line-pricing.ts'
import { LOCKING } from './order-states.ts'

const settings = extend('res.config.settings', {
  fields: {
    group_discount_per_so_line: boolean({ label: 'Discounts', setting: { group: DISCOUNTS } }),
    group_auto_done_setting: boolean({ label: 'Lock Confirmed Sales', setting: { group: LOCKING } }),
    group_proforma_sales: boolean({
      label: 'Pro-Forma Invoice',
      setting: { group: 'sale.group_proforma_sales' },
    }),
    default_invoice_policy: selection(
      { order: 'Invoice what is ordered', delivery: 'Invoice what is delivered' },
      { label: 'Invoicing Policy', setting: { defaultOf: 'product.template' } },
    ),
    quotation_validity_days: integer({
      label: 'Default Quotation Validity',
      related: 'company_id.quotation_validity_days',
      readonly: false,
    }),
    portal_confirmation_sign: boolean({
      label: 'Online Signature',
      related: 'company_id.portal_confirmation_sign',
      readonly: false,
    }),
    portal_confirmation_pay: boolean({
      label: 'Online Payment',
      related: 'company_id.portal_confirmation_pay',
      readonly: false,
    }),
    prepayment_percent: float({
      label: 'Prepayment percentage',
      related: 'company_id.prepayment_percent',
      readonly: false,
    }),
  },
})

declare module '#models' {
  interface ConfigSettings extends Of<typeof settings> {}
}

export default implement(settings)
