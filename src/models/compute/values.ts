// Values of computed fields: their declared dependencies are loaded in one go, then the function runs over all records.

import type { LooseRecord } from '../contract/behaviour.ts'
import type { FieldDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { loadPaths } from '../records/load.ts'

/** Code values of a computed field by record id; records that are gone have none. Dependencies are read as the superuser. */
export async function computeValues(env: Environment, field: FieldDef, ids: readonly number[]): Promise<Map<number, unknown>> {
  const compute = field.compute
  if (!compute) throw new Error(`${field.model.name}.${field.name} is not computed.`)
  const records = (await loadPaths(env.sudo(), field.model, ids, compute.depends)) as LooseRecord[]
  return compute.run(records, env)
}
