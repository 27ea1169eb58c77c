// Groups of countries (res.country.group): unions and zones.
import { char, implement, many2many, model, type Of } from '#models'

const group = model('res.country.group', {
  label: 'Country Group',
  dictionary: true,
  order: 'name, id',
  rules: { code_uniq: { unique: ['code'], message: 'The country group code must be unique!' } },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    code: char({ label: 'Code', copy: false }),
    country_ids: many2many('res.country', { label: 'Countries' }),
    exclude_state_ids: many2many('res.country.state', {
      label: 'Fiscal Exceptions',
      help: 'States of these countries that the group leaves out.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'res.country.group': CountryGroup
  }
  interface CountryGroup extends Of<typeof group> {}
}

export default implement(group, {
  prepare(vals) {
    if (typeof vals.code === 'string') vals.code = vals.code.toUpperCase()
  },
})
