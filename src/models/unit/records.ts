// Recordsets by id, made by the class that the registry keeps for each model.
import type { LooseRecords, ModelDef, RecordsetClass } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'

/** Classes of models, made when the first records are. */
const classes = new WeakMap<ModelDef, RecordsetClass>()

/** Records of a model by id; nothing is read. */
export function recordsOf(env: Environment, def: ModelDef, ids: readonly number[]): LooseRecords {
  let Class = classes.get(def)
  if (!Class) {
    Class = def.recordset()
    classes.set(def, Class)
  }
  return new Class(env, def, ids)
}
