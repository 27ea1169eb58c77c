// Rates of currencies (res.currency.rate): one a day, currency and company; each of the three ways to say it
// may be written.
import {
  computed,
  computedTogether,
  date,
  type Environment,
  float,
  implement,
  many2one,
  model,
  type Of,
} from '#models'
import { ValidationError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { baseRates } from './currency-rates.ts'

const rate = model('res.currency.rate', {
  label: 'Currency Rate',
  formsBySaving: true,
  order: 'name desc, id',
  recName: 'name',
  recNamesSearch: ['name', 'rate'],
  rules: {
    unique_name_per_day: {
      unique: ['name', 'currency_id', 'company_id'],
      message: 'Only one currency rate per day allowed!',
    },
    currency_rate_check: { check: 'rate > 0', message: 'The currency rate must be strictly positive.' },
  },
  fields: {
    name: date({ label: 'Date', required: true, index: true }),
    rate: float({
      label: 'Technical Rate',
      aggregator: 'avg',
      help: 'Units of the currency per unit of the currency with rate 1.',
    }),
    company_rate: float({
      label: 'Rate',
      computed: true,
      aggregator: 'avg',
      help: "Units of the currency per unit of the company's currency.",
    }),
    inverse_company_rate: float({
      label: 'Inverse Rate',
      computed: true,
      aggregator: 'avg',
      help: "Units of the company's currency per unit of this currency.",
    }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      required: true,
      readonly: true,
      ondelete: 'cascade',
      index: true,
    }),
    company_id: many2one('res.company', { label: 'Company' }),
  },
})

declare module '#models' {
  interface Models {
    'res.currency.rate': CurrencyRate
  }
  interface CurrencyRate extends Of<typeof rate> {}
}

/** Stores `values`, by record, as rates for one unit of the company's currency. */
async function storeRates(
  env: Environment,
  values: ReadonlyMap<number, unknown>,
  rateOf: (value: number, base: number) => number,
): Promise<void> {
  const bases = await baseRates(env, [...values.keys()])
  const rates = new Map<number, { readonly rate: number }>()
  for (const [id, value] of values) {
    const rate = Number(value)
    if (!(rate > 0)) throw new ValidationError('The currency rate must be strictly positive.')
    rates.set(id, { rate: rateOf(rate, bases.get(id) ?? 1) })
  }
  await env.model('res.currency.rate').writeEach(rates)
}

/** Rates from here on make amounts that no number holds, or none at all. */
const [LEAST, MOST] = [1e-12, 1e12]

export default implement(rate, {
  checks: {
    'The currency rate must be more than 0.000000000001 and less than 1,000,000,000,000.': computed(
      rate,
      ['rate'],
      // Without a rate it reads as 0 (recorded); a rate of 0 is refused by the table.
      (r) => r.rate === 0 || (r.rate > LEAST && r.rate < MOST),
    ),
  },
  defaults: {
    name: (env) => today(env.tz, env.now()),
    company_id: async (env) => {
      const [company] = await env.sudo().model('res.company').browse([env.companyId]).load(['root_id'])
      return company?.root_id?.id ?? env.companyId
    },
  },
  computed: {
    company_rate: computedTogether(
      rate,
      ['rate'],
      async (rates, env) => {
        const bases = await baseRates(
          env,
          rates.map((r) => r.id),
        )
        return new Map(rates.map((r) => [r.id, (r.rate || 1) / (bases.get(r.id) ?? 1)]))
      },
      { inverse: (env, values) => storeRates(env, values, (value, base) => value * base) },
    ),
    inverse_company_rate: computedTogether(
      rate,
      ['company_rate'],
      (rates) => new Map(rates.map((r) => [r.id, 1 / r.company_rate])),
      {
        inverse: (env, values) => storeRates(env, values, (value, base) => base / value),
      },
    ),
  },
})
