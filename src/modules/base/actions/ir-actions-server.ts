// Server actions (ir.actions.server): what scheduled jobs delegate to. They call methods by name; nothing
// evaluates their code.
import {
  char,
  html,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  returns,
  selection,
  text,
} from '#models'
import { AccessError } from '../../../errors.ts'
import { assertNoneMissing } from '../rights/refusal.ts'
import { bindingTypes } from './ir-actions.ts'
import { runAction } from './ir-actions-server-run.ts'

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
  methods: {
    run: {
      doc: 'Calls the method that the code names, on the model or on the records of `active_ids`, with the rights of the caller.',
      params: {},
      returns: returns<unknown>('any', 'dict | bool', 'The action that the method answers, else false'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.server': ServerAction
  }
  interface ServerAction extends Of<typeof serverAction> {}
}

export default implement(serverAction, {
  methods: {
    /**
     * Throws AccessError for callers in none of the action's groups, UserError for what is not a call of a
     * public method.
     */
    run: async (actions) => {
      const { env } = actions
      let result: unknown = false
      const rows = await actions.sudo().load(['name', 'group_ids'])
      assertNoneMissing(actions, rows)
      for (const { id, name, group_ids } of rows) {
        const groups = group_ids.map((group) => group.id)
        const allowed = groups.length
          ? groups.some((group) => env.user.groupIds.includes(group))
          : env.hasGroup('base.group_system')
        if (!env.su && !allowed) throw new AccessError(`You are not allowed to run the action "${name}".`)
        result = await runAction(env, id)
      }
      return result
    },
  },
})
