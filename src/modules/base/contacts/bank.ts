// Banks (res.bank), called "name - BIC".
import { boolean, char, computed, implement, many2one, model, type Of } from '#models'
import { sql } from '../../../sql/index.ts'
import { placeChanges } from '../places/place-changes.ts'
import { isNegative, positive, textsOf } from './search-names.ts'

const bank = model('res.bank', {
  label: 'Bank',
  formsBySaving: true,
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    street: char({ label: 'Street' }),
    street2: char({ label: 'Street2' }),
    zip: char({ label: 'Zip' }),
    city: char({ label: 'City' }),
    state: many2one('res.country.state', { label: 'Fed. State' }),
    country: many2one('res.country', { label: 'Country' }),
    country_code: char({ label: 'Country Code', related: 'country.code' }),
    email: char({ label: 'Email' }),
    phone: char({ label: 'Phone' }),
    active: boolean({ label: 'Active', default: true }),
    bic: char({ label: 'Bank Identifier Code', index: true, help: 'Sometimes called BIC or Swift.' }),
  },
})

declare module '#models' {
  interface Models {
    'res.bank': Bank
  }
  interface Bank extends Of<typeof bank> {}
}

const nameWithBic = computed(bank, ['name', 'bic'], ({ name, bic }) => (bic ? `${name} - ${bic}` : name), {
  sql: (scope) => sql`(${scope.column('name')} || COALESCE(' - ' || NULLIF(${scope.column('bic')}, ''), ''))`,
  /** By name, or by what the BIC starts with. */
  search: (operator, value) => {
    const plain = positive(operator)
    const byBic =
      plain === 'ilike' || plain === 'like'
        ? textsOf(value).map((text) => ['bic', '=ilike', `${text}%`])
        : [['bic', plain, value]]
    const domain: unknown[] = [...byBic.map(() => '|'), ['name', plain, value], ...byBic]
    return isNegative(operator) ? ['!', ...domain] : domain
  },
})

export default implement(bank, {
  displayName: nameWithBic,
  prepare(vals) {
    if (typeof vals.bic === 'string') vals.bic = vals.bic.toUpperCase()
  },
  onchange: placeChanges('country', 'state'),
})
