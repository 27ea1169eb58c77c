// Configuration wizards that wait to be run (ir.actions.todo).
import { char, implement, integer, many2one, model, type Of, returns, selection } from '#models'
import { assertAllowed, assertAllowedAndExisting } from '../rights/refusal.ts'
import { actionMethod } from '../shown.ts'

const todo = model('ir.actions.todo', {
  label: 'Configuration Wizards',
  order: 'sequence, id',
  recName: 'action_id',
  fields: {
    action_id: many2one('ir.actions.actions', {
      label: 'Action',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    name: char({ label: 'Name' }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    state: selection({ open: 'To Do', done: 'Done' }, { label: 'Status', required: true, default: 'open' }),
  },
  methods: {
    action_launch: actionMethod('Marks the wizard as done and returns its action.'),
    ensure_one_open_todo: {
      doc: 'Leaves the first of the open wizards open, and marks the others as done.',
      level: 'model',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.todo': Todo
  }
  interface Todo extends Of<typeof todo> {}
}

export default implement(todo, {
  methods: {
    action_launch: async (todos) => {
      await assertAllowedAndExisting(todos, 'write')
      const { action_id: action } = await todos.one(['action_id.type'])
      await todos.write({ state: 'done' })
      return { type: action.type, id: action.id }
    },
    ensure_one_open_todo: async (todos) => {
      await assertAllowed(todos, 'write')
      const { ids } = await todos.search([['state', '=', 'open']])
      if (ids.length > 1) await todos.browse(ids.slice(1)).write({ state: 'done' })
      return null
    },
  },
})
