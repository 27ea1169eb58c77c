// Credential checks: the name under which a key's owner is remembered, and the statement that is sent with a
// call's first query and verifies that the remembered caller is up to date.
import { hash } from 'node:crypto'
import { AccessDenied, InvalidApiKey } from '../errors.ts'
import type { Row } from '../models/language/unit.ts'
import { versionColumn } from '../models/rights/tables.ts'
import type { CredentialQuery } from '../models/unit/options.ts'
import { STALE, refusal as wrongly } from '../models/unit/refusing.ts'
import { POSITION } from '../postgres/index.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { failureVersion, type Subject } from './failures.ts'
import { stampOf } from './profile.ts'

/** Name under which the owner of a key, or of a hash of a key, is remembered; it does not contain the key. */
export const nameOfKey = (key: string | Buffer): string =>
  `key ${typeof key === 'string' ? hash('sha256', key, 'base64') : key.toString('base64')}`

/** Facts about its caller that a call relies on. */
export interface Expected {
  readonly uid: number
  /** Version of the database's rights. */
  readonly version: string
  /** Mark of the user's rows (profile.ts). */
  readonly stamp: string
  /** Mark of the failed attempts for the user from the caller's address, if the caller used a password. */
  readonly failures: string | null
  /** Of the API key that opened. */
  readonly key?: { readonly id: number; readonly scope: string | null } | null
}

/**
 * The remembered caller is out of date. Never reaches a client: the caller is loaded again and the call
 * repeated.
 */
export class StaleCredential extends Error {
  constructor() {
    super('The remembered caller is out of date.')
    this.name = 'StaleCredential'
  }
}

/** Columns that every check reads, from the aliases `u` and `p`. */
export const facts = sql`u.id, (SELECT ${versionColumn} FROM rights_version), ${stampOf('u', 'p')}`

/** As `facts`, with the key `k`: restricting a key changes its version mark. */
const keyedFacts = sql`u.id, (SELECT ${versionColumn} FROM rights_version), ${stampOf('u', 'p')} || '.' || k.xmin::text`

/**
 * The user `u` of an id and their partner `p`, each looked up by its key. A plain join is one that PostgreSQL
 * may do otherwise: by its statistics, in which users made since are missing, reading all partners up to the
 * user's looks short.
 */
export const userOf = (id: Sql): Sql =>
  sql`LATERAL (SELECT id, active, partner_id, xmin FROM res_users WHERE id = ${id} OFFSET 0) u
    CROSS JOIN LATERAL (SELECT xmin FROM res_partner WHERE id = u.partner_id OFFSET 0) p`

/**
 * Facts for a key's hash: no row unless the key opens JSON-2 and RPC at this moment (spec/wire.md section 7).
 */
export const keyFacts = (hash: Buffer): Sql => keyRows(sql`k.key_hash = ${hash}::bytea`)

/** The same of several keys, each with its hash as hexadecimal digits, and with the server's position. */
export const keysNow = (hashes: readonly string[]): Sql =>
  keyRows(
    sql`k.key_hash = ANY(ARRAY(SELECT decode(digits, 'hex') FROM unnest(${hashes}::text[]) AS digits))`,
    sql`, encode(k.key_hash, 'hex'), ${raw(POSITION)}`,
  )

function keyRows(which: Sql, further = sql``): Sql {
  return sql`SELECT ${keyedFacts}, NULL AS failures, k.id AS key, k.scope${further} FROM res_users_apikeys k CROSS JOIN ${userOf(raw('k.user_id'))}
    WHERE ${which} AND u.active AND (k.scope IS NULL OR k.scope = 'rpc' OR k.scope LIKE 'rpc %')
    AND (k.expiration_date IS NULL OR k.expiration_date > now() AT TIME ZONE 'UTC')`
}

/** Facts of an active user who calls from `userAtAddress`. A changed password changes the stamp. */
export function userFacts(uid: number, userAtAddress: Subject): Sql {
  return sql`SELECT ${facts}, ${failureVersion(userAtAddress)} FROM ${userOf(sql`${uid}::int`)} WHERE u.active`
}

/** The active user with this login that a valid key belongs to. */
export function keyOwner(hash: Buffer, login: string): Sql {
  return sql`SELECT u.id FROM (${keyFacts(hash)}) key JOIN res_users u ON u.id = key.id WHERE u.login = ${login}`
}

/** The facts as a value, or null when the credential opens nothing. */
export function factsOf(rows: readonly Row[]): Expected | null {
  const [row] = rows
  return row
    ? {
        uid: row[0] as number,
        version: row[1] as string,
        stamp: row[2] as string,
        failures: (row[3] ?? null) as string | null,
        key: row[4] == null ? null : { id: row[4] as number, scope: row[5] as string | null },
      }
    : null
}

/**
 * Checks an API key. Its `verify` throws StaleCredential when the key opens something else than expected and,
 * when it opens nothing, InvalidApiKey or, where keys stand in for passwords, the refusal given.
 */
export function keyCredentialQuery(
  hash: Buffer,
  expected: Expected,
  refusal: () => Error = () => new InvalidApiKey(),
): CredentialQuery {
  return credentialQueryOf(keyFacts(hash), expected, refusal)
}

/**
 * Checks a user whose password was right. Its `verify` throws AccessDenied when the user is gone,
 * StaleCredential when a fact about them changed, or an attempt for them failed from `userAtAddress`.
 */
export function userCredentialQuery(expected: Expected, userAtAddress: Subject): CredentialQuery {
  return credentialQueryOf(userFacts(expected.uid, userAtAddress), expected, () => new AccessDenied())
}

/** The check of a credential by its facts: a query that returns them, and the statement that fails. */
export function credentialQueryOf(facts: Sql, expected: Expected, refusal: () => Error): CredentialQuery {
  return {
    statement: facts.compile(),
    strict: strictly(facts, expected).compile(),
    verify: (rows) => verifyFacts(rows, expected, refusal),
  }
}

/** Fails unless the facts are as expected. */
function strictly(facts: Sql, { uid, version, stamp, failures }: Expected): Sql {
  const holds = sql`c.uid = ${uid}::int AND c.version = ${version}::text AND c.stamp = ${stamp}::text AND c.failures IS NOT DISTINCT FROM ${failures}::text`
  return sql`SELECT (CASE WHEN EXISTS (SELECT FROM (${facts}) AS c(uid, version, stamp, failures) WHERE ${holds}) THEN '0' ELSE ${wrongly(STALE)} END)::int`
}

/** Throws the refusal if there is no row, StaleCredential if it differs from the remembered facts. */
export function verifyFacts(rows: readonly Row[], expected: Expected, refusal: () => Error): void {
  const actual = factsOf(rows)
  if (!actual) throw refusal()
  const { uid, version, stamp, failures } = expected
  if (
    actual.uid !== uid ||
    actual.version !== version ||
    actual.stamp !== stamp ||
    actual.failures !== failures
  )
    throw new StaleCredential()
}
