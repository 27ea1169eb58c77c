// Where API keys are kept: only their SHA-256 is stored, in a hidden column, and they are found by it.

import { recordAudit } from '#engine'
import type { Environment } from '#models'
import { only } from '../../../kit/present.ts'
import { hashKey, newKey } from '../../../kit/secrets.ts'
import { assertWithin } from '../../../limits.ts'
import { idList, type RowOf, sql } from '../../../sql/index.ts'
import { assertProven } from '../users/step-up.ts'

export interface KeyFacts {
  readonly id: number
  readonly user: number
  readonly scope: string | null
}

const keyColumns = ['int', 'int', 'text?'] as const

/** A valid key of an active user, or null. */
export async function findKey(env: Environment, key: string): Promise<KeyFacts | null> {
  const rows = await env.rows(
    sql`SELECT k.id, k.user_id, k.scope FROM res_users_apikeys k JOIN res_users u ON u.id = k.user_id AND u.active
    WHERE k.key_hash = ${hashKey(key)}::bytea AND (k.expiration_date IS NULL OR k.expiration_date > now() AT TIME ZONE 'UTC')`,
    { reads: ['res.users.apikeys', 'res.users'], row: keyColumns },
  )
  return factsOf(rows[0])
}

/** A key that is not past, of an archived user too, or null. */
export async function findAnyKey(env: Environment, key: string): Promise<KeyFacts | null> {
  const rows = await env.rows(
    sql`SELECT id, user_id, scope FROM res_users_apikeys
    WHERE key_hash = ${hashKey(key)}::bytea AND (expiration_date IS NULL OR expiration_date > now() AT TIME ZONE 'UTC')`,
    { reads: ['res.users.apikeys'], row: keyColumns },
  )
  return factsOf(rows[0])
}

function factsOf(row: RowOf<typeof keyColumns> | undefined): KeyFacts | null {
  return row ? { id: row[0], user: row[1], scope: row[2] } : null
}

/**
 * Makes calls that are about to change a user's keys collide: the later of two is repeated and sees what the
 * earlier one made.
 * Without it two calls could each find room for one more key.
 */
export async function claimOwner(env: Environment, user: number): Promise<void> {
  await env.execute(sql`UPDATE res_users SET login = login WHERE id = ${user}::int`, { reads: ['res.users'] })
}

/** Counts the valid keys of a user, of any scope. */
export async function countKeys(env: Environment, user: number): Promise<number> {
  const rows = await env.rows(
    sql`SELECT count(*)::int FROM res_users_apikeys
    WHERE user_id = ${user}::int AND (expiration_date IS NULL OR expiration_date > now() AT TIME ZONE 'UTC')`,
    { reads: ['res.users.apikeys'], row: ['int'] },
  )
  return only(rows)[0]
}

/**
 * Creates and stores a key; returns the key itself, which cannot be read again. `expiration`: a moment
 * in UTC, or null.
 */
export async function storeKey(
  env: Environment,
  key: {
    readonly user: number
    readonly scope: string | null
    readonly name: string
    readonly expiration: string | null
    readonly addresses?: string
    /** The key whose policy the new one gets: users cannot shed a policy by creating another key. */
    readonly policyOf?: number
  },
): Promise<string> {
  // Limit of every one-line field: lists of keys return these texts with each key.
  for (const text of [key.name, key.scope ?? '']) assertWithin('line', Buffer.byteLength(text))
  const secret = newKey()
  const [row] = await env.rows(
    sql`INSERT INTO res_users_apikeys (name, user_id, scope, expiration_date, create_date, key_hash)
    VALUES (${key.name}, ${key.user}::int, ${key.scope}, ${key.expiration}::timestamp, now() AT TIME ZONE 'UTC', ${hashKey(secret)}::bytea) RETURNING id`,
    { reads: [], row: ['int'] },
  )
  if (key.addresses)
    await env.execute(
      sql`INSERT INTO comptoir_key_policy (key_id, user_id, addresses) VALUES (${row?.[0]}::int, ${key.user}::int, ${key.addresses})`,
    )
  if (key.policyOf !== undefined)
    await env.execute(
      sql`INSERT INTO comptoir_key_policy (key_id, user_id, addresses, rate, burst, concurrency, idempotency_required, replica, budget)
      SELECT ${row?.[0]}::int, user_id, addresses, rate, burst, concurrency, idempotency_required, replica, budget
      FROM comptoir_key_policy WHERE key_id = ${key.policyOf}::int`,
      { reads: ['comptoir.key.policy'] },
    )
  env.unit.cache.clear()
  const detail = { user: key.user, scope: key.scope, expires: key.expiration }
  recordAudit(env, {
    event: 'key.create',
    model: 'res.users.apikeys',
    record: row?.[0],
    name: key.name,
    detail,
  })
  return secret
}

/** Removes keys: they open nothing from the commit on. */
export async function removeKeys(env: Environment, ids: readonly number[]): Promise<void> {
  const gone = await env.rows(
    sql`DELETE FROM res_users_apikeys WHERE id = ANY(${idList(ids)}) RETURNING id, name, user_id`,
    { reads: ['res.users.apikeys'], row: ['int', 'text', 'int'] },
  )
  env.unit.cache.clear()
  if (gone.some(([, , user]) => user !== env.uid)) await assertProven(env)
  for (const [record, name, user] of gone)
    recordAudit(env, { event: 'key.revoke', model: 'res.users.apikeys', record, name, detail: { user } })
}
