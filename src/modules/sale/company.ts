// Companies (res.company): how long quotations hold, what confirms them online, the product of discounts.
import { boolean, extend, float, implement, integer, many2one, type Of, selection } from '#models'

const company = extend('res.company', {
  rules: {
    quotation_validity: {
      check: 'quotation_validity_days >= 0',
      message: 'The validity of a quotation must not be negative.',
    },
    prepayment: {
      check: 'NOT portal_confirmation_pay OR (prepayment_percent > 0 AND prepayment_percent <= 1)',
      message: 'The prepayment share must be more than 0 and at most 1.',
    },
  },
  fields: {
    sale_onboarding_payment_method: selection(
      {
        digital_signature: 'Sign online',
        paypal: 'PayPal',
        stripe: 'Stripe',
        other: 'Pay with another payment provider',
        manual: 'Manual Payment',
      },
      { label: 'Sale onboarding selected payment method' },
    ),
    quotation_validity_days: integer({
      label: 'Default Quotation Validity',
      default: 30,
      help: 'Days that a quotation holds; 0: for ever.',
    }),
    portal_confirmation_sign: boolean({ label: 'Online Signature', default: true }),
    portal_confirmation_pay: boolean({ label: 'Online Payment', default: false }),
    prepayment_percent: float({
      label: 'Prepayment percentage',
      default: 1,
      help: 'As a factor: 1 is the whole amount.',
    }),
    sale_discount_product_id: many2one('product.product', {
      label: 'Discount Product',
      ondelete: 'set null',
      checkCompany: true,
      help: 'Stands on the lines that take a sum or a share off an order.',
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
}

export default implement(company)
