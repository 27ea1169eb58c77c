// The second factor of logins: encrypted secrets of authenticator apps, and hashes of recovery codes
// (decision 0042). Its table belongs to no model, so that no call can read, export or follow it.

import { sealed, unsealed } from '../kit/seal.ts'
import {
  matchingStep,
  newRecoveryCodes,
  newTotpSecret,
  readProof,
  recoveryHash,
  totpUri,
} from '../kit/totp.ts'
import { idList, raw, type Sql, sql } from '../sql/index.ts'

/** Runs a statement and returns its rows: in a call's transaction, or each on its own. */
interface Asker {
  query(statement: Sql): Promise<readonly (readonly unknown[])[]>
}

/** The error for a wrong code. */
export const WRONG_CODE = 'Wrong code. Each code works once: wait for the next one and try again.'

/** The parameter that makes a second factor mandatory for administrators. */
export const SECOND_FACTOR_REQUIRED = 'comptoir.second_factor_required'

/**
 * `secret` is in force; `proposed` is confirmed by its first code; both are encrypted. `last_step`: the step
 * of the last code that was used, because each works once. `recovery`: hashes of unused codes. Times are UTC.
 */
export const secondFactorTable = `CREATE TABLE IF NOT EXISTS comptoir_second_factor (
  user_id integer PRIMARY KEY REFERENCES res_users ON DELETE CASCADE,
  secret text,
  proposed text,
  enabled timestamp,
  last_step bigint NOT NULL DEFAULT 0,
  recovery bytea[] NOT NULL DEFAULT '{}'
)`

/** Whether a user is in the group Settings, directly or by implication. */
export const isAdministrator = (user: Sql): Sql => sql`EXISTS (WITH RECURSIVE member(gid) AS (
    SELECT gid FROM res_groups_users_rel WHERE uid = ${user}
    UNION
    SELECT implied.hid FROM res_groups_implied_rel implied JOIN member ON implied.gid = member.gid
  ) SELECT FROM member JOIN ir_model_data d ON d.res_id = member.gid
    WHERE d.model = 'res.groups' AND d.module = 'base' AND d.name = 'group_system')`

export const hasSecondFactor = (user: Sql): Sql =>
  sql`EXISTS (SELECT FROM comptoir_second_factor f WHERE f.user_id = ${user} AND f.secret IS NOT NULL)`

/** Whether a user has a second factor now. */
export async function isEnrolled(asker: Asker, user: number): Promise<boolean> {
  const [row] = await asker.query(sql`SELECT ${hasSecondFactor(sql`${user}::int`)}`)
  return row?.[0] === true
}

/** Any other value makes it mandatory: a misspelt one must not switch it off. */
const isRequired = sql`EXISTS (SELECT FROM ir_config_parameter p WHERE p.key = ${SECOND_FACTOR_REQUIRED}
  AND lower(trim(p.value)) NOT IN ('', '0', 'false', 'no', 'off', 'none'))`

/** The rest of a login whose password was right: a code, the enrolment of an app, or nothing. */
export type SecondFactor = 'code' | 'enrol' | 'none'

export const secondFactorOf = (user: Sql): Sql =>
  sql`CASE WHEN ${hasSecondFactor(user)} THEN 'code' WHEN ${isRequired} AND ${isAdministrator(user)} THEN 'enrol' ELSE 'none' END`

/** The purpose for which a secret is encrypted: it is invalid for other users. */
const sealedFor = (user: number): string => `second factor of user ${user}`

/** A secret that is not confirmed yet, for users and for their apps. */
export interface Enrolment {
  readonly secret: string
  readonly uri: string
}

/** Proposes a new secret to a user. The one in force stays valid until `confirmSecret`. */
export async function proposeSecret(asker: Asker, user: number): Promise<Enrolment> {
  const secret = newTotpSecret()
  await asker.query(sql`INSERT INTO comptoir_second_factor (user_id, proposed) VALUES (${user}::int, ${sealed(secret, sealedFor(user))})
    ON CONFLICT (user_id) DO UPDATE SET proposed = excluded.proposed`)
  return enrolmentOf(asker, user, secret)
}

/** The secret that was proposed to a user last; null if there is nothing to confirm. */
export async function proposedSecret(asker: Asker, user: number): Promise<Enrolment | null> {
  const secret = unsealedFor(user, (await rowOf(asker, user))?.proposed)
  return secret === null ? null : enrolmentOf(asker, user, secret)
}

async function enrolmentOf(asker: Asker, user: number, secret: string): Promise<Enrolment> {
  const [row] = await asker.query(
    sql`SELECT u.login, c.name FROM res_users u JOIN res_company c ON c.id = u.company_id WHERE u.id = ${user}::int`,
  )
  return { secret, uri: totpUri(secret, String(row?.[1] ?? ''), String(row?.[0] ?? '')) }
}

interface FactorRow {
  readonly secret: string | null
  readonly proposed: string | null
}

async function rowOf(asker: Asker, user: number): Promise<FactorRow | null> {
  const [row] = await asker.query(
    sql`SELECT secret, proposed FROM comptoir_second_factor WHERE user_id = ${user}::int`,
  )
  return row ? { secret: row[0] as string | null, proposed: row[1] as string | null } : null
}

const unsealedFor = (user: number, kept: string | null | undefined): string | null =>
  kept == null ? null : unsealed(kept, sealedFor(user))

/**
 * Puts the proposed secret in force if the code matches it. Returns new recovery codes, which are stored
 * as hashes only and shown once; null for a wrong code.
 */
export async function confirmSecret(
  asker: Asker,
  user: number,
  text: unknown,
  moment: Date,
): Promise<readonly string[] | null> {
  const kept = (await rowOf(asker, user))?.proposed ?? null
  const [secret, proof] = [unsealedFor(user, kept), readProof(text)]
  const step = secret !== null && proof?.kind === 'app' ? matchingStep(secret, proof.code, moment) : null
  if (step === null) return null
  const codes = newRecoveryCodes()
  const rows = await asker.query(sql`UPDATE comptoir_second_factor SET secret = proposed, proposed = NULL,
      enabled = now() AT TIME ZONE 'UTC', last_step = ${step}::bigint, recovery = ${hashesOf(codes)}
    WHERE user_id = ${user}::int AND proposed = ${kept} RETURNING 1`)
  return rows.length ? codes : null
}

const hashesOf = (codes: readonly string[]): Sql =>
  sql`ARRAY(SELECT decode(digits, 'hex') FROM unnest(${codes.map((code) => recoveryHash(code).toString('hex'))}::text[]) AS digits)`

/** The kind of a proof, and the number of unused recovery codes. */
export interface Proof {
  readonly kind: 'app' | 'recovery'
  readonly left: number
}

/**
 * Uses a code of the user's app or a recovery code, each of which works once on all nodes. Null for a
 * wrong or used code.
 */
export async function useCode(
  asker: Asker,
  user: number,
  text: unknown,
  moment: Date,
): Promise<Proof | null> {
  const proof = readProof(text)
  if (!proof) return null
  const { kind, code } = proof
  const rows =
    kind === 'app' ? await useStep(asker, user, code, moment) : await useRecovery(asker, user, code)
  const [row] = rows
  return row ? { kind, left: Number(row[0]) } : null
}

async function useStep(asker: Asker, user: number, code: string, moment: Date) {
  const kept = (await rowOf(asker, user))?.secret ?? null
  const secret = unsealedFor(user, kept)
  const step = secret === null ? null : matchingStep(secret, code, moment)
  if (step === null) return []
  return asker.query(sql`UPDATE comptoir_second_factor SET last_step = ${step}::bigint
    WHERE user_id = ${user}::int AND secret = ${kept} AND last_step < ${step}::bigint RETURNING cardinality(recovery)`)
}

function useRecovery(asker: Asker, user: number, code: string) {
  const hash = sql`${recoveryHash(code)}::bytea`
  return asker.query(sql`UPDATE comptoir_second_factor SET recovery = array_remove(recovery, ${hash})
    WHERE user_id = ${user}::int AND secret IS NOT NULL AND ${hash} = ANY(recovery) RETURNING cardinality(recovery)`)
}

/** Returns new recovery codes for a user who has a second factor. Previous ones become invalid. */
export async function renewRecoveryCodes(asker: Asker, user: number): Promise<readonly string[]> {
  const codes = newRecoveryCodes()
  await asker.query(
    sql`UPDATE comptoir_second_factor SET recovery = ${hashesOf(codes)} WHERE user_id = ${user}::int AND secret IS NOT NULL`,
  )
  return codes
}

/** Removes the second factors of users. Returns the users who had one. */
export async function removeSecondFactors(
  asker: Asker,
  users: readonly number[],
): Promise<readonly number[]> {
  const rows = await asker.query(
    sql`DELETE FROM comptoir_second_factor WHERE user_id = ANY(${idList(users)}) RETURNING user_id, secret IS NOT NULL`,
  )
  return rows.filter((row) => row[1] === true).map((row) => Number(row[0]))
}

/** The state of a second factor on the user's page. */
export interface SecondFactorStatus {
  readonly enabled: boolean
  /** UTC, `YYYY-MM-DD HH:MM:SS`; false while it is off. */
  readonly since: string | false
  readonly recovery_codes: number
  /** Whether the database requires it of the user. */
  readonly required: boolean
}

/** The state of a user's second factor. */
export async function secondFactorStatus(asker: Asker, user: number): Promise<SecondFactorStatus> {
  const [row] =
    await asker.query(sql`SELECT f.secret IS NOT NULL, to_char(f.enabled, 'YYYY-MM-DD HH24:MI:SS'), COALESCE(cardinality(f.recovery), 0),
    ${isRequired} AND ${isAdministrator(raw('u.id'))} FROM res_users u LEFT JOIN comptoir_second_factor f ON f.user_id = u.id WHERE u.id = ${user}::int`)
  const enabled = row?.[0] === true
  return {
    enabled,
    since: enabled && typeof row?.[1] === 'string' ? row[1] : false,
    recovery_codes: enabled ? Number(row?.[2]) : 0,
    required: row?.[3] === true,
  }
}
