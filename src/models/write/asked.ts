// Records that the caller of the environment asked for, through all that modules put around it: unlike what
// code makes by a recordset, they are judged by what people may write.
import type { LooseRecords, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { recordsOf } from '../unit/environment.ts'

/** Creates records for whoever asked for them; gives their ids in the order of `list`. */
export async function createAsked(
  env: Environment,
  model: ModelDef,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<readonly number[]> {
  if (list.length === 0) return []
  const records = await recordsOf(env, model, []).invoke('create', { vals_list: list })
  return (records as LooseRecords).ids
}

/** Removes records for whoever asked for it. */
export async function unlinkAsked(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  await recordsOf(env, model, ids).invoke('unlink', {})
}
