// Changes of fields that a thread reports: a message with the values before and after. Its statement leaves
// with the write itself.
import { type Behaviour, type Environment, extend, implement, type ModelName, type Recordset } from '#models'
import { id, idList, type Sql, sql } from '../../sql/index.ts'
import { bufferStatements, idOf } from './opening.ts'

/** Labels of a selection by key, as one value for PostgreSQL. */
function labelsOf(env: Environment, name: ModelName, field: string): string {
  const def = env.def(name).fields.get(field)
  const labels = def?.kind === 'selection' ? def.options.selection : undefined
  return JSON.stringify(typeof labels === 'function' ? labels([]) : (labels ?? {}))
}

/** Messages of those records whose value is about to be another one, which is read before it is written. */
function changeOf(records: Recordset<ModelName>, field: string, value: string): Sql {
  const { env, name } = records
  const labels = sql`${labelsOf(env, name, field)}::jsonb`
  const before = sql`r.${id(field)}`
  return sql`WITH changed AS MATERIALIZED (SELECT r.id, ${before} AS old FROM ${id(env.def(name).table)} r
        WHERE r.id = ANY(${idList(records.ids)}) AND ${before} IS DISTINCT FROM ${value}),
      noted AS (INSERT INTO mail_message (model, res_id, body, message_type, subtype_id, author_id, date, email_add_signature,
          create_uid, create_date, write_uid, write_date)
        SELECT ${name}, c.id, '', 'notification', ${idOf('mail.mt_note')}, ${env.user.partnerId}::int, m.at, TRUE, ${env.uid}::int, m.at,
          ${env.uid}::int, m.at FROM changed c, (SELECT now() AT TIME ZONE 'UTC' AS at) m RETURNING id, res_id)
    INSERT INTO mail_tracking_value (mail_message_id, field_id, old_value_char, new_value_char, create_uid, create_date)
      SELECT n.id, (SELECT f.id FROM ir_model_fields f WHERE f.model = ${name} AND f.name = ${field}), ${labels} ->> c.old, ${labels} ->> ${value}::text,
        ${env.uid}::int, now() AT TIME ZONE 'UTC' FROM noted n JOIN changed c ON c.id = n.res_id`
}

/** Threads of a model report changes of a selection. */
export const tracked = (name: ModelName, field: string): Behaviour =>
  implement(extend(name, { fields: {} }), {
    concerns: { write: (names) => names.has(field) },
    wrapWrite: (next) => async (records, changes) => {
      for (const { ids, vals } of changes) {
        const value = vals[field]
        if (ids.length === 0 || typeof value !== 'string') continue
        const some = records.browse(ids)
        bufferStatements(some, [changeOf(some, field, value)])
      }
      return next(records, changes)
    },
  })
