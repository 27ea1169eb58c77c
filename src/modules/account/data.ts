// Initial data, in addition to the chart: payment terms.
import { type Command, type DataSet, type DataVals, ref } from '#models'

interface Line {
  readonly nb_days: number
  readonly value_amount?: number
  readonly delay_type?: string
  readonly days_next_month?: string
}

type Term = DataVals<'account.payment.term'>

const term = (name: string, note: string, lines: readonly Line[], more: Term = {}): Term => ({
  name,
  note: `<p>${note}</p>`,
  line_ids: [
    [5, 0, 0],
    ...lines.map((line): Command => [0, 0, { value: 'percent', value_amount: 100, ...line }]),
  ],
  ...more,
})

const terms: DataSet = {
  model: 'account.payment.term',
  noupdate: true,
  records: {
    account_payment_term_immediate: term('Immediate Payment', 'Due at once', [{ nb_days: 0 }]),
    account_payment_term_15days: term('15 Days', 'Due in 15 days', [{ nb_days: 15 }]),
    account_payment_term_21days: term('21 Days', 'Due in 21 days', [{ nb_days: 21 }]),
    account_payment_term_30days: term('30 Days', 'Due in 30 days', [{ nb_days: 30 }]),
    account_payment_term_45days: term('45 Days', 'Due in 45 days', [{ nb_days: 45 }]),
    account_payment_term_end_following_month: term(
      'End of Following Month',
      'Due at the end of the following month',
      [{ nb_days: 0, delay_type: 'days_after_end_of_next_month' }],
    ),
    account_payment_term_30_days_end_month_the_10: term(
      '10 Days after End of Next Month',
      'Due on the tenth day after the next month',
      [{ nb_days: 10, delay_type: 'days_after_end_of_next_month' }],
    ),
    account_payment_term_advance_60days: term(
      '30% Now, Balance 60 Days',
      'Due 30% now, the rest in 60 days',
      [
        { nb_days: 0, value_amount: 30 },
        { nb_days: 60, value_amount: 70 },
      ],
    ),
    account_payment_term_30days_early_discount: term(
      '2/7 Net 30',
      'Due in 30 days, 2% less when paid within 7 days',
      [{ nb_days: 30 }],
      {
        early_discount: true,
        discount_percentage: 2,
        discount_days: 7,
      },
    ),
  },
}

const methods: DataSet = {
  model: 'account.payment.method',
  records: {
    account_payment_method_manual_in: { name: 'Manual Payment', code: 'manual', payment_type: 'inbound' },
    account_payment_method_manual_out: { name: 'Manual Payment', code: 'manual', payment_type: 'outbound' },
  },
}

const plans: DataSet = {
  model: 'account.analytic.plan',
  noupdate: true,
  records: { analytic_plan_projects: { name: 'Project', default_applicability: 'optional' } },
}

const scheduled: DataSet = {
  model: 'ir.cron',
  noupdate: true,
  records: {
    ir_cron_auto_post_draft_entry: {
      name: 'Account: Post draft entries with auto_post enabled and accounting date up to today',
      model_id: ref('model_account_move'),
      state: 'code',
      code: 'model.autopost_draft_entries()',
      user_id: ref('base.user_root'),
      interval_number: 1,
      interval_type: 'days',
    },
  },
}

export const data: readonly DataSet[] = [terms, methods, plans, scheduled]
