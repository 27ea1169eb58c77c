// Payment terms (account.payment.term): when an amount falls due, in which parts, and what paying early is
// worth (spec/business-models.md section 5).
import {
  add,
  boolean,
  char,
  computed,
  float,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  selection,
} from '#models'
import { keptOnceListed, markCopies } from '../base/index.ts'
import { MOST_DAYS } from './payment-term-line.ts'

const term = model('account.payment.term', {
  label: 'Payment Terms',
  dictionary: true,
  order: 'sequence, id',
  rules: {
    discount: {
      check: 'NOT early_discount OR (discount_percentage > 0 AND discount_percentage < 100)',
      message: 'The early payment discount must be strictly between 0 and 100 percent.',
    },
    discount_days: {
      check: 'NOT early_discount OR discount_days > 0',
      message: 'The days within which an early payment is rewarded must be strictly positive.',
    },
  },
  fields: {
    name: char({ label: 'Payment Terms', required: true, translate: true }),
    active: boolean({ label: 'Active', default: true }),
    note: html({ label: 'Description on the Invoice', translate: true }),
    line_ids: one2many('account.payment.term.line', 'payment_id', { label: 'Terms', copy: true }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    display_on_invoice: boolean({ label: 'Show installment dates', default: true }),
    early_discount: boolean({ label: 'Early Discount', default: false }),
    discount_percentage: float({
      label: 'Discount %',
      default: 2,
      help: 'Percentage of the early payment discount.',
    }),
    discount_days: integer({
      label: 'Discount Days',
      default: 10,
      help: 'Number of days of the early payment discount.',
    }),
    early_pay_discount_computation: selection(
      { included: 'On early payment', excluded: 'Never', mixed: 'Always (upon invoice)' },
      {
        label: 'Cash Discount Tax Reduction',
        default: 'included',
        help: 'When the early discount reduces the tax too.',
      },
    ),
  },
})

declare module '#models' {
  interface Models {
    'account.payment.term': PaymentTerm
  }
  interface PaymentTerm extends Of<typeof term> {}
}

const paths = ['line_ids.value', 'line_ids.value_amount'] as const

export default implement(term, {
  // The whole at once, unless something else is said.
  defaults: { line_ids: () => [add({ value: 'percent', value_amount: 100, nb_days: 0 })] },
  checks: {
    'A payment term needs at least one percentage, and its percentages must add up to 100 %.': computed(
      term,
      paths,
      (t) => {
        const shares = t.line_ids.filter((line) => line.value === 'percent').map((line) => line.value_amount)
        return shares.length > 0 && Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 1e-6
      },
    ),
    'An early payment discount needs a payment term with a single line of 100 %.': computed(
      term,
      ['early_discount', 'line_ids'],
      (t) => !t.early_discount || t.line_ids.length === 1,
    ),
    'The days of an early payment discount must not exceed 36,500.': computed(
      term,
      ['discount_days'],
      (t) => t.discount_days <= MOST_DAYS,
    ),
  },
  wrapGeneric: {
    unlink: keptOnceListed as never,
    copy_data: markCopies,
  },
})
