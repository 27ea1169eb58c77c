// Fields that lead to records, one or many, in the place of names of kinds.
import type { FieldDef } from './definitions.ts'

/** Leads to one record: its column holds the id. */
export const leadsToOne = (field: FieldDef): boolean => field.type.relation === 'one'

/** Leads to lists of records, kept elsewhere than in its own row. */
export const leadsToMany = (field: FieldDef): boolean => field.type.relation === 'many'
