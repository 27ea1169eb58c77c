// Templates of quotations (sale.order.template): terms and lines that new quotations begin with.
import {
  boolean,
  char,
  computedFields,
  float,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'

/** As the company has it when the template is made, and kept when a client writes it. */
const kept = { computed: true, stored: true, precompute: true } as const

export const template = model('sale.order.template', {
  label: 'Quotation Template',
  order: 'sequence, id',
  rules: {
    duration: {
      check: 'number_of_days >= 0',
      message: 'The validity of a quotation must not be negative: enter 0 to use the default of the company.',
    },
    prepayment: {
      check: 'NOT require_payment OR (prepayment_percent > 0 AND prepayment_percent <= 1)',
      message: 'The prepayment share must be more than 0 and at most 1.',
    },
  },
  fields: {
    name: char({ label: 'Quotation Template', required: true }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    note: html({ label: 'Terms and conditions', translate: true }),
    number_of_days: integer({
      label: 'Quotation Duration',
      default: 0,
      help: 'Number of days for which a quotation is valid; 0: the setting of the company applies.',
    }),
    require_signature: boolean({ label: 'Online Signature', ...kept, copy: true }),
    require_payment: boolean({ label: 'Online Payment', ...kept, copy: true }),
    prepayment_percent: float({
      label: 'Prepayment percentage',
      ...kept,
      copy: true,
      help: 'The share to be paid to confirm; 1 is the whole.',
    }),
    journal_id: many2one('account.journal', {
      label: 'Invoicing Journal',
      checkCompany: true,
      companyDependent: true,
      domain: [['type', '=', 'sale']],
    }),
    mail_template_id: many2one('mail.template', {
      label: 'Confirmation Mail',
      domain: [['model', '=', 'sale.order']],
      ondelete: 'set null',
      help: 'The mail that customers get when an order with this template is confirmed. Empty: none.',
    }),
    sale_order_template_line_ids: one2many('sale.order.template.line', 'sale_order_template_id', {
      label: 'Lines',
      copy: true,
    }),
  },
})

declare module '#models' {
  interface Models {
    'sale.order.template': SaleOrderTemplate
  }
  interface SaleOrderTemplate extends Of<typeof template> {}
}

export default implement(template, {
  defaults: { company_id: (env) => env.companyId },
  computed: computedFields(
    template,
    ['require_signature', 'require_payment', 'prepayment_percent'],
    [
      'company_id.portal_confirmation_sign',
      'company_id.portal_confirmation_pay',
      'company_id.prepayment_percent',
    ],
    (templates) =>
      new Map(
        templates.map(({ id, company_id: company }) => [
          id,
          {
            require_signature: company?.portal_confirmation_sign ?? true,
            require_payment: company?.portal_confirmation_pay ?? false,
            prepayment_percent: company?.prepayment_percent ?? 1,
          },
        ]),
      ),
    { editable: true },
  ),
})
