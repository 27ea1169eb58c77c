// Server actions (ir.actions.server): what scheduled jobs delegate to. Kept as records; nothing runs their code.
import { char, html, implement, integer, many2many, many2one, model, type Of, selection, text } from '#models'
import { bindingTypes } from './ir-actions.ts'

const states = {
  object_write: 'Update Record',
  object_create: 'Create Record',
  object_copy: 'Duplicate Record',
  code: 'Execute Code',
  webhook: 'Send Webhook Notification',
  multi: 'Multi Actions',
} as const

const serverAction = model('ir.actions.server', {
  label: 'Server Actions',
  table: 'ir_act_server',
  order: 'sequence, name, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    type: char({ label: 'Action Type', required: true, default: 'ir.actions.server' }),
    path: char({ label: 'Path to show in the URL' }),
    help: html({ label: 'Action Description', translate: true }),
    usage: selection(
      { ir_actions_server: 'Server Action', ir_cron: 'Scheduled Action' },
      { label: 'Usage', required: true, default: 'ir_actions_server' },
    ),
    state: selection(states, { label: 'Type', required: true, default: 'object_write' }),
    sequence: integer({ label: 'Sequence', default: 5 }),
    model_id: many2one('ir.model', { label: 'Model', required: true, ondelete: 'cascade', index: true }),
    model_name: char({ label: 'Model Name', related: 'model_id.model' }),
    code: text({ label: 'Code' }),
    group_ids: many2many('res.groups', {
      label: 'Allowed Groups',
      relation: { table: 'ir_act_server_group_rel', column: 'act_id', other: 'gid' },
    }),
    binding_model_id: many2one('ir.model', { label: 'Binding Model', ondelete: 'cascade' }),
    binding_type: selection(bindingTypes, { label: 'Binding Type', required: true, default: 'action' }),
    binding_view_types: char({ label: 'Binding View Types', default: 'list,form' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.server': ServerAction
  }
  interface ServerAction extends Of<typeof serverAction> {}
}

export default implement(serverAction)
