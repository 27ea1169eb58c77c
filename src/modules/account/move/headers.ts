// Headers of entries as their lines need them: company, currency and its rate of the day, journal,
// fiscal position, partner; in sets, read as superuser.
import type { Environment } from '#models'
import { today } from '../../../kit/dates.ts'
import { ratesOn } from '../../base/index.ts'

export interface Header {
  readonly id: number
  readonly move_type: string
  readonly state: string
  readonly company: number
  readonly companyCurrency: number
  readonly companyRounding: number
  readonly method: 'round_per_line' | 'round_globally'
  readonly currency: number
  readonly rounding: number
  /** Value of one unit of the company's currency in that of the entry, on its day. */
  readonly rate: number
  /** The day of the invoice, else of the entry. */
  readonly day: string
  readonly journal: number | null
  readonly journalAccount: number | null
  readonly position: number | null
  readonly partner: number | null
  readonly lang: string | null
  /** The company has analytic distribution models. */
  readonly proposesAnalytics: boolean
  /** The company takes back by storno: with negative amounts on the sides of what they take back. */
  readonly usesStorno: boolean
}

export const headerPaths = [
  'move_type',
  'state',
  'company_id.currency_id.rounding',
  'company_id.tax_calculation_rounding_method',
  'company_id.has_distribution_models',
  'company_id.account_storno',
  'currency_id.rounding',
  'invoice_date',
  'date',
  'journal_id.default_account_id',
  'fiscal_position_id',
  'partner_id.lang',
] as const

/** Headers of the entries of lines. */
export const headersOf = (
  env: Environment,
  lines: readonly { readonly move_id: { readonly id: number } }[],
): Promise<Map<number, Header>> => loadHeaders(env, [...new Set(lines.map((line) => line.move_id.id))])

/** Headers by id: a bounded number of statements. */
export async function loadHeaders(env: Environment, ids: readonly number[]): Promise<Map<number, Header>> {
  const moves = await env
    .sudo()
    .model('account.move')
    .browse(ids)
    .load([...headerPaths])
  const headers = moves.map((move) => {
    const { company_id: company, currency_id: currency } = move
    return {
      id: move.id,
      move_type: move.move_type,
      state: move.state,
      company: company?.id ?? env.companyId,
      companyCurrency: company?.currency_id.id ?? 0,
      companyRounding: company?.currency_id.rounding ?? 0.01,
      method: company?.tax_calculation_rounding_method ?? ('round_globally' as const),
      currency: currency.id,
      rounding: currency.rounding,
      day: move.invoice_date ?? move.date ?? today(env.tz, env.now()),
      // None where the company has no journal of the kind: then the entry is refused, a moment later.
      journal: move.journal_id?.id ?? null,
      journalAccount: move.journal_id?.default_account_id?.id ?? null,
      position: move.fiscal_position_id?.id ?? null,
      partner: move.partner_id?.id ?? null,
      lang: move.partner_id?.lang ?? null,
      proposesAnalytics: company?.has_distribution_models ?? false,
      usesStorno: company?.account_storno ?? false,
    }
  })
  const rates = await ratesFor(env, headers)
  return new Map(headers.map((header) => [header.id, { ...header, rate: rates(header) }]))
}

interface Dated {
  readonly company: number
  readonly companyCurrency: number
  readonly currency: number
  readonly day: string
}

/** Gives the rate of each: one statement, and none if only companies' own currencies are used. */
export async function ratesFor(env: Environment, all: readonly Dated[]): Promise<(one: Dated) => number> {
  const key = ({ company, day, currency }: Dated) => `${company}/${day}/${currency}`
  const foreign = new Map(
    all.filter((row) => row.currency !== row.companyCurrency).map((row) => [key(row), row]),
  )
  const asks = [...foreign.values()].map(({ company, currency, day }) => ({ company, currency, day }))
  const rates = await ratesOn(env, asks)
  const rateByKey = new Map([...foreign.keys()].map((name, i) => [name, rates[i] ?? 1]))
  return (one) => rateByKey.get(key(one)) ?? 1
}
