// Privileges (res.groups.privilege): headings under which groups stand, such as "Role" of "Role / User".
import { char, implement, integer, many2one, model, type Of, one2many, text } from '#models'

const privilege = model('res.groups.privilege', {
  label: 'Privileges',
  order: 'sequence, name, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    description: text({ label: 'Description', translate: true }),
    placeholder: char({ label: 'Placeholder', default: 'No', translate: true }),
    sequence: integer({ label: 'Sequence', default: 100 }),
    category_id: many2one('ir.module.category', { label: 'Category', index: true }),
    group_ids: one2many('res.groups', 'privilege_id', { label: 'Groups' }),
  },
})

declare module '#models' {
  interface Models {
    'res.groups.privilege': Privilege
  }
  interface Privilege extends Of<typeof privilege> {}
}

export default implement(privilege)
