// Default screens: XML that shows a model's fields, by type of view.
import { InvalidValue, UserError } from '../../../errors.ts'
import { shown } from '../../../kit/text.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import { mayField } from '../../rights/judge.ts'
import { type Labels, labelsOf } from '../../terms/labels.ts'
import { describeField } from '../describe.ts'

export interface View {
  readonly arch: string
  /** Names of the fields that the arch shows. */
  readonly fields: readonly string[]
}

/**
 * The default view of a type. Throws InvalidValue for an unknown type, UserError for a calendar of a model
 * without dates.
 */
export async function viewOf(env: Environment, model: ModelDef, type: unknown): Promise<View> {
  const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined
  if (!shape)
    throw new InvalidValue(
      `Unknown type of view ${shown(type)}; there are ${Object.keys(shapes).join(', ')}.`,
    )
  const fields = visible(env, model)
  return shape(model, fields, await labelsOf(env, model))
}

/** Attributes of every field that the caller may see. */
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

/** Text inside an XML attribute. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
