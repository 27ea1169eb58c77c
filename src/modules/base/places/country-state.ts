// States of countries (res.country.state), called "Name (CC)".

import { char, computed, implement, many2one, model, type Of } from '#models'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { codeFirst, isNegative, positive, textsOf } from '../contacts/search-names.ts'

const state = model('res.country.state', {
  label: 'Country state',
  formsBySaving: true,
  order: 'code, id',
  rules: {
    name_code_uniq: {
      unique: ['country_id', 'code'],
      message: 'The code of the state must be unique by country!',
    },
  },
  fields: {
    country_id: many2one('res.country', {
      label: 'Country',
      required: true,
      ondelete: 'restrict',
      index: true,
    }),
    name: char({
      label: 'State Name',
      required: true,
      help: 'A part of a country, such as a federal state, a canton, a department.',
    }),
    code: char({ label: 'State Code', required: true, help: 'The code of the state.' }),
  },
})

declare module '#models' {
  interface Models {
    'res.country.state': CountryState
  }
  interface CountryState extends Of<typeof state> {}
}

const WITH_COUNTRY = /^(.+) \((\w{2})\)$/

const nameWithCountry = computed(
  state,
  ['name', 'country_id.code'],
  (s) => `${s.name} (${s.country_id.code})`,
  {
    sql: (scope) => {
      const country = scope.model.fields.get('country_id')
      return country
        ? sql`(${scope.column('name')} || ' (' || ${scope.join(country).column('code')} || ')')`
        : null
    },
    /** By name, by code, or by the whole "Name (CC)". */
    search: (operator, value) => {
      const plain = positive(operator)
      const domain: unknown[] = ['|', ['name', plain, value], ['code', plain, value]]
      for (const text of textsOf(value)) {
        const whole = WITH_COUNTRY.exec(text)
        if (!whole) continue
        const byName = ['name', plain === 'in' ? '=' : plain, whole[1]]
        domain.unshift('|')
        domain.push('&', byName, ['country_id.code', '=', present(whole[2]).toUpperCase()])
      }
      return isNegative(operator) ? ['!', ...domain] : domain
    },
  },
)

export default implement(state, {
  displayName: nameWithCountry,
  wrapGeneric: { name_search: codeFirst(1, 3) },
})
