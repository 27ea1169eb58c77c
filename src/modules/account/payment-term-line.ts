// Lines of payment terms (account.payment.term.line): a share of the total, or an amount, and the day it
// falls due.
import { char, computed, float, implement, integer, many2one, model, type Of, selection } from '#models'

const line = model('account.payment.term.line', {
  label: 'Payment Terms Line',
  recName: 'payment_id',
  rules: {
    percent: {
      check: "value <> 'percent' OR (value_amount >= 0 AND value_amount <= 100)",
      message: 'Percentages of payment terms must be between 0 and 100.',
    },
  },
  fields: {
    value: selection(
      { percent: 'Percent', fixed: 'Fixed' },
      { label: 'Value', required: true, default: 'percent' },
    ),
    value_amount: float({
      label: 'Due',
      digits: [16, 6],
      help: 'Percentage of the total, or a fixed amount.',
    }),
    delay_type: selection(
      {
        days_after: 'Days after invoice date',
        days_after_end_of_month: 'Days after end of month',
        days_after_end_of_next_month: 'Days after end of next month',
        days_end_of_month_on_the: 'Days end of month on the',
      },
      { label: 'Delay Type', required: true, default: 'days_after' },
    ),
    days_next_month: char({
      label: 'Days on the next month',
      default: '10',
      help: 'Day of the next month.',
    }),
    nb_days: integer({ label: 'Days', default: 0 }),
    payment_id: many2one('account.payment.term', {
      label: 'Payment Terms',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.payment.term.line': PaymentTermLine
  }
  interface PaymentTermLine extends Of<typeof line> {}
}

/** Days of payment terms at most, a hundred years: documents with more would have no due date. */
export const MOST_DAYS = 36_500

export default implement(line, {
  checks: {
    'The day of the next month must be between 0 and 31.': computed(
      line,
      ['days_next_month'],
      ({ days_next_month: day }) => day === null || (/^\d{1,2}$/.test(day) && Number(day) <= 31),
    ),
    'The days of a payment term must be between 0 and 36,500.': computed(
      line,
      ['nb_days'],
      (l) => l.nb_days >= 0 && l.nb_days <= MOST_DAYS,
    ),
  },
})
