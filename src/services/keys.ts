// The verbs of administrators at the machine about API keys: listed, narrowed and revoked, without the keys
// themselves. Made: admin.ts.
import type { Databases } from '../databases/index.ts'
import { UserError } from '../errors.ts'
import { idList, type Sql, sql } from '../sql/index.ts'
import { auditCommands, objectsOf } from './command-audit.ts'

/**
 * A key in the administrator's list, without the key itself, which is not stored. Moments are UTC,
 * `YYYY-MM-DD HH:MM:SS`.
 */
export interface ListedKey {
  readonly id: number
  readonly name: string
  readonly login: string
  readonly scope: string | null
  /** Ranges that it works from, with blanks between; null: from everywhere. */
  readonly addresses: string | null
  /** Calls in a time, such as `600/60s`; calls in a second; calls that run at a time; null: any. */
  readonly rate: string | null
  readonly burst: number | null
  readonly concurrency: number | null
  /** Whether its writes need an Idempotency-Key. */
  readonly idempotency_required: boolean
  /** Whether what it only reads may come from a replica. */
  readonly replica: boolean
  readonly budget: number | null
  readonly created: string | null
  readonly expires: string | null
  readonly last_used: string | null
  readonly last_address: string | null
  readonly uses: number
  /** Whether it opens something: it has not ended, and its owner is not archived. */
  readonly valid: boolean
}

const moment = (column: Sql) => sql`to_char(${column}, 'YYYY-MM-DD HH24:MI:SS')`

/**
 * The keys of a user, or of all, those that end first before the others. Throws UserError for an unknown
 * login.
 */
export async function listKeys(
  server: Databases,
  name: string,
  login: string | null,
): Promise<readonly ListedKey[]> {
  const database = await server.database(name)
  return database.system(async (env) => {
    if (login !== null && !(await env.query(sql`SELECT FROM res_users WHERE login = ${login}`)).length)
      throw unknown(login)
    return objectsOf<ListedKey>(
      env,
      sql`SELECT json_build_object('id', k.id, 'name', k.name, 'login', u.login, 'scope', k.scope, 'addresses', NULLIF(y.addresses, ''),
        'rate', y.rate, 'burst', y.burst, 'concurrency', y.concurrency, 'idempotency_required', COALESCE(y.idempotency_required, FALSE), 'replica', COALESCE(y.replica, FALSE), 'budget', y.budget,
        'created', ${moment(sql`k.create_date`)}, 'expires', ${moment(sql`k.expiration_date`)},
        'last_used', ${moment(sql`x.last_used`)}, 'last_address', x.last_address, 'uses', COALESCE(x.uses, 0),
        'valid', u.active AND COALESCE(k.expiration_date > now() AT TIME ZONE 'UTC', TRUE))::text
      FROM res_users_apikeys k JOIN res_users u ON u.id = k.user_id LEFT JOIN comptoir_key_use x ON x.key_id = k.id
      LEFT JOIN comptoir_key_policy y ON y.key_id = k.id
      WHERE ${login}::text IS NULL OR u.login = ${login}::text ORDER BY k.expiration_date NULLS LAST, k.id`,
    )
  })
}

const unknown = (login: string) => new UserError(`No user has the login ${JSON.stringify(login)}.`)

/**
 * Revokes keys by their ids, or all of a user: they open nothing from the commit on. Gives the ids. Throws
 * UserError, and revokes none, where one of the ids is no key.
 */
export async function revokeKeys(
  server: Databases,
  name: string,
  which: { readonly ids: readonly number[] } | { readonly login: string },
): Promise<readonly number[]> {
  const database = await server.database(name)
  return database.system(async (env) => {
    const chosen =
      'ids' in which
        ? sql`id = ANY(${idList(which.ids)})`
        : sql`user_id = (SELECT id FROM res_users WHERE login = ${which.login})`
    if (
      'login' in which &&
      !(await env.query(sql`SELECT FROM res_users WHERE login = ${which.login}`)).length
    )
      throw unknown(which.login)
    const gone = await env.query<[number, string, number]>(
      sql`DELETE FROM res_users_apikeys WHERE ${chosen} RETURNING id, name, user_id`,
    )
    const ids = gone.map((row) => row[0]).sort((a, b) => a - b)
    const missing = 'ids' in which ? which.ids.filter((id) => !ids.includes(id)) : []
    if (missing.length)
      throw new UserError(`API key not found: ${missing.join(', ')}. See comptoir key list.`)
    const deeds = gone.map(([record, label, user]) => ({
      event: 'key.revoke',
      model: 'res.users.apikeys',
      record,
      name: label,
      detail: { user },
    }))
    await auditCommands(env, deeds)
    return ids
  })
}

/** New values of a key; absent members stay, null removes a limit. */
export interface KeyChanges {
  readonly scope?: string
  readonly addresses?: string
  readonly rate?: string | null
  readonly burst?: number | null
  readonly concurrency?: number | null
  readonly idempotency_required?: boolean
  readonly replica?: boolean
  readonly budget?: number | null
}

/**
 * Gives a key another scope, other addresses or limits, from the next call on; narrower or wider. Throws
 * UserError for an unknown key, InvalidValue for what is not a scope, a range of addresses or a limit.
 */
export async function restrictKey(
  server: Databases,
  name: string,
  id: number,
  to: KeyChanges,
): Promise<void> {
  const database = await server.database(name)
  await database.system(async (env) => {
    const [key] = await env.query<[string, unknown]>(
      sql`SELECT name, user_id FROM res_users_apikeys WHERE id = ${id}::int`,
    )
    if (!key) throw new UserError(`API key not found: ${id}. See comptoir key list.`)
    await env.model('res.users.apikeys').browse([id]).restrict(to)
    const detail = { user: key[1], ...to }
    await auditCommands(env, [
      { event: 'key.restrict', model: 'res.users.apikeys', record: id, name: key[0], detail },
    ])
  })
}
