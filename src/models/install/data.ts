// Data of modules: records by external id, created in sets, registered in `ir.model.data`.

import { DeclarationError, ValidationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { id, sql } from '../../sql/index.ts'
import type { LooseVals } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { type DataSet, Ref } from '../language/module.ts'
import { splitExternalId } from '../transfer/named-records.ts'
import { recordsOf } from '../unit/environment.ts'

interface Known {
  readonly id: number
  readonly model: string
  readonly noupdate: boolean
}
type Entry = readonly [xmlid: string, vals: LooseVals]

/** Loads one set: new records are created, known ones written unless they are not to be touched again. */
export async function loadData(env: Environment, module: string, set: DataSet): Promise<void> {
  const entries: Entry[] = Object.entries(set.records).map(([name, vals]) => [
    name.includes('.') ? name : `${module}.${name}`,
    vals,
  ])
  const knownRecords = await knownIds(env, [
    ...entries.map(([xmlid]) => xmlid),
    ...entries.flatMap(([, vals]) => [...refsIn(vals)].map((r) => qualified(module, r))),
  ])
  for (const [xmlid] of entries) {
    const taken = knownRecords.get(xmlid)
    if (!taken || taken.model === set.model) continue
    await assertFree(env, xmlid, taken, { module, model: set.model })
    knownRecords.delete(xmlid)
  }
  let waiting = entries.filter(([xmlid]) => !knownRecords.has(xmlid))
  const model = env.def(set.model)
  while (waiting.length) {
    // Records that refer to others of the set wait for them; the rest is one call.
    const ready = waiting.filter(([, vals]) =>
      [...refsIn(vals)].every((r) => knownRecords.has(qualified(module, r))),
    )
    if (ready.length === 0) {
      const missing = waiting
        .flatMap(([, vals]) => [...refsIn(vals)].map((r) => qualified(module, r)))
        .filter((r) => !knownRecords.has(r))
      throw new DeclarationError(
        `Data of ${module} for ${set.model} refers to what is not there: ${[...new Set(missing)].slice(0, 5).join(', ')}`,
      )
    }
    const created = await recordsOf(env, model, []).create(
      ready.map(([, vals]) => resolve(vals, module, knownRecords)),
    )
    const entries = ready.map(([xmlid], i) => ({ xmlid, id: present(created.ids[i]) }))
    await register(env, set, entries)
    for (const [i, [xmlid]] of ready.entries())
      knownRecords.set(xmlid, {
        id: present(created.ids[i]),
        noupdate: set.noupdate ?? false,
        model: set.model,
      })
    waiting = waiting.filter((entry) => !ready.includes(entry))
  }
  await update(env, module, set, entries, knownRecords)
}

/** At an upgrade, records that may be touched get the module's values; equal values go together. */
async function update(
  env: Environment,
  module: string,
  set: DataSet,
  entries: readonly Entry[],
  knownRecords: ReadonlyMap<string, Known>,
): Promise<void> {
  if (set.noupdate || env.context['server:install_mode'] === 'fresh') return
  const groups = new Map<string, { vals: Record<string, unknown>; ids: number[] }>()
  for (const [xmlid, vals] of entries) {
    const record = knownRecords.get(xmlid)
    if (!record || record.noupdate) continue
    const resolved = resolve(vals, module, knownRecords)
    const key = JSON.stringify(resolved)
    const group = groups.get(key) ?? { vals: resolved, ids: [] }
    group.ids.push(record.id)
    groups.set(key, group)
  }
  for (const { vals, ids } of groups.values()) await recordsOf(env, env.def(set.model), ids).write(vals)
}

const qualified = (module: string, { xmlid }: Ref) => (xmlid.includes('.') ? xmlid : `${module}.${xmlid}`)

function* refsIn(value: unknown): Generator<Ref> {
  if (value instanceof Ref) yield value
  else if (Array.isArray(value)) for (const item of value) yield* refsIn(item)
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* refsIn(item)
}

function resolve(
  vals: LooseVals,
  module: string,
  knownRecords: ReadonlyMap<string, Known>,
): Record<string, unknown> {
  const of = (value: unknown): unknown => {
    if (value instanceof Ref) return knownRecords.get(qualified(module, value))?.id
    if (Array.isArray(value)) return value.map(of)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, of(v)]))
    return value
  }
  return of(vals) as Record<string, unknown>
}

async function knownIds(env: Environment, xmlids: readonly string[]): Promise<Map<string, Known>> {
  const names = [...new Set(xmlids)].map(splitExternalId)
  const rows = await env.query<[string, number, boolean, string]>(
    sql`SELECT d.module || '.' || d.name, d.res_id, COALESCE(d.noupdate, false), d.model
    FROM jsonb_to_recordset(${JSON.stringify(names)}::jsonb) AS x(module text, name text) JOIN ir_model_data d ON d.module = x.module AND d.name = x.name`,
  )
  return new Map(rows.map((row) => [row[0], { id: row[1], noupdate: row[2], model: row[3] }]))
}

/**
 * Throws ValidationError where a record of another model has the external id, which would be written as one
 * of this; of a record that is gone, the external id is removed.
 */
async function assertFree(
  env: Environment,
  xmlid: string,
  { id: record, model: other }: Known,
  { module, model }: { readonly module: string; readonly model: string },
): Promise<void> {
  const def = env.unit.registry.get(other)
  const rows = def?.hasTable
    ? await env.query(sql`SELECT 1 FROM ${id(def.table)} WHERE id = ${record}::int`)
    : []
  if (rows.length)
    throw new ValidationError(
      `The external ID ${xmlid} names a record of ${other}, and the module ${module} needs it for ${model}: rename that external ID.`,
    )
  const { module: prefix, name } = splitExternalId(xmlid)
  await env.query(sql`DELETE FROM ir_model_data WHERE module = ${prefix} AND name = ${name}`)
}

async function register(
  env: Environment,
  set: DataSet,
  records: readonly { xmlid: string; id: number }[],
): Promise<void> {
  const { model, noupdate = false } = set
  const rows = records.map(({ xmlid, id }) => ({ ...splitExternalId(xmlid), model, res_id: id, noupdate }))
  await registerExternalIds(env, rows)
}

export interface ExternalIdRow {
  readonly module: string
  readonly name: string
  readonly model: string
  readonly res_id: number
  readonly noupdate: boolean
}

export async function registerExternalIds(env: Environment, rows: readonly ExternalIdRow[]): Promise<void> {
  const column = (name: keyof ExternalIdRow) => rows.map((row) => row[name])
  await env.query(sql`INSERT INTO ir_model_data (module, name, model, res_id, noupdate, create_uid, create_date, write_uid, write_date)
    SELECT x.*, ${env.uid}::int, now() AT TIME ZONE 'UTC', ${env.uid}::int, now() AT TIME ZONE 'UTC'
    FROM unnest(${column('module')}::text[], ${column('name')}::text[], ${column('model')}::text[], ${column('res_id')}::int[], ${column('noupdate')}::bool[])
      AS x(module, name, model, res_id, noupdate)
    WHERE NOT EXISTS (SELECT FROM ir_model_data d WHERE d.module = x.module AND d.name = x.name)`)
}
