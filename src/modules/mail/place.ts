// Where messages about a record stand: in its own thread, or in that of the delegate through which it sees
// its messages, as a user's are those of the contact.
import type { Environment, ModelName, Records } from '#models'
import { sql } from '../../sql/index.ts'
import { assertAllowedAndExisting, assertNoneMissing } from '../base/index.ts'

/** Records of any model with a thread. */
export type Threads = Records<'mail.thread'>

/** Throws MissingError for records that are gone, where their delegates are asked for. */
export async function placeOf(records: Threads): Promise<Threads> {
  const { env, name } = records
  const field = env.def(name).fields.get('message_ids')
  const via = field?.inherited ? field.related?.[0] : undefined
  if (!via) return records
  const target = env.def(name).fields.get(via)?.comodel?.name
  const rows: readonly Readonly<Record<string, unknown>>[] = await records.read([via], null)
  assertNoneMissing(records, rows)
  return env.model((target ?? name) as ModelName & 'mail.thread').browse(rows.map((row) => Number(row[via])))
}

/** The place of records, which the caller may read or write. Throws MissingError, AccessError. */
export async function authorizedThreads(records: Threads, operation: 'read' | 'write'): Promise<Threads> {
  const place = await placeOf(records)
  await assertAllowedAndExisting(place, operation)
  return place
}

/** External id of the kind of message that notes a record's creation. */
export const openingKind = async (place: Threads): Promise<string> =>
  String(await place.browse([]).invoke('opening_kind', {}))

/** The record of a model that an external id names, or null; those of other models have ids of their own. */
export async function namedRecord(env: Environment, model: ModelName, xmlid: string): Promise<number | null> {
  const [module = '', ...name] = xmlid.split('.')
  const [row] = await env.rows(
    sql`SELECT res_id FROM ir_model_data WHERE model = ${model} AND module = ${module} AND name = ${name.join('.')}`,
    { reads: ['ir.model.data'], row: ['int'] },
  )
  return row ? ((await env.model(model).browse([row[0]]).exists()).ids[0] ?? null) : null
}
