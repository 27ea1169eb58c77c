// Views (ir.ui.view): descriptions of screens. This server draws none; the table is there for clients that
// list or reference them.
import {
  boolean,
  char,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  selection,
  text,
} from '#models'

const kinds = {
  list: 'List',
  form: 'Form',
  graph: 'Graph',
  pivot: 'Pivot',
  calendar: 'Calendar',
  kanban: 'Kanban',
  search: 'Search',
  qweb: 'QWeb',
} as const

const view = model('ir.ui.view', {
  label: 'View',
  order: 'priority, name, id',
  fields: {
    name: char({ label: 'View Name', required: true }),
    model: char({ label: 'Model', index: true }),
    key: char({ label: 'Key', index: true }),
    priority: integer({ label: 'Sequence', required: true, default: 16 }),
    type: selection(kinds, { label: 'View Type' }),
    arch_db: text({ label: 'Arch Blob', translate: true }),
    inherit_id: many2one('ir.ui.view', { label: 'Inherited View', ondelete: 'restrict', index: true }),
    inherit_children_ids: one2many('ir.ui.view', 'inherit_id', {
      label: 'Views which inherit from this one',
    }),
    mode: selection(
      { primary: 'Base view', extension: 'Extension View' },
      { label: 'View inheritance mode', required: true, default: 'primary' },
    ),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'ir_ui_view_group_rel', column: 'view_id', other: 'group_id' },
    }),
    active: boolean({ label: 'Active', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.ui.view': View
  }
  interface View extends Of<typeof view> {}
}

export default implement(view)
