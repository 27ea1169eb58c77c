// Screens of models for clients (spec/wire.md section 5): no screens are stored, they follow from the
// fields.
import { InvalidValue } from '../../errors.ts'
import { assertWithin } from '../../limits.ts'
import { sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import { assertModel } from '../rights/judge.ts'
import { type GenericMethods, generic } from './generic.ts'
import { fieldsOf, viewOf } from './views/arch.ts'

const viewId = optional<unknown>('any', null, {
  doc: 'Ignored: views are made from the fields',
  annotation: 'int | None',
})
const viewType = optional<unknown>('any', 'form', { annotation: 'str' })
const accessUid = optional<unknown>('any', null, { annotation: 'int | None' })

export const viewMethods: GenericMethods = {
  get_views: generic(
    {
      doc: 'Descriptions of screens by type, and the fields that they may show.',
      level: 'model',
      readonly: true,
      params: {
        views: required<unknown[]>('array', {
          doc: 'Pairs of a view id (or false) and a type',
          annotation: 'list[tuple[int | bool, str]]',
        }),
        options: optional<unknown>('object', null, {
          doc: 'toolbar: bound actions; load_filters: kept searches',
          annotation: 'dict | None',
        }),
      },
      returns: returns<object>('object', 'dict'),
    },
    async ({ env, def }, p) => {
      assertModel(env, def, 'read')
      const { toolbar } = (p.options ?? {}) as { toolbar?: unknown }
      assertWithin('fields', p.views.length)
      const types = p.views.map((view) => {
        if (!Array.isArray(view) || view.length !== 2)
          throw new InvalidValue('A view is a pair of an id, or false, and a type.')
        return view[1] as unknown
      })
      const views: Record<string, object> = {}
      for (const type of new Set(types)) {
        const { arch } = await viewOf(env, def, type)
        views[String(type)] = { arch, id: false, model: def.name, ...(toolbar ? { toolbar: {} } : {}) }
      }
      return { views, models: { [def.name]: { fields: await fieldsOf(env, def) } } }
    },
  ),
  get_view: generic(
    {
      doc: 'The description of one screen, made from the fields.',
      level: 'model',
      readonly: true,
      params: { view_id: viewId, view_type: viewType },
      returns: returns<object>('object', 'dict'),
    },
    async ({ env, def }, p) => {
      assertModel(env, def, 'read')
      const { arch, fields } = await viewOf(env, def, p.view_type)
      return { id: false, model: def.name, arch, models: { [def.name]: fields } }
    },
  ),
  view_header_get: generic(
    {
      doc: 'A title that replaces that of a screen: always false.',
      level: 'model',
      readonly: true,
      params: { view_id: viewId, view_type: viewType },
      returns: returns<false>('boolean', 'str | bool'),
    },
    () => false,
  ),
  get_formview_id: generic(
    {
      doc: 'The id of the form for a record: false, forms are made from the fields.',
      readonly: true,
      params: { access_uid: accessUid },
      returns: returns<false>('boolean', 'int | bool'),
    },
    () => false,
  ),
  get_formview_action: generic(
    {
      doc: 'The action that opens a record in its form.',
      readonly: true,
      params: { access_uid: accessUid },
      returns: returns<object>('object', 'dict'),
    },
    ({ env, def, ids }) => {
      assertModel(env, def, 'read')
      return {
        type: 'ir.actions.act_window',
        res_model: def.name,
        view_type: 'form',
        view_mode: 'form',
        views: [[false, 'form']],
        target: 'current',
        res_id: ids[0] ?? false,
        context: env.context,
      }
    },
  ),
  get_empty_list_help: generic(
    {
      doc: 'The text of an empty list: the given text.',
      level: 'model',
      readonly: true,
      params: { help_message: optional<unknown>('any', '', { annotation: 'str' }) },
      returns: returns<unknown>('any', 'str'),
    },
    (_, p) => p.help_message || '',
  ),
  get_import_templates: generic(
    {
      doc: 'Files to start an import from: none.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
    () => [],
  ),
  get_base_url: generic(
    {
      doc: "The address of the server as links give it: the parameter `web.base.url`, empty where it isn't set.",
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    async (records) => {
      if (records.length > 1) records.ensureOne()
      const rows = await records.env.query<[string | undefined]>(
        sql`SELECT value FROM ir_config_parameter WHERE key = 'web.base.url'`,
      )
      return rows[0]?.[0] ?? ''
    },
  ),
}
