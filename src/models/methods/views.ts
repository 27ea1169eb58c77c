// Screens of models for clients (spec/wire.md section 5): no screens are stored, they follow from the fields.
import { InvalidValue, UserError } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import { sql } from '../../sql/index.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertModel, mayField } from '../rights/judge.ts'
import { type Labels, labelsOf } from '../terms/labels.ts'
import { type GenericMethods, generic } from './bind.ts'
import { describeField } from './describe.ts'

const viewId = optional<unknown>('any', null, {
  doc: 'Ignored: views are made from the fields',
  annotation: 'int | None',
})
const viewType = optional<unknown>('any', 'form', { annotation: 'str' })
const accessUid = optional<unknown>('any', null, { annotation: 'int | None' })

export const viewMethods: GenericMethods = {
  get_views: generic({
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
    run: async ({ env, def }, p) => {
      assertModel(env, def, 'read')
      const { toolbar } = (p.options ?? {}) as { toolbar?: unknown }
      assertWithin('fields', p.views.length)
      const types = p.views.map((view) => {
        if (!Array.isArray(view) || view.length !== 2)
          throw new InvalidValue('Each view must be a pair of an id (or false) and a type.')
        return view[1] as unknown
      })
      const views: Record<string, object> = {}
      for (const type of new Set(types)) {
        const { arch } = await viewOf(env, def, type)
        views[String(type)] = { arch, id: false, model: def.name, ...(toolbar ? { toolbar: {} } : {}) }
      }
      return { views, models: { [def.name]: { fields: await fieldsOf(env, def) } } }
    },
  }),
  get_view: generic({
    doc: 'The description of one screen, made from the fields.',
    level: 'model',
    readonly: true,
    params: { view_id: viewId, view_type: viewType },
    returns: returns<object>('object', 'dict'),
    run: async ({ env, def }, p) => {
      assertModel(env, def, 'read')
      const { arch, fields } = await viewOf(env, def, p.view_type)
      return { id: false, model: def.name, arch, models: { [def.name]: fields } }
    },
  }),
  view_header_get: generic({
    doc: 'A title that replaces that of a screen: always false.',
    level: 'model',
    readonly: true,
    params: { view_id: viewId, view_type: viewType },
    returns: returns<false>('boolean', 'str | bool'),
    run: () => false,
  }),
  get_formview_id: generic({
    doc: 'The id of the form for a record: false, forms are made from the fields.',
    readonly: true,
    params: { access_uid: accessUid },
    returns: returns<false>('boolean', 'int | bool'),
    run: () => false,
  }),
  get_formview_action: generic({
    doc: 'The action that opens a record in its form.',
    readonly: true,
    params: { access_uid: accessUid },
    returns: returns<object>('object', 'dict'),
    run: ({ env, def, ids }) => {
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
  }),
  get_empty_list_help: generic({
    doc: 'The text of an empty list: the given text.',
    level: 'model',
    readonly: true,
    params: { help_message: optional<unknown>('any', '', { annotation: 'str' }) },
    returns: returns<unknown>('any', 'str'),
    run: (_, p) => p.help_message || '',
  }),
  get_import_templates: generic({
    doc: 'Files to start an import from: none.',
    level: 'model',
    readonly: true,
    params: {},
    returns: returns<object[]>('array', 'list[dict]'),
    run: () => [],
  }),
  get_base_url: generic({
    doc: "The address of the server as links give it: the parameter `web.base.url`, empty where it isn't set.",
    readonly: true,
    params: {},
    returns: returns<string>('string', 'str'),
    run: async (records) => {
      if (records.length > 1) records.ensureOne()
      const rows = await records.env.query<[string | undefined]>(
        sql`SELECT value FROM ir_config_parameter WHERE key = 'web.base.url'`,
      )
      return rows[0]?.[0] ?? ''
    },
  }),
}

// Default screens: XML that shows a model's fields, by type of view.

export interface View {
  readonly arch: string
  readonly fields: readonly string[]
}

/** Throws InvalidValue for an unknown type, UserError for a calendar of a model without dates. */
export async function viewOf(env: Environment, model: ModelDef, type: unknown): Promise<View> {
  const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined
  if (!shape)
    throw new InvalidValue(`Unknown view type ${shown(type)}; use ${Object.keys(shapes).join(', ')}.`)
  const fields = visible(env, model)
  return shape(model, fields, await labelsOf(env, model))
}

export async function fieldsOf(env: Environment, model: ModelDef): Promise<Record<string, object>> {
  const labels = await labelsOf(env, model)
  return Object.fromEntries(visible(env, model).map((field) => [field.name, describeField(field, labels)]))
}

function visible(env: Environment, model: ModelDef): FieldDef[] {
  return [...model.fields.values()].filter((field) => !field.options.hidden && mayField(env, field))
}

type Shape = (model: ModelDef, fields: readonly FieldDef[], labels: Labels) => View

const shapes: Readonly<Record<string, Shape>> = {
  form: (model, fields, labels) => {
    const shown = fields.filter((field) => !field.automatic)
    const wide = shown.filter((field) => isWide(field))
    const group = `<group>${shown
      .filter((field) => !isWide(field))
      .map(tag)
      .join('')}</group>`
    const parts = [
      group,
      ...wide.map((field) => `<separator string="${escaped(labels.label(field))}"/>${tag(field)}`),
    ]
    return view(
      `<form string="${escaped(labels.model(model))}"><sheet>${parts.join('')}</sheet></form>`,
      shown,
    )
  },
  list: (model, fields, labels) =>
    named(model, fields, (tags) => `<list string="${escaped(labels.model(model))}">${tags}</list>`),
  search: (model, fields, labels) =>
    named(model, fields, (tags) => `<search string="${escaped(labels.model(model))}">${tags}</search>`),
  kanban: (model, fields) =>
    named(model, fields, (tags) => `<kanban><templates><t t-name="card">${tags}</t></templates></kanban>`),
  graph: (model, fields, labels) =>
    named(model, fields, (tags) => `<graph string="${escaped(labels.model(model))}">${tags}</graph>`),
  pivot: (model, _fields, labels) => view(`<pivot string="${escaped(labels.model(model))}"/>`, []),
  calendar: (model, fields, labels) => {
    const start = ['date', 'date_start', 'x_date', 'x_date_start']
      .map((name) => fields.find((f) => f.name === name))
      .find((f) => f !== undefined)
    if (!start)
      throw new UserError(
        `Records of ${model.label} (${model.name}) have no date to place them in a calendar.`,
      )
    return named(
      model,
      fields,
      (tags) =>
        `<calendar string="${escaped(labels.model(model))}" date_start="${escaped(start.name)}">${tags}</calendar>`,
    )
  },
}

const isWide = (field: FieldDef) => ['one2many', 'many2many', 'text', 'html'].includes(field.kind)
const tag = (field: FieldDef) => `<field name="${escaped(field.name)}"/>`
const view = (arch: string, fields: readonly FieldDef[]): View => ({
  arch,
  fields: fields.map((field) => field.name),
})

/** A view of the record's name alone. */
function named(model: ModelDef, fields: readonly FieldDef[], wrap: (tags: string) => string): View {
  const shown = fields.filter((field) => field.name === (model.recName ?? 'display_name'))
  return view(wrap(shown.map(tag).join('')), shown)
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
