// The beginning of a thread: the note that a record was created, and its creator as a follower. Both are
// written when the thread is first written to; until then they follow from the record itself, so that
// creating costs nothing.
import type { ModelName, Recordset } from '#models'
import { id, idList, type Sql, sql } from '../../sql/index.ts'

/** Stores the default message subtypes, or the `chosen` ones, of each new follower in `created`. */
const kindsOf = (created: Sql, chosen: readonly number[] | null): Sql =>
  sql`INSERT INTO mail_followers_mail_message_subtype_rel (mail_followers_id, mail_message_subtype_id)
    SELECT f.id, s.id FROM ${created} f JOIN mail_message_subtype s ON ${
      chosen
        ? sql`s.id = ANY(${idList(chosen)})`
        : sql`s."default" AND (s.res_model IS NULL OR s.res_model = f.res_model)`
    } ON CONFLICT DO NOTHING`

/** The system user follows nothing. */
export const SYSTEM = 1

/** The id that an external id stands for, in SQL. */
export const idOf = (xmlid: string): Sql => {
  const [module = '', name = ''] = xmlid.split('.')
  return sql`(SELECT res_id FROM ir_model_data WHERE module = ${module} AND name = ${name})`
}

/** Writes the beginning of those threads that have none. `kind`: the kind of the note of creation. */
export function openingOf(records: Recordset<ModelName>, kind: string): Sql {
  const { table, name, label } = records.env.def(records.name)
  return sql`WITH fresh AS MATERIALIZED (SELECT r.id, r.create_uid, r.create_date, u.partner_id FROM ${id(table)} r
        LEFT JOIN res_users u ON u.id = r.create_uid
        WHERE r.id = ANY(${idList(records.ids)}) AND NOT EXISTS (SELECT FROM mail_message m WHERE m.model = ${name} AND m.res_id = r.id AND m.opens)),
      noted AS (INSERT INTO mail_message (model, res_id, opens, body, message_type, subtype_id, author_id, date, is_internal,
          email_add_signature, create_uid, create_date, write_uid, write_date)
        SELECT ${name}, f.id, TRUE, ${`<p>${label} created</p>`}, 'notification', ${idOf(kind)}, f.partner_id, f.create_date, FALSE,
          TRUE, f.create_uid, f.create_date, f.create_uid, f.create_date FROM fresh f
        ON CONFLICT (model, res_id) WHERE opens DO NOTHING),
      followed AS (INSERT INTO mail_followers (res_model, res_id, partner_id)
        SELECT ${name}, f.id, f.partner_id FROM fresh f WHERE f.partner_id IS NOT NULL AND f.create_uid <> ${SYSTEM}::int
        ON CONFLICT (res_model, res_id, partner_id) DO NOTHING RETURNING id, res_model)
      ${kindsOf(sql`followed`, null)}`
}

const ofThread = [
  'message_ids',
  'message_follower_ids',
  'message_partner_ids',
  'message_is_open',
  'message_is_follower',
]

/** Statements that write to threads leave with the next that somebody waits for. */
export function bufferStatements({ env, ids, name }: Recordset<ModelName>, statements: readonly Sql[]): void {
  for (const statement of statements) env.unit.send(statement)
  for (const field of ofThread.flatMap((field) => env.def(name).fields.get(field) ?? []))
    env.unit.cache.forget(field, ids)
}

export const openThreads = (records: Recordset<ModelName>, kind: string): void =>
  bufferStatements(records, [openingOf(records, kind)])

/** Makes contacts follow records; those who do already keep their kinds, unless some are chosen. */
export function follow(
  records: Recordset<ModelName>,
  partners: readonly number[],
  chosen: readonly number[] | null = null,
): void {
  if (partners.length === 0) return
  const { ids, name } = records
  const forget = sql`DELETE FROM mail_followers_mail_message_subtype_rel WHERE mail_followers_id IN
    (SELECT id FROM mail_followers WHERE res_model = ${name} AND res_id = ANY(${idList(ids)}) AND partner_id = ANY(${idList(partners)}))`
  const begin = sql`WITH followed AS (INSERT INTO mail_followers (res_model, res_id, partner_id)
      SELECT ${name}, r.id, p.id FROM unnest(${idList(ids)}) AS r(id) CROSS JOIN unnest(${idList(partners)}) WITH ORDINALITY AS p(id, place)
      ORDER BY p.place
      ON CONFLICT (res_model, res_id, partner_id) DO ${chosen ? sql`UPDATE SET res_id = EXCLUDED.res_id` : sql`NOTHING`} RETURNING id, res_model)
    ${kindsOf(sql`followed`, chosen)}`
  bufferStatements(records, chosen ? [forget, begin] : [begin])
}
