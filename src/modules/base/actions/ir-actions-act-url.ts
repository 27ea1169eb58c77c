// Actions that open an address (ir.actions.act_url).
import { char, html, implement, many2one, model, type Of, selection, text } from '#models'
import { bindingTypes } from './ir-actions.ts'

const urlAction = model('ir.actions.act_url', {
  label: 'Action URL',
  table: 'ir_act_url',
  order: 'name, id',
  fields: {
    name: char({ label: 'Action Name', required: true, translate: true }),
    type: char({ label: 'Action Type', required: true, default: 'ir.actions.act_url' }),
    path: char({ label: 'Path to show in the URL' }),
    help: html({ label: 'Action Description', translate: true }),
    url: text({ label: 'Action URL', required: true }),
    target: selection(
      { new: 'New Window', self: 'This Window', download: 'Download' },
      { label: 'Action Target', required: true, default: 'new' },
    ),
    binding_model_id: many2one('ir.model', { label: 'Binding Model', ondelete: 'cascade' }),
    binding_type: selection(bindingTypes, { label: 'Binding Type', required: true, default: 'action' }),
    binding_view_types: char({ label: 'Binding View Types', default: 'list,form' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.act_url': UrlAction
  }
  interface UrlAction extends Of<typeof urlAction> {}
}

export default implement(urlAction)
