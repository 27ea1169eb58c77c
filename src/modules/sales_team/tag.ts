// Tags of sales documents (crm.tag): free words with a colour.
import { char, implement, integer, model, type Of } from '#models'

const tag = model('crm.tag', {
  label: 'CRM Tag',
  dictionary: true,
  order: 'name, id',
  rules: { name_uniq: { unique: ['name'], message: 'A tag with this name exists already.' } },
  fields: {
    name: char({ label: 'Tag Name', required: true, translate: true }),
    color: integer({ label: 'Color' }),
  },
})

declare module '#models' {
  interface Models {
    'crm.tag': CrmTag
  }
  interface CrmTag extends Of<typeof tag> {}
}

export default implement(tag, { defaults: { color: () => 1 + Math.floor(Math.random() * 11) } })
