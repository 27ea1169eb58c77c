// Actions that open records in views (ir.actions.act_window).
import {
  boolean,
  char,
  html,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  selection,
} from '#models'
import { bindingTypes } from './ir-actions.ts'

const windowAction = model('ir.actions.act_window', {
  label: 'Action Window',
  table: 'ir_act_window',
  order: 'name, id',
  fields: {
    name: char({ label: 'Action Name', required: true, translate: true }),
    type: char({ label: 'Action Type', required: true, default: 'ir.actions.act_window' }),
    path: char({ label: 'Path to show in the URL' }),
    help: html({ label: 'Action Description', translate: true }),
    view_id: many2one('ir.ui.view', { label: 'View Ref.', ondelete: 'set null' }),
    domain: char({ label: 'Domain Value' }),
    context: char({ label: 'Context Value', required: true, default: '{}' }),
    res_id: integer({ label: 'Record ID' }),
    res_model: char({ label: 'Destination Model', required: true }),
    target: selection(
      {
        current: 'Current Window',
        new: 'New Window',
        fullscreen: 'Full Screen',
        main: 'Main action of Current Window',
      },
      {
        label: 'Target Window',
        default: 'current',
      },
    ),
    view_mode: char({ label: 'View Mode', required: true, default: 'list,form' }),
    mobile_view_mode: char({ label: 'Mobile View Mode', default: 'kanban' }),
    usage: char({ label: 'Action Usage' }),
    limit: integer({ label: 'Limit', default: 80 }),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'ir_act_window_group_rel', column: 'act_id', other: 'gid' },
    }),
    search_view_id: many2one('ir.ui.view', { label: 'Search View Ref.' }),
    filter: boolean({ label: 'Filter' }),
    cache: boolean({ label: 'Data Caching', default: true }),
    binding_model_id: many2one('ir.model', { label: 'Binding Model', ondelete: 'cascade' }),
    binding_type: selection(bindingTypes, { label: 'Binding Type', required: true, default: 'action' }),
    binding_view_types: char({ label: 'Binding View Types', default: 'list,form' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.act_window': WindowAction
  }
  interface WindowAction extends Of<typeof windowAction> {}
}

export default implement(windowAction)
