// Fields that lead to records, one or many, in the place of names of kinds; and what a tree keeps of them.
import type { FieldDef, LinkTable, Many2oneDef, ModelDef, X2manyDef } from './definitions.ts'

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
