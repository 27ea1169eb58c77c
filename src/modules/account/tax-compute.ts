// `account.tax/compute_all`: taxes on one price, by part, as clients of the API read them
// (spec/business-models.md section 4).

import type { Environment, Records } from '#models'
import { InvalidValue, MissingError } from '../../errors.ts'
import { isInteger } from '../../kit/present.ts'
import type { ComputedTax, ComputedTaxes } from './tax.contract.ts'
import {
  computeLine,
  type Decimal,
  exact,
  laterAffectedTaxes,
  roundTo,
  shareOut,
  type TaxAmount,
  toNumber,
} from './tax-engine/index.ts'
import { loadMembers } from './taxes.ts'

interface Asked {
  readonly price_unit: number
  readonly quantity: number
  readonly currency: number | false | null
  readonly product: number | false | null
  readonly partner: number | false | null
  readonly is_refund: boolean
  readonly handle_price_include: boolean
  readonly rounding_method: 'round_per_line' | 'round_globally' | false | null
}

/**
 * Throws InvalidValue for what is not a number and for a currency or partner that is not there, MissingError
 * for a tax that is not.
 */
export async function computeAll(taxes: Records<'account.tax'>, request: Asked): Promise<ComputedTaxes> {
  const { env } = taxes
  const [priceUnit, quantity] = [
    numberOf('price_unit', request.price_unit),
    numberOf('quantity', request.quantity),
  ]
  idOf('product', request.product)
  const companies = await taxes.load(['company_id'])
  if (companies.length < taxes.length)
    throw new MissingError('Record does not exist or has been deleted (account.tax).')
  const company = await companyOf(env, companies[0]?.company_id.id ?? env.companyId)
  const rounding = await roundingOf(env, request.currency, company.currency_id.rounding)
  const method = methodOf(request.rounding_method) ?? company.tax_calculation_rounding_method
  const members = (await loadMembers(env, taxes.ids))(taxes.ids)
  const engineTaxes = members.map(({ tax }) => tax)
  const ids = engineTaxes.map((tax) => tax.id)
  const rows = await named(taxes.browse(ids), await languageOf(env, request.partner))
  const step = exact(rounding)
  const line = computeLine(
    {
      priceUnit,
      quantity,
      taxes: engineTaxes,
      priceMode: request.handle_price_include ? 'as taxes say' : 'untaxed',
    },
    method === 'round_per_line' ? step : null,
  )
  if (!Number.isFinite(toNumber(line.total)) || !Number.isFinite(toNumber(line.untaxed)))
    throw new InvalidValue('The price is too large: enter a smaller one.')
  const groups = new Map(members.map(({ tax, group }) => [tax.id, group]))
  const all = await partsOf(env, ids, request.is_refund)
  const results: ComputedTax[] = []
  let withoutAccount = line.untaxed
  for (const part of line.taxes) {
    const about: AboutTax = {
      row: rows.get(part.tax.id),
      group: groups.get(part.tax.id) ?? false,
      affected: laterAffectedTaxes(part.tax, engineTaxes),
    }
    const shares = shareOut(part.amount, all.get(part.tax.id) ?? [], part.reverseCharge, step)
    for (const share of shares) {
      if (!share.part.account_id) withoutAccount = withoutAccount.plus(share.amount)
      results.push(computedTax(part, share, about))
    }
  }
  return {
    base_tags: [],
    taxes: results,
    total_excluded: toNumber(roundTo(line.untaxed, step)),
    total_included: toNumber(roundTo(line.total, step)),
    total_void: toNumber(withoutAccount),
  }
}

interface AboutTax {
  /** Fields of the tax that the caller may read. */
  readonly row: TaxRow | undefined
  readonly group: number | false
  /** Later taxes that take its amount into their base. */
  readonly affected: readonly number[]
}

/** Amount of one part of a tax, as the API shows it. */
function computedTax(
  { tax, base, reverseCharge }: TaxAmount,
  { part, amount }: { readonly part: Repartition; readonly amount: Decimal },
  { row, group, affected }: AboutTax,
): ComputedTax {
  return {
    id: tax.id,
    name: row?.name ?? '',
    amount: toNumber(amount),
    base: toNumber(base),
    sequence: row?.sequence ?? 0,
    account_id: part.account_id?.id ?? false,
    analytic: row?.analytic ?? false,
    use_in_tax_closing: part.use_in_tax_closing,
    is_reverse_charge: reverseCharge,
    price_include: tax.priceInclude,
    tax_exigibility: row?.tax_exigibility ?? 'on_invoice',
    tax_repartition_line_id: part.id,
    group,
    tag_ids: [],
    tax_ids: affected,
  }
}

function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new InvalidValue(`Invalid value for parameter ${name}: ${JSON.stringify(value)?.slice(0, 80)}`)
}

function methodOf(value: unknown): 'round_per_line' | 'round_globally' | null {
  if (value === 'round_per_line' || value === 'round_globally') return value
  if (value === null || value === false) return null
  throw new InvalidValue(
    `Invalid value for parameter rounding_method: ${JSON.stringify(value)?.slice(0, 80)}`,
  )
}

function idOf(name: string, value: unknown): number | null {
  if (value === null || value === false) return null
  if (isInteger(value)) return value
  throw new InvalidValue(`Invalid value for parameter ${name}: ${JSON.stringify(value)?.slice(0, 80)}`)
}

/** Taxes as the caller may read them: with their rights, names in the language of the partner. */
async function named(taxes: Records<'account.tax'>, lang: string | null) {
  const set = lang ? taxes.withContext({ lang }) : taxes
  const rows = await set.load(['name', 'sequence', 'analytic', 'tax_exigibility'])
  return new Map(rows.map((row) => [row.id, row]))
}

type TaxRow = NonNullable<ReturnType<Awaited<ReturnType<typeof named>>['get']>>

async function languageOf(env: Environment, partner: unknown): Promise<string | null> {
  const id = idOf('partner', partner)
  return id === null ? null : (await env.model('res.partner').browse([id]).one(['lang'])).lang
}

function companyOf(env: Environment, id: number) {
  return env
    .sudo()
    .model('res.company')
    .browse([id])
    .one(['currency_id.rounding', 'tax_calculation_rounding_method'])
}

async function roundingOf(env: Environment, currency: unknown, fallback: number): Promise<number> {
  const id = idOf('currency', currency)
  return id === null ? fallback : (await env.model('res.currency').browse([id]).one(['rounding'])).rounding
}

interface Repartition {
  readonly id: number
  readonly factor_percent: number
  readonly account_id: { readonly id: number } | null
  readonly use_in_tax_closing: boolean
}

/** The parts of taxes on invoices or refunds, by tax. */
async function partsOf(
  env: Environment,
  taxes: readonly number[],
  refund: boolean,
): Promise<Map<number, Repartition[]>> {
  const lines = await env
    .sudo()
    .model('account.tax.repartition.line')
    .search([
      ['tax_id', 'in', [...taxes]],
      ['repartition_type', '=', 'tax'],
      ['document_type', '=', refund ? 'refund' : 'invoice'],
    ])
  const rows = await lines.load(['tax_id', 'factor_percent', 'account_id', 'use_in_tax_closing'])
  return Map.groupBy(rows, (row) => row.tax_id?.id ?? 0)
}
