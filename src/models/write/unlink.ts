// Removing: rights, what follows from the lines that go, one DELETE; the database cascades, clears or
// restricts.
import { id, idList, sql } from '../../sql/index.ts'
import { removeAudited } from '../changes/audited.ts'
import { settle } from '../compute/recompute.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { assertModel } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { clearCompanyLinks } from '../row/company-values.ts'
import { markRemoval } from './removal.ts'

/**
 * Removes records, with their external ids and attachments. Throws MissingError for records that are gone
 * where rules are in force, AccessError for hidden ones, ValidationError when another record needs one of
 * them (spec/models-api.md section 5).
 */
export async function unlinkRecords(
  env: Environment,
  model: ModelDef,
  input: readonly number[],
): Promise<void> {
  const ids = [...new Set(input)]
  if (ids.length === 0) return
  assertModel(env, model, 'unlink')
  await guardRecords(env, model, ids, 'unlink', 'refuse')
  await markRemoval(env, model, ids)
  env.unit.send(sql`DELETE FROM ${id(model.table)} WHERE "id" = ANY(${idList(ids)})`)
  await clearCompanyLinks(env, model, ids)
  for (const field of [...env.unit.pending.keys()]) if (field.model === model) settle(env, field, ids)
  await removeTraces(env, model, ids)
  env.unit.cache.clear()
  env.unit.rejudge()
}

/** External ids and attachments go with the record. */
async function removeTraces(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  const { registry } = env.unit
  if (registry.get('ir.model.data'))
    env.unit.send(sql`DELETE FROM ir_model_data WHERE model = ${model.name} AND res_id = ANY(${idList(ids)})`)
  const attachment = registry.get('ir.attachment')
  if (attachment)
    removeAudited(env, attachment, sql`t.res_model = ${model.name} AND t.res_id = ANY(${idList(ids)})`)
}
