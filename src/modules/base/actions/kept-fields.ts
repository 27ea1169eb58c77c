// Fields of actions that are kept for clients and migrations: this server runs actions of the type "code"
// alone, and shows no views.
import {
  boolean,
  char,
  extend,
  html,
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

const view = model('ir.actions.act_window.view', {
  label: 'Action Window View',
  table: 'ir_act_window_view',
  order: 'sequence, id',
  recName: 'view_id',
  fields: {
    act_window_id: many2one('ir.actions.act_window', { label: 'Action', ondelete: 'cascade', index: true }),
    sequence: integer({ label: 'Sequence' }),
    view_id: many2one('ir.ui.view', { label: 'View' }),
    view_mode: selection(
      {
        list: 'List',
        form: 'Form',
        graph: 'Graph',
        pivot: 'Pivot',
        calendar: 'Calendar',
        kanban: 'Kanban',
      },
      { label: 'View Type', required: true },
    ),
    multi: boolean({ label: 'On Multiple Doc.' }),
  },
})

const opening = extend('ir.actions.act_window', {
  fields: { view_ids: one2many('ir.actions.act_window.view', 'act_window_id', { label: 'No of Views' }) },
})

const server = extend('ir.actions.server', {
  fields: {
    automated_name: char({ label: 'Automated Name', readonly: true }),
    parent_id: many2one('ir.actions.server', { label: 'Parent Action', ondelete: 'cascade', index: true }),
    child_ids: one2many('ir.actions.server', 'parent_id', { label: 'Child Actions' }),
    ir_cron_ids: one2many('ir.cron', 'ir_actions_server_id', { label: 'Scheduled Action' }),
    crud_model_id: many2one('ir.model', { label: 'Record to Create', ondelete: 'set null' }),
    link_field_id: many2one('ir.model.fields', { label: 'Link Field', ondelete: 'set null' }),
    evaluation_type: selection(
      { value: 'Update', sequence: 'Sequence', equation: 'Compute' },
      { label: 'Value Type', default: 'value' },
    ),
    value: text({ label: 'Value' }),
    html_value: html({ label: 'Html Value' }),
    selection_value: many2one('ir.model.fields.selection', { label: 'Custom Value', ondelete: 'set null' }),
    sequence_id: many2one('ir.sequence', { label: 'Sequence to use', ondelete: 'set null' }),
    update_path: char({ label: 'Field to Update Path' }),
    update_field_id: many2one('ir.model.fields', { label: 'Field to Update', ondelete: 'set null' }),
    update_related_model_id: many2one('ir.model', { label: 'Update Related Model', ondelete: 'set null' }),
    update_boolean_value: selection(
      { true: 'Yes (True)', false: 'No (False)' },
      { label: 'Boolean Value', default: 'true' },
    ),
    update_m2m_operation: selection(
      { add: 'Adding', remove: 'Removing', set: 'Setting it to', clear: 'Clearing it' },
      { label: 'Many2many Operations', default: 'add' },
    ),
    webhook_url: char({ label: 'Webhook URL' }),
    webhook_field_ids: many2many('ir.model.fields', { label: 'Webhook Fields' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.act_window.view': WindowView
  }
  interface WindowView extends Of<typeof view> {}
  interface WindowAction extends Of<typeof opening> {}
  interface ServerAction extends Of<typeof server> {}
}

export const keptFields = [implement(view), implement(opening), implement(server)] as const
