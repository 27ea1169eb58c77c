// Names of a model's rules in the database.
import type { ModelDef } from '../language/definitions.ts'

/** Name of a table's rule in the database. */
export function constraintName(model: ModelDef, rule: string): string {
  return `${model.table}_${rule}`.slice(0, 63)
}
