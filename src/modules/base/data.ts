// Data of contacts, geography, money and languages: what a new database begins with. The facts are in
// `data/*.json`.
import { type DataSet, type DataSetOf, type DataVals, type ModelName, ref } from '#models'
import { readData } from './data-files.ts'
import type { LanguageRow } from './places/lang-codes.ts'

interface CountryRow {
  readonly id: string
  readonly name: string
  readonly code: string
  readonly currency?: string
  readonly phone_code?: number
  readonly address_format?: string
  readonly vat_label?: string
  readonly state_required?: boolean
  readonly zip_required?: boolean
  readonly name_position?: 'before' | 'after'
}
interface StateRow {
  readonly id: string
  readonly country: string
  readonly name: string
  readonly code: string
}
interface CurrencyRow {
  readonly id: string
  readonly name: string
  readonly full_name: string
  readonly symbol: string
  readonly rounding: number
  readonly position: 'before' | 'after'
  readonly iso_numeric?: number
  readonly unit_label?: string
  readonly subunit_label?: string
  readonly active: boolean
}
interface GroupRow {
  readonly id: string
  readonly name: string
  readonly code?: string
  readonly countries: readonly string[]
}
interface IndustryRow {
  readonly id: string
  readonly name: string
  readonly full_name: string
}

/** A set from rows with an `id`: users may change these records, so that an upgrade leaves them alone. */
function setOf<N extends ModelName, R extends { readonly id: string }>(
  model: N,
  rows: readonly R[],
  values: (row: R) => DataVals<N>,
): DataSetOf<N> {
  return { model, noupdate: true, records: Object.fromEntries(rows.map((row) => [row.id, values(row)])) }
}

/** Clients know the US dollar as currency 1: it comes before the others. */
const currencyRows = readData<readonly CurrencyRow[]>('currencies').toSorted(
  (a, b) => Number(b.id === 'USD') - Number(a.id === 'USD'),
)

const currencies = setOf('res.currency', currencyRows, ({ id: _, unit_label, subunit_label, ...row }) => ({
  ...row,
  currency_unit_label: unit_label,
  currency_subunit_label: subunit_label,
}))

const mainPartner: DataSet = {
  model: 'res.partner',
  noupdate: true,
  records: { main_partner: { name: 'My Company', is_company: true, color: 1 } },
}

const mainCompany: DataSet = {
  model: 'res.company',
  noupdate: true,
  records: { main_company: { name: 'My Company', partner_id: ref('main_partner'), currency_id: ref('USD') } },
}

const languages = setOf('res.lang', readData<readonly LanguageRow[]>('languages'), ({ id: _, ...row }) => ({
  ...row,
  active: row.code === 'en_US',
}))

const countries = setOf(
  'res.country',
  readData<readonly CountryRow[]>('countries'),
  ({ id: _, currency, ...row }) => ({
    ...row,
    ...(currency ? { currency_id: ref(currency) } : {}),
  }),
)

const states = setOf(
  'res.country.state',
  readData<readonly StateRow[]>('states'),
  ({ name, code, country }) => ({
    name,
    code,
    country_id: ref(country),
  }),
)

const groups = setOf(
  'res.country.group',
  readData<readonly GroupRow[]>('country-groups'),
  ({ name, code, countries: members }): DataVals<'res.country.group'> => ({
    name,
    ...(code ? { code } : {}),
    country_ids: [[6, 0, members.map((country) => ref(country))]],
  }),
)

const industries = setOf(
  'res.partner.industry',
  readData<readonly IndustryRow[]>('industries'),
  ({ name, full_name }) => ({
    name,
    full_name,
  }),
)

const propertyDefinitions: DataSet = {
  model: 'properties.base.definition',
  noupdate: true,
  records: {
    properties_base_definition_res_partner: { properties_field_id: ref('field_res_partner__properties') },
  },
}

/** In the order of loading: the company is contact 1 and company 1. */
export const data: readonly DataSet[] = [
  currencies,
  mainPartner,
  mainCompany,
  languages,
  countries,
  states,
  groups,
  industries,
  propertyDefinitions,
]
