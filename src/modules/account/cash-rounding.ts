// Cash roundings (account.cash.rounding): totals that are paid in coins, and where the difference goes.
import {
  char,
  computed,
  float,
  implement,
  many2one,
  model,
  type Of,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { ValidationError } from '../../errors.ts'
import { roundHalfUp } from '../../kit/rounding.ts'
import { roundingDifference } from './move/document.ts'
import { exact, toNumber } from './tax-engine/index.ts'

const amount = required<number>('number', { annotation: 'float' })

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
  methods: {
    validate_rounding: {
      doc: 'Raises an error if the smallest coin is not positive.',
      readonly: true,
      params: {},
    },
    round: {
      doc: 'Rounds an amount to the smallest coin.',
      readonly: true,
      params: { amount },
      returns: returns<number>('number', 'float'),
    },
    compute_difference: {
      doc: 'Returns what rounding to the smallest coin adds to an amount.',
      readonly: true,
      params: { currency: required<number>('integer', { annotation: 'int' }), amount },
      returns: returns<number>('number', 'float'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.cash.rounding': CashRoundingRecord
  }
  interface CashRoundingRecord extends Of<typeof rounding> {}
}

async function differenceOf(roundings: Records<'account.cash.rounding'>, value: number): Promise<number> {
  roundings.ensureOne()
  const coins = await roundings.one(['rounding', 'rounding_method'])
  return toNumber(roundingDifference(exact(value), coins))
}

export default implement(rounding, {
  methods: {
    validate_rounding: async (roundings) => {
      const rows = await roundings.load(['rounding'])
      if (rows.some(({ rounding: coin }) => coin <= 0))
        throw new ValidationError('The rounding precision must be more than 0: enter a larger precision.')
      return null
    },
    round: async (roundings, { amount: value }) =>
      toNumber(exact(value).plus(exact(await differenceOf(roundings, value)))),
    compute_difference: async (roundings, { currency, amount: value }) => {
      const { rounding: step } = await roundings.env
        .model('res.currency')
        .browse([currency])
        .one(['rounding'])
      return roundHalfUp(await differenceOf(roundings, roundHalfUp(value, step)), step)
    },
  },
  checks: {
    'The rounding precision must be more than 0.': computed(
      rounding,
      ['rounding'],
      (rounding) => rounding.rounding > 0,
    ),
  },
})
