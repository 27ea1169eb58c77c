// Groups of countries know the pricelists that are for them.
import { extend, implement, many2many, type Of } from '#models'
import { listCountries } from './pricelist.ts'
import { turned } from './tag.ts'

const group = extend('res.country.group', {
  fields: {
    pricelist_ids: many2many('product.pricelist', { label: 'Pricelists', relation: turned(listCountries) }),
  },
})

declare module '#models' {
  interface CountryGroup extends Of<typeof group> {}
}

export default implement(group)
