// Options that only some field types have, for code that handles fields of all types: undefined for the
// others.
import type { OptionsOf } from '../contract/field.ts'
import type { FieldDef, LinkTable, Many2oneDef, ModelDef, X2manyDef } from './definitions.ts'

/** Precision and scale of a number with a fraction. */
export const digitsOf = (field: FieldDef | undefined): OptionsOf['float']['digits'] =>
  field?.kind === 'float' ? field.options.digits : undefined

/** The name of the many2one to the currency of amounts; `currency_id` for fields that are not amounts. */
export const currencyOf = (field: FieldDef): string =>
  (field.kind === 'monetary' ? field.options.currency : undefined) ?? 'currency_id'

/** The field that contains the model's name for a many2one_reference. */
export const modelFieldOf = (field: FieldDef | undefined): string | undefined =>
  field?.kind === 'many2one_reference' ? field.options.modelField : undefined

/** The context in which a relation's records are read. */
export const contextOf = (field: FieldDef): OptionsOf['many2one']['context'] =>
  field.comodel && field.options.context

/** The fixed condition on a relation's records. */
export const domainOf = (field: FieldDef): OptionsOf['many2one']['domain'] =>
  field.comodel && field.options.domain

/** The field at the end of a related or delegated field's path. */
export function endOfPath(field: FieldDef): FieldDef | null {
  let model = field.model
  let end: FieldDef | undefined
  for (const name of field.related ?? []) {
    end = model.fields.get(name)
    if (end?.comodel) model = end.comodel
  }
  if (end?.related) return endOfPath(end)
  return end ?? null
}

/** Whether orders, groups and, where there is no search rule, domains may name a field that has an SQL form. */
export function isAskable(field: FieldDef): boolean {
  const source = field.related && !field.stored ? endOfPath(field) : field
  return source?.compute?.options.searchable !== false
}

/** Whether a binary field contains only images. */
export const isImageField = (field: FieldDef): boolean =>
  field.kind === 'binary' && field.options.image === true

/** The largest width in which a field's images are stored, in pixels. */
export const maxWidthOf = (field: FieldDef): number | undefined =>
  field.kind === 'binary' ? field.options.maxWidth : undefined

/** Of a properties field: the many2one to the record with its definitions, and their field there. */
export function definitionPath(field: FieldDef): readonly [via: string, name: string] {
  const [via = '', name = ''] =
    (field.kind === 'properties' ? field.options.definition : undefined)?.split('.') ?? []
  return [via, name]
}

// Fields that lead to records, one or many, in the place of names of kinds; and what a tree keeps of them.

/** Leads to one record: its column holds the id. */
export const leadsToOne = (field: FieldDef): field is Many2oneDef => field.type.relation === 'one'

/** Leads to lists of records, kept elsewhere than in its own row. */
export const leadsToMany = (field: FieldDef): field is X2manyDef => field.type.relation === 'many'

/** The way up a tree ("1/4/9/"), which follows the parents and nothing that anybody writes into it. */
export const isTreePath = ({ model, name }: FieldDef): boolean => model.parentStore && name === 'parent_path'

/** The link table of a stored many2many. Throws Error for any other field. */
export function linkOf(field: FieldDef): LinkTable {
  if (!field.link) throw new Error(`${field.model.name}.${field.name} has no link table.`)
  return field.link
}

/** A field that the model is known to have. Throws Error where it has none of this name. */
export function fieldOf(model: ModelDef, name: string): FieldDef {
  const field = model.fields.get(name)
  if (!field) throw new Error(`${model.name} has no field ${name}.`)
  return field
}

/** The model that a field is known to lead to. Throws Error where it leads nowhere. */
export function comodelOf(field: FieldDef): ModelDef {
  if (!field.comodel) throw new Error(`${field.model.name}.${field.name} leads to no model.`)
  return field.comodel
}

/** Texts, such as complete names, are only shown: they may be written (recorded). */
const TEXTS = ['char', 'text', 'html']

/**
 * Whether a stored value follows from others and no person gives it, in a model that does not declare its
 * writable fields: rights, amounts and reports rest on it.
 */
export const isServerComputed = (field: FieldDef): boolean =>
  field.model.authority === null &&
  field.model.kind === 'model' &&
  field.readonly &&
  field.column &&
  Boolean(field.compute ?? field.related) &&
  !(field.automatic || field.inherited || field.name.startsWith('x_') || TEXTS.includes(field.kind))
