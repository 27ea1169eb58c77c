// Fields as records (ir.model.fields): filled from the registry when a database is installed.
import { fieldTypes } from '#engine'
import {
  alike,
  boolean,
  char,
  computed,
  computedFields,
  type Environment,
  implement,
  integer,
  type ModelName,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  required,
  returns,
  selection,
  text,
} from '#models'
import { unknownModel } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { fieldWraps } from './ir-model-fields-custom.ts'

/** Field types as clients see them. */
const kinds = Object.fromEntries(
  Object.keys(fieldTypes)
    .sort()
    .map((kind) => [kind, kind]),
)

const ofModel = required<string>('string', { annotation: 'str' })

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
    sanitize_overridable: boolean({ label: 'Sanitize HTML overridable' }),
    sanitize_tags: boolean({ label: 'Sanitize HTML Tags', default: true }),
    sanitize_attributes: boolean({ label: 'Sanitize HTML Attributes', default: true }),
    sanitize_style: boolean({ label: 'Sanitize HTML Style' }),
    sanitize_form: boolean({ label: 'Sanitize HTML Form', default: true }),
    strip_style: boolean({ label: 'Strip Style Attribute' }),
    strip_classes: boolean({ label: 'Strip Class Attribute' }),
    group_expand: boolean({ label: 'Expand Groups' }),
    selectable: boolean({ label: 'Selectable', default: true }),
    related_field_id: many2one('ir.model.fields', {
      label: 'Related Field',
      computed: true,
      asStored: true,
    }),
    relation_field_id: many2one('ir.model.fields', {
      label: 'Relation field',
      computed: true,
      asStored: true,
    }),
  },
  methods: {
    get_field_string: {
      doc: 'Labels of the fields of a model that the caller may read, in their language.',
      level: 'model',
      readonly: true,
      params: { model_name: ofModel },
      returns: returns<object>('object', 'dict'),
    },
    get_field_help: {
      doc: 'Help texts of the fields of a model that the caller may read, in their language.',
      level: 'model',
      readonly: true,
      params: { model_name: ofModel },
      returns: returns<object>('object', 'dict'),
    },
    get_field_selection: {
      doc: 'Options of a field that the caller may read: pairs of key and label, in their language.',
      level: 'model',
      readonly: true,
      params: { model_name: ofModel, field_name: required<string>('string', { annotation: 'str' }) },
      returns: returns<unknown[]>('array', 'list[tuple[str, str]]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.model.fields': IrModelField
  }
  interface IrModelField extends Of<typeof field> {}
}

type Shown = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Fields of a model as `fields_get` describes them to the caller. */
async function shownFields(env: Environment, name: string, attribute: string): Promise<Shown> {
  const def = env.unit.registry.get(name)
  if (!def) throw unknownModel(name)
  const params = { attributes: [attribute] }
  return (await env.model(def.name as ModelName).invoke('fields_get', params)) as Shown
}

/** One attribute of the fields of a model, by their names. */
async function attributesOf(env: Environment, name: string, attribute: 'string' | 'help'): Promise<object> {
  const fields = Object.entries(await shownFields(env, name, attribute))
  return Object.fromEntries(fields.map(([field, shown]) => [field, shown[attribute] ?? false]))
}

/** The rows of the field at the end of a related path, and of the inverse of a one2many. */
const linkedFields = computedFields(
  field,
  ['related_field_id', 'relation_field_id'],
  ['model', 'related', 'relation', 'relation_field'],
  async (rows, env) => {
    const { registry } = env.unit
    const ends = rows.map((row) => ({
      id: row.id,
      related: row.related ? endOf(registry, row.model, row.related.split('.')) : null,
      inverse: row.relation && row.relation_field ? `${row.relation} ${row.relation_field}` : null,
    }))
    const named = ends.flatMap(({ related, inverse }) => [related, inverse].filter((name) => name !== null))
    const links = await env.rows(
      sql`SELECT model || ' ' || name, id FROM ir_model_fields WHERE model || ' ' || name = ANY(${named}::text[])`,
      { reads: ['ir.model.fields'], row: ['text', 'int'] },
    )
    const ids = new Map(links)
    return new Map(
      ends.map(({ id, related, inverse }) => [
        id,
        { related_field_id: ids.get(related ?? ''), relation_field_id: ids.get(inverse ?? '') },
      ]),
    )
  },
)

type Registry = Environment['unit']['registry']

/** Model and name of the field that a path leads to; null where it leads to none. */
function endOf(registry: Registry, model: string, path: readonly string[]): string | null {
  const [name = '', ...rest] = path
  const declared = registry.get(model)?.fields.get(name)
  if (!declared) return null
  if (rest.length === 0) return `${declared.model.name} ${name}`
  return declared.comodel ? endOf(registry, declared.comodel.name, rest) : null
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
    ...linkedFields,
    compute: computed(field, [], () => null),
    selection: computed(field, ['selection_ids.value', 'selection_ids.name'], (f) =>
      f.selection_ids.length ? JSON.stringify(f.selection_ids.map(({ value, name }) => [value, name])) : null,
    ),
  },
  methods: {
    get_field_string: ({ env }, { model_name }) => attributesOf(env, model_name, 'string'),
    get_field_help: ({ env }, { model_name }) => attributesOf(env, model_name, 'help'),
    get_field_selection: async ({ env }, { model_name, field_name }) => {
      const { selection: options } = (await shownFields(env, model_name, 'selection'))[field_name] ?? {}
      return Array.isArray(options) ? options : []
    },
  },
  wrapWrite: alike(fieldWraps.write),
  wrapGeneric: { create: fieldWraps.create, unlink: fieldWraps.unlink },
})
