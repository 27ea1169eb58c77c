// Views (ir.ui.view): descriptions of screens. This server draws none; the table is there for clients that
// list or reference them.
import {
  boolean,
  char,
  idsWhere,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  type Records,
  required,
  returns,
  selection,
  text,
} from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { assertAllowedAndExisting } from '../rights/refusal.ts'

const kinds = {
  list: 'List',
  form: 'Form',
  graph: 'Graph',
  pivot: 'Pivot',
  calendar: 'Calendar',
  kanban: 'Kanban',
  search: 'Search',
  qweb: 'QWeb',
} as const

const view = model('ir.ui.view', {
  label: 'View',
  order: 'priority, name, id',
  fields: {
    name: char({ label: 'View Name', required: true }),
    model: char({ label: 'Model', index: true }),
    key: char({ label: 'Key', index: true }),
    priority: integer({ label: 'Sequence', required: true, default: 16 }),
    type: selection(kinds, { label: 'View Type' }),
    arch_db: text({ label: 'Arch Blob', translate: true }),
    inherit_id: many2one('ir.ui.view', { label: 'Inherited View', ondelete: 'restrict', index: true }),
    inherit_children_ids: one2many('ir.ui.view', 'inherit_id', {
      label: 'Views which inherit from this one',
    }),
    mode: selection(
      { primary: 'Base view', extension: 'Extension View' },
      { label: 'View inheritance mode', required: true, default: 'primary' },
    ),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'ir_ui_view_group_rel', column: 'view_id', other: 'group_id' },
    }),
    active: boolean({ label: 'Active', default: true }),
    arch_fs: char({ label: 'Arch Filename', help: 'The file that the view came from.' }),
    arch_prev: text({ label: 'Previous View Architecture', help: 'The text that reset_arch brings back.' }),
    arch_updated: boolean({ label: 'Modified Architecture' }),
    customize_show: boolean({ label: 'Show As Optional Inherit' }),
  },
  methods: {
    default_view: {
      doc: 'The view of a type that clients show first of a model: of those that extend no other, the one with the lowest sequence.',
      level: 'model',
      readonly: true,
      params: {
        model: required<string>('string', { annotation: 'str' }),
        view_type: required<string>('string', { annotation: 'str' }),
      },
      returns: returns<number | false>('any', 'int | bool'),
    },
    get_view_info: {
      doc: 'Types of views with their labels, and whether they show several records.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    get_combined_arch: {
      doc: 'Returns the text of a view. Raises an error for a view that others extend: extensions are not supported.',
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    reset_arch: {
      doc: 'Restores the previous text of the views.',
      params: { mode: optional<unknown>('any', 'soft', { annotation: 'str' }) },
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.ui.view': View
  }
  interface View extends Of<typeof view> {}
}

/** Throws UserError for views without an earlier text, InvalidValue for the mode that reads files. */
async function resetArch(views: Records<'ir.ui.view'>, mode: unknown): Promise<null> {
  if (mode !== 'soft')
    throw new InvalidValue('Invalid mode: use soft. Views of this server are not stored in files.')
  await assertAllowedAndExisting(views, 'write')
  const rows = await views.load(['name', 'arch_db', 'arch_prev'])
  for (const { name, arch_prev } of rows)
    if (!arch_prev) throw new UserError(`The view ${name} has no earlier text: nothing was changed.`)
  await views.writeEach(
    new Map(rows.map(({ id, arch_db, arch_prev }) => [id, { arch_db: arch_prev, arch_prev: arch_db }])),
  )
  return null
}

export default implement(view, {
  wrapWrite: (next) => async (views, changes) => {
    const changed = idsWhere(changes, (vals) => 'arch_db' in vals && !('arch_prev' in vals))
    const rows = await views.browse(changed).load(['arch_db'])
    await next(views, changes)
    if (rows.length)
      await views.writeEach(
        new Map(rows.map(({ id, arch_db }) => [id, { arch_prev: arch_db, arch_updated: true }])),
      )
  },
  methods: {
    default_view: async (views, { model: name, view_type }) => {
      const { ids } = await views.search(
        [
          ['model', '=', name],
          ['type', '=', view_type],
          ['mode', '=', 'primary'],
        ],
        { limit: 1 },
      )
      return ids[0] ?? false
    },
    get_view_info: () =>
      Object.fromEntries(
        Object.entries(kinds)
          .filter(([type]) => type !== 'qweb')
          .map(([type, display_name]) => [
            type,
            { display_name, icon: `oi oi-view-${type}`, multi_record: type !== 'form' },
          ]),
      ),
    get_combined_arch: async (views) => {
      const row = await views.one(['name', 'arch_db', 'inherit_id', 'inherit_children_ids.active'])
      if (row.inherit_id || row.inherit_children_ids.some(({ active }) => active))
        throw new UserError(`The view ${row.name} is extended: read the texts in arch_db and combine them.`)
      return row.arch_db ?? ''
    },
    reset_arch: (views, { mode }) => resetArch(views, mode),
  },
})
