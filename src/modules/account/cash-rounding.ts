// Cash roundings (account.cash.rounding): totals that are paid in coins, and where the difference goes.
import { char, computed, float, implement, many2one, model, type Of, selection } from '#models'

const rounding = model('account.cash.rounding', {
  label: 'Account Cash Rounding',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    rounding: float({
      label: 'Rounding Precision',
      required: true,
      default: 0.01,
      help: 'The smallest coin.',
    }),
    strategy: selection(
      { biggest_tax: 'Modify tax amount', add_invoice_line: 'Add a rounding line' },
      {
        label: 'Rounding Strategy',
        required: true,
        default: 'add_invoice_line',
        help: 'Where the difference is booked.',
      },
    ),
    profit_account_id: many2one('account.account', { label: 'Profit Account', companyDependent: true }),
    loss_account_id: many2one('account.account', { label: 'Loss Account', companyDependent: true }),
    rounding_method: selection(
      { UP: 'Up', DOWN: 'Down', 'HALF-UP': 'Nearest' },
      { label: 'Rounding Method', required: true, default: 'HALF-UP' },
    ),
  },
})

declare module '#models' {
  interface Models {
    'account.cash.rounding': CashRoundingRecord
  }
  interface CashRoundingRecord extends Of<typeof rounding> {}
}

export default implement(rounding, {
  checks: {
    'Coins are worth more than nothing.': computed(rounding, ['rounding'], (one) => one.rounding > 0),
  },
})
