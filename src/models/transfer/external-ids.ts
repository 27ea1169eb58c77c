// External ids in imports and exports: looked up by one query, stored by one statement, and generated if
// an export needs them.

import { randomBytes } from 'node:crypto'
import { AccessError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { existing } from '../load/links.ts'

interface ExternalId {
  readonly xmlid: string
  readonly noupdate: boolean
}

/** External ids of records, the oldest first. */
export async function externalIds(
  env: Environment,
  model: string,
  ids: readonly number[],
): Promise<Map<number, ExternalId[]>> {
  const idsByRecord = new Map<number, ExternalId[]>()
  if (ids.length === 0) return idsByRecord
  const rows = await env.query(
    sql`SELECT res_id, module || '.' || name, COALESCE(noupdate, false) FROM ir_model_data WHERE model = ${model} AND res_id = ANY(${idList(ids)}) ORDER BY id`,
  )
  for (const [record, xmlid, noupdate] of rows as [number, string, boolean][])
    idsByRecord.set(record, [...(idsByRecord.get(record) ?? []), { xmlid, noupdate }])
  return idsByRecord
}

/** The record with an external id. */
export interface Target {
  readonly model: string
  readonly id: number
}

/**
 * Completes external ids of imports without a module: with the context's module, or the module of
 * imports (spec/models-api.md section 9).
 */
export function complete(env: Environment, xmlid: string): string {
  if (xmlid.includes('.')) return xmlid
  const { module } = env.context
  return `${typeof module === 'string' && module ? module : '__import__'}.${xmlid}`
}

/** The parts of an external id: its module, and the name after the first dot. */
export function splitExternalId(xmlid: string): { module: string; name: string } {
  const dot = xmlid.indexOf('.')
  return { module: xmlid.slice(0, dot), name: xmlid.slice(dot + 1) }
}

/** Records by complete external id, without deleted ones. One query, and one per model. */
export async function targetsOfExternalIds(
  env: Environment,
  xmlids: readonly string[],
): Promise<Map<string, Target>> {
  if (xmlids.length === 0) return new Map()
  const wanted = JSON.stringify([...new Set(xmlids)].map(splitExternalId))
  const rows = (await env.query(
    sql`SELECT d.module || '.' || d.name, d.model, d.res_id FROM jsonb_to_recordset(${wanted}::jsonb) AS x(module text, name text) JOIN ir_model_data d ON d.module = x.module AND d.name = x.name`,
  )) as readonly (readonly [string, string, number])[]
  const targets = new Map<string, Target>()
  for (const name of new Set(rows.map((row) => row[1]))) {
    const model = env.unit.registry.get(name)
    if (!model?.hasRows) continue
    const ofModel = rows.filter((row) => row[1] === name)
    const existingIds = new Set(
      await existing(
        env,
        model,
        ofModel.map((row) => row[2]),
      ),
    )
    for (const [xmlid, , id] of ofModel) if (existingIds.has(id)) targets.set(xmlid, { model: name, id })
  }
  return targets
}

/**
 * Stores external ids of records. The external id of a deleted record is reused. Throws AccessError for one
 * under the name of a module that the server has, whether or not it is installed: what the module installs
 * later would be this record. Administrators, who create external ids as records, may do so.
 */
export async function enter(
  env: Environment,
  model: ModelDef,
  records: readonly { readonly xmlid: string; readonly id: number }[],
): Promise<void> {
  if (records.length === 0) return
  const rows = JSON.stringify(records.map(({ xmlid, id }) => ({ ...splitExternalId(xmlid), id })))
  if (!env.su && !env.unit.rights.mayModel(env.user, env.def('ir.model.data'), 'create'))
    env.unit.buffer.check(
      sql`SELECT 1 FROM jsonb_to_recordset(${rows}::jsonb) AS x(module text) JOIN ir_module_module m ON m.name = x.module`,
      () =>
        new AccessError(
          'External IDs of a module are for administrators: choose another prefix, such as __import__.',
        ),
    )
  await env.query(sql`INSERT INTO ir_model_data (module, name, model, res_id, noupdate, create_uid, create_date, write_uid, write_date)
    SELECT x.module, x.name, ${model.name}, x.id, ${Boolean(env.context.noupdate)}::bool, ${env.uid}::int, now() AT TIME ZONE 'UTC', ${env.uid}::int, now() AT TIME ZONE 'UTC'
    FROM jsonb_to_recordset(${rows}::jsonb) AS x(module text, name text, id int)
    ON CONFLICT (module, name) DO UPDATE SET model = excluded.model, res_id = excluded.res_id, noupdate = excluded.noupdate`)
}

/** The first external id of each record. Records without one get a generated one, which is stored. */
export async function ensureExternalIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const idsByRecord = await externalIds(env, model.name, ids)
  const nameless = [...new Set(ids)].filter((id) => !idsByRecord.has(id))
  const generated = nameless.map((id) => ({
    id,
    xmlid: `__export__.${model.table}_${id}_${randomBytes(4).toString('hex')}`,
  }))
  await enter(env, model, generated)
  const names = new Map(generated.map(({ id, xmlid }) => [id, xmlid]))
  for (const [id, [first]] of idsByRecord) if (first) names.set(id, first.xmlid)
  return names
}
