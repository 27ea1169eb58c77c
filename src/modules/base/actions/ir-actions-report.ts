// Reports (ir.actions.report): what can be printed of which model; clients list them.
import { boolean, char, html, implement, many2many, many2one, model, type Of, selection } from '#models'
import { bindingTypes } from './ir-actions.ts'

const report = model('ir.actions.report', {
  label: 'Report Action',
  table: 'ir_act_report_xml',
  order: 'name, id',
  fields: {
    name: char({ label: 'Action Name', required: true, translate: true }),
    type: char({ label: 'Action Type', required: true, default: 'ir.actions.report' }),
    path: char({ label: 'Path to show in the URL' }),
    help: html({ label: 'Action Description', translate: true }),
    model: char({ label: 'Model Name', required: true }),
    model_id: many2one('ir.model', { label: 'Model', asStored: false, ondelete: 'cascade' }),
    report_name: char({ label: 'Template Name', required: true }),
    report_type: selection(
      { 'qweb-html': 'HTML', 'qweb-pdf': 'PDF', 'qweb-text': 'Text' },
      {
        label: 'Report Type',
        required: true,
        default: 'qweb-pdf',
      },
    ),
    report_file: char({ label: 'Report File' }),
    print_report_name: char({ label: 'Printed Report Name', translate: true }),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'res_groups_report_rel', column: 'uid', other: 'gid' },
    }),
    multi: boolean({ label: 'On Multiple Doc.' }),
    attachment: char({ label: 'Save as Attachment Prefix' }),
    attachment_use: boolean({ label: 'Reload from Attachment' }),
    domain: char({ label: 'Filter domain' }),
    binding_model_id: many2one('ir.model', { label: 'Binding Model', ondelete: 'cascade' }),
    binding_type: selection(bindingTypes, { label: 'Binding Type', required: true, default: 'report' }),
    binding_view_types: char({ label: 'Binding View Types', default: 'list,form' }),
  },
})

declare module '#models' {
  interface Models {
    'ir.actions.report': Report
  }
  interface Report extends Of<typeof report> {}
}

export default implement(report)
