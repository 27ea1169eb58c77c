// Recordsets by id, made by the class that the registry keeps for each model.
import type { ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import type { RecordsetBase } from './recordset.ts'

/** Records of a model by id; nothing is read. */
export function recordsOf(env: Environment, def: ModelDef, ids: readonly number[]): RecordsetBase {
  return new (def.recordset())(env, def, ids)
}
