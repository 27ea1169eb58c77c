// Examples of payment terms (account.payment.term): what 1,000 of today would fall due as.
import {
  boolean,
  char,
  computed,
  computedTogether,
  date,
  extend,
  html,
  implement,
  many2one,
  monetary,
  type Of,
} from '#models'
import { addDays, today } from '../../kit/dates.ts'
import { html as markup } from '../../kit/html.ts'
import { languagesFor } from '../base/index.ts'
import { instalments } from './move/due-dates.ts'
import { exact, roundTo, toNumber } from './tax-engine/index.ts'

const EXAMPLE = 1000

const term = extend('account.payment.term', {
  fields: {
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    fiscal_country_codes: char({ label: 'Fiscal Country Codes', computed: true }),
    example_amount: monetary({ label: 'Example Amount', computed: true }),
    example_date: date({ label: 'Date example', computed: true }),
    example_invalid: boolean({ label: 'Example Invalid', computed: true }),
    example_preview: html({ label: 'Example Preview', computed: true }),
    example_preview_discount: html({ label: 'Example Preview Discount', computed: true }),
  },
})

const termLine = extend('account.payment.term.line', {
  fields: {
    display_days_next_month: boolean({ label: 'Display Days Next Month', computed: true }),
  },
})

declare module '#models' {
  interface PaymentTerm extends Of<typeof term> {}
  interface PaymentTermLine extends Of<typeof termLine> {}
}

const previews = computedTogether(
  term,
  [
    'currency_id.rounding',
    'currency_id.symbol',
    'currency_id.position',
    'currency_id.decimal_places',
    'line_ids.value',
    'line_ids.value_amount',
    'line_ids.delay_type',
    'line_ids.nb_days',
    'line_ids.days_next_month',
  ],
  async (terms, env) => {
    const written = (await languagesFor(env, [env.lang]))(env.lang)
    const day = today(env.tz, env.now())
    return new Map(
      terms.map(({ id, line_ids: lines, currency_id: currency }) => {
        if (!currency) return [id, null]
        const step = exact(currency.rounding)
        const total = { currency: exact(EXAMPLE), company: exact(EXAMPLE) }
        const steps = { currency: step, company: step, rate: exact(1), coins: null }
        const parts = instalments(total, lines, day, steps).map(
          (part, n) =>
            markup`<div>${n + 1}# Installment of <b>${written.money(toNumber(part.currency), currency)}</b> due on <b>${written.date(part.date)}</b></div>`,
        )
        return [id, String(markup`${parts}`)]
      }),
    )
  },
  { context: ['lang'] },
)

const discounts = computedTogether(
  term,
  [
    'early_discount',
    'discount_percentage',
    'discount_days',
    'currency_id.rounding',
    'currency_id.symbol',
    'currency_id.position',
    'currency_id.decimal_places',
  ],
  async (terms, env) => {
    const written = (await languagesFor(env, [env.lang]))(env.lang)
    const day = today(env.tz, env.now())
    return new Map(
      terms.map(({ id, early_discount, discount_percentage, discount_days, currency_id: currency }) => {
        if (!early_discount || !currency) return [id, null]
        const left = exact(EXAMPLE)
          .times(exact(100).minus(exact(discount_percentage)))
          .div(100)
        const amount = toNumber(roundTo(left, exact(currency.rounding)))
        return [
          id,
          String(
            markup`Early Payment Discount: <b>${written.money(amount, currency)}</b> if paid before <b>${written.date(addDays(day, discount_days))}</b>`,
          ),
        ]
      }),
    )
  },
  { context: ['lang'] },
)

const company = computedTogether(term, ['company_id.currency_id'], async (terms, env) => {
  const usual = await env.sudo().model('res.company').browse([env.companyId]).one(['currency_id'])
  return new Map(terms.map(({ id, company_id: of }) => [id, of?.currency_id ?? usual.currency_id]))
})

const countries = computedTogether(term, ['company_id'], async (terms, env) => {
  const companies = await env
    .sudo()
    .model('res.company')
    .browse([...new Set([...env.companyIds, ...terms.flatMap(({ company_id: of }) => of?.id ?? [])])])
    .load(['account_fiscal_country_id.code'])
  const codes = new Map(companies.map((row) => [row.id, row.account_fiscal_country_id?.code]))
  const codesOf = (ids: readonly number[]) => [...new Set(ids.flatMap((id) => codes.get(id) ?? []))].join()
  return new Map(terms.map(({ id, company_id: of }) => [id, codesOf(of ? [of.id] : env.companyIds) || null]))
})

export const termExample = implement(term, {
  computed: {
    currency_id: company,
    fiscal_country_codes: countries,
    example_amount: computed(term, [], () => EXAMPLE),
    example_date: computed(term, [], (_term, env) => today(env.tz, env.now())),
    example_invalid: computed(term, ['line_ids'], ({ line_ids: lines }) => lines.length === 0),
    example_preview: previews,
    example_preview_discount: discounts,
  },
})

export const termLineShown = implement(termLine, {
  computed: {
    display_days_next_month: computed(
      termLine,
      ['delay_type'],
      ({ delay_type: delay }) => delay === 'days_end_of_month_on_the',
    ),
  },
})
