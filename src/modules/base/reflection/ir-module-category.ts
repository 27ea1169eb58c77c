// Categories of modules (ir.module.category): a tree under which modules and privileges are listed.
import { boolean, char, implement, integer, many2one, model, type Of, one2many, text } from '#models'

const category = model('ir.module.category', {
  label: 'Application',
  order: 'sequence, name, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true, index: true }),
    parent_id: many2one('ir.module.category', { label: 'Parent Application', index: true }),
    child_ids: one2many('ir.module.category', 'parent_id', { label: 'Child Applications' }),
    module_ids: one2many('ir.module.module', 'category_id', { label: 'Modules' }),
    privilege_ids: one2many('res.groups.privilege', 'category_id', { label: 'Privileges' }),
    description: text({ label: 'Description', translate: true }),
    sequence: integer({ label: 'Sequence' }),
    visible: boolean({ label: 'Visible', default: true }),
    exclusive: boolean({ label: 'Exclusive' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.module.category': ModuleCategory
  }
  interface ModuleCategory extends Of<typeof category> {}
}

export default implement(category)
