// Fields as records (ir.model.fields): filled from the registry when a database is installed.
import { fieldTypes } from '#engine'
import {
  alike,
  boolean,
  char,
  computed,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  selection,
  text,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { fieldWraps } from './ir-model-fields-custom.ts'

/** Field types as clients see them. */
const kinds = Object.fromEntries(
  Object.keys(fieldTypes)
    .sort()
    .map((kind) => [kind, kind]),
)

const field = model('ir.model.fields', {
  label: 'Fields',
  order: 'name, id',
  recName: 'field_description',
  recNamesSearch: ['field_description', 'name'],
  rules: { name_unique: { unique: ['model', 'name'], message: 'Field names must be unique per model.' } },
  fields: {
    name: char({ label: 'Field Name', required: true, default: 'x_', index: true }),
    complete_name: char({ label: 'Complete Name' }),
    model: char({ label: 'Model Name', required: true, index: true }),
    model_id: many2one('ir.model', { label: 'Model', required: true, index: true, ondelete: 'cascade' }),
    relation: char({ label: 'Related Model' }),
    relation_field: char({ label: 'Inverse Field' }),
    relation_table: char({ label: 'Link Table' }),
    column1: char({ label: 'Column 1' }),
    column2: char({ label: 'Column 2' }),
    field_description: char({ label: 'Field Label', required: true, default: '', translate: true }),
    help: text({ label: 'Field Help', translate: true }),
    ttype: selection(kinds, { label: 'Field Type', required: true }),
    selection: char({ label: 'Selection Options (Deprecated)', computed: true }),
    selection_ids: one2many('ir.model.fields.selection', 'field_id', { label: 'Selection Options' }),
    copied: boolean({ label: 'Copied' }),
    related: char({ label: 'Related Field Definition' }),
    required: boolean({ label: 'Required' }),
    readonly: boolean({ label: 'Readonly' }),
    index: boolean({ label: 'Indexed' }),
    translate: selection({ standard: 'Translate as a whole' }, { label: 'Translatable' }),
    company_dependent: boolean({ label: 'Company Dependent' }),
    size: integer({ label: 'Size' }),
    state: selection(
      { manual: 'Custom Field', base: 'Base Field' },
      { label: 'Type', required: true, readonly: true, default: 'manual', index: true },
    ),
    on_delete: selection(
      { cascade: 'Cascade', 'set null': 'Set NULL', restrict: 'Restrict' },
      { label: 'On Delete' },
    ),
    domain: char({ label: 'Domain', default: '[]' }),
    groups: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'ir_model_fields_group_rel', column: 'field_id', other: 'group_id' },
    }),
    modules: char({ label: 'In Apps', asStored: false }),
    depends: char({ label: 'Dependencies' }),
    compute: text({
      label: 'Compute',
      asStored: true,
      computed: true,
      help: 'Empty: what computes a field is part of a module, and no code of the database is run.',
    }),
    store: boolean({ label: 'Stored', default: true }),
    currency_field: char({ label: 'Currency field' }),
    sanitize: boolean({ label: 'Sanitize HTML', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'ir.model.fields': IrModelField
  }
  interface IrModelField extends Of<typeof field> {}
}

export default implement(field, {
  displayName: computed(
    field,
    ['field_description', 'model_id.name'],
    (f) => `${f.field_description} (${f.model_id.name})`,
    {
      sql: (scope) =>
        sql`(${scope.path('field_description')} || ' (' || ${scope.path('model_id.name')} || ')')`,
      search: (operator, value) => {
        const negative = operator.startsWith('not') || operator === '!='
        return [negative ? '&' : '|', ['field_description', operator, value], ['name', operator, value]]
      },
    },
  ),
  computed: {
    compute: computed(field, [], () => null),
    selection: computed(field, ['selection_ids.value', 'selection_ids.name'], (f) =>
      f.selection_ids.length ? JSON.stringify(f.selection_ids.map(({ value, name }) => [value, name])) : null,
    ),
  },
  wrapWrite: alike(fieldWraps.write),
  wrapGeneric: { create: fieldWraps.create, unlink: fieldWraps.unlink },
})
