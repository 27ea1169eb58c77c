// Industries (res.partner.industry): what a contact's business is about.
import { boolean, char, implement, model, type Of } from '#models'

const industry = model('res.partner.industry', {
  label: 'Industry',
  dictionary: true,
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', translate: true }),
    full_name: char({ label: 'Full Name', translate: true }),
    active: boolean({ label: 'Active', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'res.partner.industry': Industry
  }
  interface Industry extends Of<typeof industry> {}
}

export default implement(industry)
