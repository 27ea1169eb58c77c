// Actions that clients show within others (ir.embedded.actions), and the saved searches that belong to them:
// kept for clients and migrations, as views are.
import {
  boolean,
  char,
  computed,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'

const embedded = model('ir.embedded.actions', {
  label: 'Embedded Actions',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', translate: true }),
    sequence: integer({ label: 'Sequence' }),
    parent_action_id: many2one('ir.actions.act_window', {
      label: 'Parent Action',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    parent_res_id: integer({ label: 'Active Parent Id' }),
    parent_res_model: char({ label: 'Active Parent Model', required: true }),
    action_id: many2one('ir.actions.actions', { label: 'Action', ondelete: 'cascade' }),
    python_method: char({ label: 'Method', help: 'The method of the parent model that answers an action.' }),
    user_id: many2one('res.users', {
      label: 'User',
      ondelete: 'cascade',
      help: 'User who can see it. Empty: all users.',
    }),
    default_view_mode: char({ label: 'Default View' }),
    domain: char({ label: 'Domain', default: '[]' }),
    context: char({ label: 'Context', default: '{}' }),
    filter_ids: one2many('ir.filters', 'embedded_action_id', { label: 'Filters' }),
    groups_ids: many2many('res.groups', { label: 'Groups' }),
    is_deletable: boolean({ label: 'Can Be Deleted', computed: true }),
    is_visible: boolean({ label: 'Is Visible', computed: true }),
  },
})

const filter = extend('ir.filters', {
  fields: {
    embedded_action_id: many2one('ir.embedded.actions', {
      label: 'Embedded Action',
      ondelete: 'cascade',
      index: 'set',
    }),
  },
})

declare module '#models' {
  interface Models {
    'ir.embedded.actions': EmbeddedAction
  }
  interface EmbeddedAction extends Of<typeof embedded> {}
  interface Filter extends Of<typeof filter> {}
}

export const embeddedActions = [
  implement(embedded, {
    computed: {
      is_deletable: computed(embedded, ['user_id'], (action) => action.user_id !== null),
      is_visible: computed(embedded, ['groups_ids', 'user_id'], ({ groups_ids, user_id }, env) => {
        const isFor = !user_id || user_id.id === env.uid
        return (
          isFor && (groups_ids.length === 0 || groups_ids.some(({ id }) => env.user.groupIds.includes(id)))
        )
      }),
    },
  }),
  implement(filter),
]
