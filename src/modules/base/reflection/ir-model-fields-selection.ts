// Options of selection fields as records (ir.model.fields.selection): filled from the registry when a
// database is installed.
import { alike, char, implement, integer, many2one, model, type Of } from '#models'
import { optionWraps } from './ir-model-fields-custom.ts'

const option = model('ir.model.fields.selection', {
  label: 'Fields Selection',
  order: 'sequence, id',
  rules: {
    selection_field_uniq: {
      unique: ['field_id', 'value'],
      message: 'Selections values must be unique per field',
    },
  },
  fields: {
    field_id: many2one('ir.model.fields', {
      label: 'Field',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    value: char({ label: 'Value', required: true }),
    name: char({ label: 'Name', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 1000 }),
  },
})

declare module '#models' {
  interface Models {
    'ir.model.fields.selection': IrModelFieldOption
  }
  interface IrModelFieldOption extends Of<typeof option> {}
}

export default implement(option, {
  wrapWrite: alike(optionWraps.write),
  wrapGeneric: { create: optionWraps.create, unlink: optionWraps.unlink },
})
