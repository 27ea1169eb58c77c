// Records that a caller creates or removes, with all overrides of modules: unlike records that code
// creates by a recordset, they are authorized by what users may write.
import type { LooseRecords, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { recordsOf } from '../unit/environment.ts'

/** Creates records for the caller; returns their ids in the order of `list`. */
export async function createByCaller(
  env: Environment,
  model: ModelDef,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly number[]> {
  if (list.length === 0) return []
  const records = await recordsOf(env, model, []).invoke('create', { vals_list: list })
  return (records as LooseRecords).ids
}

/** Removes records for the caller. */
export async function unlinkByCaller(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
): Promise<void> {
  await recordsOf(env, model, ids).invoke('unlink', {})
}
