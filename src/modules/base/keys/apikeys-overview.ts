// API keys over time: how long each has to live and how it is used, the warnings before it ends, and the end
// of those that are long past.

import { recordAudit } from '#engine'
import type { Environment } from '#models'
import { idList, raw, sql } from '../../../sql/index.ts'

/** A key as its owner sees it. Moments are UTC, `YYYY-MM-DD HH:MM:SS`; false if missing. */
export interface KeyOverview {
  readonly id: number
  readonly name: string
  readonly user_id: readonly [number, string]
  readonly scope: string | false
  /** Ranges of addresses that it works from, with blanks between. */
  readonly addresses: string | false
  /** Calls in a time, such as `600/60s`. */
  readonly rate: string | false
  /** Calls within one second. */
  readonly burst: number | false
  /** Calls that run at a time. */
  readonly concurrency: number | false
  /** Whether its writes need an Idempotency-Key. */
  readonly idempotency_required: boolean
  /** Whether what it only reads may come from a replica. */
  readonly replica: boolean
  /** Kilobytes of an answer to an agent. */
  readonly budget: number | false
  readonly create_date: string | false
  readonly expiration_date: string | false
  /** Whole days that are left, 0 on the last one; false for one without end. */
  readonly days_left: number | false
  /** `expired`, or for keys about to end the warning that is due: within `1`, `7` or `14` days. */
  readonly expiring: 'expired' | '1' | '7' | '14' | false
  readonly last_used: string | false
  readonly last_address: string | false
  readonly last_user_agent: string | false
  readonly uses: number
}

/** Days before the end at which a warning is due. */
const STAGES = [1, 7, 14] as const

/** Keys that are past stay this long, so that people see what ended. */
const KEPT_DAYS = 7

const now = sql`now() AT TIME ZONE 'UTC'`
const left = sql`(k.expiration_date - ${now})`

/**
 * A key that lives short anyway needs no warning at a time when it has just begun: half of its life comes
 * first.
 */
const stage = sql`(SELECT min(s.days) FROM unnest(${idList(STAGES)}) AS s(days)
  WHERE ${left} <= s.days * interval '1 day' AND k.expiration_date - k.create_date >= 2 * s.days * interval '1 day')`

const moment = (column: string) =>
  sql`COALESCE(to_json(to_char(${raw(column)}, 'YYYY-MM-DD HH24:MI:SS')), 'false')`

/** Keys of a user, or of everybody, with their uses as written down (access/key-uses.ts). */
export async function overviewOf(env: Environment, user: number | null): Promise<readonly KeyOverview[]> {
  const rows = await env.rows(
    sql`SELECT json_build_object(
      'id', k.id, 'name', k.name, 'user_id', json_build_array(u.id, p.name), 'scope', COALESCE(to_json(k.scope), 'false'),
      'addresses', COALESCE(to_json(NULLIF(y.addresses, '')), 'false'),
      'rate', COALESCE(to_json(y.rate), 'false'), 'burst', COALESCE(to_json(y.burst), 'false'), 'concurrency', COALESCE(to_json(y.concurrency), 'false'),
      'idempotency_required', COALESCE(y.idempotency_required, FALSE), 'replica', COALESCE(y.replica, FALSE), 'budget', COALESCE(to_json(y.budget), 'false'),
      'create_date', ${moment('k.create_date')}, 'expiration_date', ${moment('k.expiration_date')},
      'days_left', COALESCE(to_json(GREATEST(0, floor(extract(epoch FROM ${left}) / 86400))::int), 'false'),
      'expiring', CASE WHEN k.expiration_date <= ${now} THEN '"expired"' ELSE COALESCE(to_json(${stage}::text), 'false') END,
      'last_used', ${moment('x.last_used')}, 'last_address', COALESCE(to_json(x.last_address), 'false'),
      'last_user_agent', COALESCE(to_json(x.last_user_agent), 'false'), 'uses', COALESCE(x.uses, 0)
    )::text FROM res_users_apikeys k JOIN res_users u ON u.id = k.user_id JOIN res_partner p ON p.id = u.partner_id
      LEFT JOIN comptoir_key_use x ON x.key_id = k.id LEFT JOIN comptoir_key_policy y ON y.key_id = k.id
    WHERE ${user}::int IS NULL OR k.user_id = ${user}::int ORDER BY k.expiration_date NULLS LAST, k.id`,
    {
      reads: ['res.users.apikeys', 'res.users', 'res.partner', 'comptoir.key.use', 'comptoir.key.policy'],
      row: ['text'],
    },
  )
  return rows.map((row) => JSON.parse(row[0]) as KeyOverview)
}

/**
 * Once a day: an entry `key.expiring` in the audit log for each key that comes near its end, once a stage,
 * and one of `key.expired` for each that is removed.
 * Keys are found unusable by their date; removing them is tidying.
 */
export async function keepKeys(env: Environment): Promise<void> {
  const due = await env.rows(
    sql`INSERT INTO comptoir_key_use AS x (key_id, user_id, uses, warned)
    SELECT k.id, k.user_id, 0, ${stage} FROM res_users_apikeys k WHERE k.expiration_date > ${now} AND ${stage} IS NOT NULL ORDER BY k.id
    ON CONFLICT (key_id) DO UPDATE SET warned = excluded.warned WHERE x.warned IS NULL OR x.warned > excluded.warned
    RETURNING key_id, user_id, warned, (SELECT json_build_array(k.name, k.expiration_date, u.login)::text
      FROM res_users_apikeys k JOIN res_users u ON u.id = k.user_id WHERE k.id = key_id)`,
    { reads: ['res.users.apikeys', 'res.users'], row: ['int', 'int', 'int', 'text'] },
  )
  for (const [record, user, days, facts] of due) {
    const [name, expires, login] = JSON.parse(facts) as [string, string, string]
    recordAudit(env, {
      event: 'key.expiring',
      model: 'res.users.apikeys',
      record,
      name,
      detail: { user, login, days, expires },
    })
  }
  const gone = await env.rows(
    sql`DELETE FROM res_users_apikeys k
    WHERE GREATEST(k.expiration_date, k.create_date) < ${now} - ${KEPT_DAYS}::int * interval '1 day' AND k.expiration_date IS NOT NULL RETURNING id, name, user_id`,
    { reads: ['res.users.apikeys'], row: ['int', 'text', 'int'] },
  )
  for (const [record, name, user] of gone)
    recordAudit(env, { event: 'key.expired', model: 'res.users.apikeys', record, name, detail: { user } })
  env.unit.cache.clear()
}
