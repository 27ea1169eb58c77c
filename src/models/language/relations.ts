// Fields that lead to records: what narrows a definition, in the place of names of kinds.
import type { FieldDef, ModelDef } from './definitions.ts'

/** A field with a target model. */
export type RelationDef = FieldDef & { readonly comodel: ModelDef }

export const isRelation = (field: FieldDef): field is RelationDef => field.comodel !== undefined

/** Leads to one record: its column holds the id. */
export const leadsToOne = (field: FieldDef): boolean => field.type.relation === 'one'

/** Leads to lists of records, kept elsewhere than in its own row. */
export const leadsToMany = (field: FieldDef): boolean => field.type.relation === 'many'
