// Configuration wizards that wait to be run (ir.actions.todo).
import { implement, integer, many2one, model, type Of, selection } from '#models'

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
    sequence: integer({ label: 'Sequence', default: 10 }),
    state: selection({ open: 'To Do', done: 'Done' }, { label: 'Status', required: true, default: 'open' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.todo': Todo
  }
  interface Todo extends Of<typeof todo> {}
}

export default implement(todo)
