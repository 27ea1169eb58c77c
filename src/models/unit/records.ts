// Recordsets by id, made by the class that the registry keeps for each model.
import type { LooseRecords, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'

/** Records of a model by id; nothing is read. */
export function recordsOf(env: Environment, def: ModelDef, ids: readonly number[]): LooseRecords {
  return new (def.recordset())(env, def, ids)
}
