// Actions (ir.actions.actions): what a client can be asked to open; each type has a model of its own.
import { char, html, implement, many2one, model, type Of, selection } from '#models'

/** Where an action is offered. */
export const bindingTypes = { action: 'Action', report: 'Report' } as const

const action = model('ir.actions.actions', {
  label: 'Actions',
  table: 'ir_actions',
  order: 'name, id',
  rules: {
    path_unique: {
      unique: ['path'],
      message: 'Path to show in the URL must be unique! Please choose another one.',
    },
  },
  fields: {
    name: char({ label: 'Action Name', required: true, translate: true }),
    type: char({ label: 'Action Type', required: true, default: 'ir.actions.actions' }),
    path: char({ label: 'Path to show in the URL' }),
    help: html({ label: 'Action Description', translate: true }),
    binding_model_id: many2one('ir.model', { label: 'Binding Model', ondelete: 'cascade' }),
    binding_type: selection(bindingTypes, { label: 'Binding Type', required: true, default: 'action' }),
    binding_view_types: char({ label: 'Binding View Types', default: 'list,form' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.actions': Action
  }
  interface Action extends Of<typeof action> {}
}

export default implement(action)
