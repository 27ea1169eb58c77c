// Currencies (res.currency): rounding, and the rate of the day in units for one unit of the company's
// currency.
import {
  boolean,
  char,
  computed,
  computedTogether,
  date,
  float,
  idsWhere,
  implement,
  integer,
  model,
  type Of,
  one2many,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { UserError } from '../../../errors.ts'
import { roundHalfUp } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { keptOnceIssued } from '../rights/issued.ts'
import { rateSql, ratesOf } from './currency-rates.ts'

const currency = model('res.currency', {
  label: 'Currency',
  formsBySaving: true,
  dictionary: true,
  order: 'active desc, name',
  recNamesSearch: ['name', 'full_name'],
  rules: {
    unique_name: { unique: ['name'], message: 'The currency code must be unique!' },
    rounding_gt_zero: { check: 'rounding > 0', message: 'The rounding factor must be greater than 0!' },
  },
  fields: {
    name: char({ label: 'Currency', required: true, size: 3, help: 'Currency code (ISO 4217)' }),
    iso_numeric: integer({ label: 'Currency numeric code.', help: 'Currency numeric code (ISO 4217)' }),
    full_name: char({ label: 'Name', translate: true }),
    symbol: char({ label: 'Symbol', required: true, help: 'The sign next to amounts.' }),
    rate: float({
      label: 'Current Rate',
      computed: true,
      help: "Units of this currency per unit of the company's currency.",
    }),
    inverse_rate: float({
      label: 'Inverse Rate',
      computed: true,
      readonly: true,
      help: "Units of the company's currency per unit of this currency.",
    }),
    rate_string: char({ label: 'Rate String', computed: true }),
    rate_ids: one2many('res.currency.rate', 'currency_id', { label: 'Rates' }),
    rounding: float({
      label: 'Rounding Factor',
      digits: [12, 6],
      default: 0.01,
      help: 'Smallest amount: amounts are rounded to a multiple of it.',
    }),
    decimal_places: integer({
      label: 'Decimal Places',
      computed: true,
      stored: true,
      help: 'Digits after the point that the rounding leaves.',
    }),
    active: boolean({ label: 'Active', default: true }),
    position: selection(
      { after: 'After Amount', before: 'Before Amount' },
      { label: 'Symbol Position', default: 'after', help: 'Where the symbol stands.' },
    ),
    date: date({ label: 'Date', computed: true, help: 'The day of the current rate.' }),
    currency_unit_label: char({ label: 'Currency Unit', translate: true }),
    currency_subunit_label: char({ label: 'Currency Subunit', translate: true }),
    is_current_company_currency: boolean({ label: 'Is Current Company Currency', computed: true }),
  },
  methods: {
    round: {
      doc: 'The amount rounded to the currency, half away from zero.',
      readonly: true,
      params: { amount: required<number>('number', { annotation: 'float' }) },
      returns: returns<number>('number', 'float'),
    },
    compare_amounts: {
      doc: 'Compares two amounts after rounding them: -1, 0 or 1.',
      readonly: true,
      params: {
        amount1: required<number>('number', { annotation: 'float' }),
        amount2: required<number>('number', { annotation: 'float' }),
      },
      returns: returns<number>('integer', 'int'),
    },
    is_zero: {
      doc: 'Whether the amount is zero after rounding.',
      readonly: true,
      params: { amount: required<number>('number', { annotation: 'float' }) },
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.currency': Currency
  }
  interface Currency extends Of<typeof currency> {}
}

/** Digits after the point for a rounding factor: 2 for 0.05. */
export function decimalPlaces(rounding: number): number {
  // The logarithm of 0.001 is not exactly -3.
  return rounding > 0 && rounding < 1 ? Math.ceil(-Math.log10(rounding) - 1e-9) : 0
}

const rateOf = async (currencies: readonly { readonly id: number }[], env: Parameters<typeof ratesOf>[0]) =>
  ratesOf(
    env,
    currencies.map((c) => c.id),
  )

/**
 * Another code would change the currency of booked amounts, and another rounding would make paid amounts
 * open again.
 */
const keepIssued = keptOnceIssued<'res.currency'>(['name', 'rounding'])

export default implement(currency, {
  computed: {
    decimal_places: computed(currency, ['rounding'], (c) => decimalPlaces(c.rounding)),
    rate: computedTogether(
      currency,
      [],
      async (currencies, env) =>
        new Map([...(await rateOf(currencies, env))].map(([id, { rate }]) => [id, rate])),
      { context: ['date'], searchable: false, sql: (scope) => rateSql(scope)?.rate ?? null },
    ),
    inverse_rate: computedTogether(
      currency,
      [],
      async (currencies, env) =>
        new Map([...(await rateOf(currencies, env))].map(([id, { rate }]) => [id, 1 / rate])),
      {
        context: ['date'],
        searchable: false,
        sql: (scope) => {
          const rate = rateSql(scope)
          return rate && sql`(1 / ${rate.rate})`
        },
      },
    ),
    date: computedTogether(
      currency,
      [],
      async (currencies, env) =>
        new Map([...(await rateOf(currencies, env))].map(([id, { date: day }]) => [id, day])),
      { context: ['date'], searchable: false, sql: (scope) => rateSql(scope)?.date ?? null },
    ),
    rate_string: computedTogether(
      currency,
      ['name'],
      async (currencies, env) => {
        const rates = await rateOf(currencies, env)
        const [company] = await env
          .sudo()
          .model('res.company')
          .browse([env.companyId])
          .load(['currency_id.name'])
        const companyCurrency = company?.currency_id.name
        return new Map(
          currencies.map((c) => [
            c.id,
            c.name === companyCurrency
              ? ''
              : `1 ${companyCurrency} = ${(rates.get(c.id)?.rate ?? 1).toFixed(6)} ${c.name}`,
          ]),
        )
      },
      { context: ['date'] },
    ),
    is_current_company_currency: computedTogether(
      currency,
      [],
      async (currencies, env) => {
        const [company] = await env.sudo().model('res.company').browse([env.companyId]).load(['currency_id'])
        return new Map(currencies.map((c) => [c.id, c.id === company?.currency_id.id]))
      },
      {
        searchable: false,
        sql: (scope) =>
          sql`EXISTS (SELECT FROM res_company o WHERE o.id = ${scope.env.companyId}::int AND o.currency_id = ${scope.id})`,
      },
    ),
  },
  methods: {
    round: async (currencies, { amount }) => roundHalfUp(amount, await roundingOf(currencies)),
    compare_amounts: async (currencies, { amount1, amount2 }) => {
      const rounding = await roundingOf(currencies)
      return Math.sign(roundHalfUp(amount1, rounding) - roundHalfUp(amount2, rounding))
    },
    is_zero: async (currencies, { amount }) => roundHalfUp(amount, await roundingOf(currencies)) === 0,
  },
  wrapWrite: (next) => async (currencies, changes) => {
    const archived = idsWhere(changes, (vals) => 'active' in vals && !vals.active)
    if (archived.length) await assertNotOfCompany(currencies.browse(archived))
    return keepIssued(next)(currencies, changes)
  },
})

async function roundingOf(currencies: Records<'res.currency'>): Promise<number> {
  return (await currencies.one(['rounding'])).rounding
}

/** Throws UserError for the currency of a company (spec/models-api.md section 6). */
async function assertNotOfCompany(currencies: Records<'res.currency'>): Promise<void> {
  const rows = await currencies.env.rows(
    sql`SELECT 1 FROM res_company WHERE currency_id = ANY(${idList(currencies.ids)}) LIMIT 1`,
    { reads: ['res.company'], row: ['int'] },
  )
  if (rows.length)
    throw new UserError('This currency is set on a company and therefore cannot be deactivated.')
}
