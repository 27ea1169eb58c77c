// Failures in a row, kept in the database so that they count on every node: how long whom they make wait, and
// the statements about them.
import { type Sql, sql } from '../sql/index.ts'

/**
 * Subject types of failure counts: an address, a login from anywhere, and both for calls over RPC that send a
 * password each time; of these also a user at one address (`rpc here`). Codes of a second factor are counted
 * by user from all addresses (`code`), including those of recent sign-ins.
 */
export type Kind = 'address' | 'login' | 'code' | 'rpc address' | 'rpc here' | 'rpc user'

export interface Subject {
  readonly kind: Kind
  readonly name: string
}

/** Failures in a row, and how many seconds ago the last one was. */
export interface Failures extends Subject {
  readonly count: number
  readonly age: number
}

/** System parameters as they are stored. */
export type Parameters = Readonly<Record<string, string | null | undefined>>

const parameterKeys = [
  'base.login_cooldown_after',
  'base.login_cooldown_duration',
  'base.login_lockout_after',
  'base.login_lockout_duration',
] as const

/** Clients over RPC repeat a wrong password on every call, so they may fail more often. */
const RPC_FACTOR = 2
/** The longest time that a login waits, in seconds. */
const LONGEST = 3600

/** Counted for a person and from everywhere: more may fail, and waits grow. */
const isOfPerson = (kind: Kind): boolean => kind === 'login' || kind === 'code'

/** Number of failures after which a subject waits; zero or less: it never does. */
export function limitOf(kind: Kind, parameters: Parameters): number {
  const ofAddress = wholeNumber(parameters['base.login_cooldown_after'], 5)
  if (kind === 'address') return ofAddress
  if (isOfPerson(kind)) return wholeNumber(parameters['base.login_lockout_after'], 20)
  return ofAddress * RPC_FACTOR
}

/**
 * Seconds after the last failure that a subject waits. An address waits a fixed time; for a login it
 * doubles with every further failure.
 */
export function pauseOf({ kind, count }: Pick<Failures, 'kind' | 'count'>, parameters: Parameters): number {
  const limit = limitOf(kind, parameters)
  if (limit <= 0 || count < limit) return 0
  if (!isOfPerson(kind)) return wholeNumber(parameters['base.login_cooldown_duration'], 60)
  const base = wholeNumber(parameters['base.login_lockout_duration'], 60)
  return Math.min(base * 2 ** Math.min(count - limit, 20), Math.max(base, LONGEST))
}

export function isPaused(failures: Failures, parameters: Parameters): boolean {
  return failures.age < pauseOf(failures, parameters)
}

/**
 * Milliseconds that the answer to the `count`-th failure in a row is held back: zero at first, then
 * growing up to half a second.
 */
export function delayOf(count: number, limit: number): number {
  const free = Math.floor(limit / 3)
  return limit <= 0 || count <= free ? 0 : Math.min(500, 50 * 2 ** (count - free - 1))
}

function wholeNumber(text: string | null | undefined, fallback: number): number {
  return text != null && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : fallback
}

export interface Asked {
  readonly subjects: readonly Subject[]
  readonly address: string
  readonly login?: string | null
  readonly uid?: number
}

/**
 * State of subjects as JSON: `{parameters, failures, known}`; `known`: the user recently signed in from the
 * address.
 */
export function stateQuery({ subjects, address, login, uid }: Asked): Sql {
  // PostgreSQL cannot store such a login, so no user has it.
  const user =
    uid === undefined
      ? sql`(SELECT id FROM res_users WHERE login = ${login?.replaceAll('\0', '').toWellFormed() ?? null})`
      : sql`${uid}::int`
  const isKnown = sql`EXISTS (SELECT FROM comptoir_audit WHERE event = 'login' AND address = ${address} AND uid = ${user}
    AND time > clock_timestamp() AT TIME ZONE 'UTC' - interval '30 days')`
  return sql`SELECT json_build_object(
    'parameters', (SELECT json_object_agg(key, value) FROM ir_config_parameter WHERE key = ANY(${[...parameterKeys]}::text[])),
    'failures', (SELECT json_agg(json_build_object('kind', f.kind, 'name', f.subject, 'count', f.failures,
      'age', extract(epoch FROM clock_timestamp() AT TIME ZONE 'UTC' - f.last)::float8)) FROM failed_login f JOIN ${listOf(subjects)} USING (kind, subject)),
    'known', ${login == null && uid === undefined ? sql`FALSE` : isKnown}
  )::text`
}

const now = sql`clock_timestamp() AT TIME ZONE 'UTC'`

/**
 * A place that was taken this many seconds ago is its process's no more: it died, and the attempt counts as
 * failed.
 */
const LONGEST_JUDGEMENT = sql`interval '60 seconds'`

/** A subject, and how many attempts in a row it has: failed ones, and those being judged. */
export interface Wanted extends Subject {
  readonly limit: number
  /** Failures in the state; null if the subject was not counted yet. */
  readonly seen: number | null
}

/**
 * Reserves a place in the count of each subject, and returns the types of those that had room: fewer than the
 * limit failed or are being verified, or the wait is over and no other attempt is running; and none has
 * failed since the state was read. Rows are locked in one order: new ones, then existing ones.
 */
export function reserveQuery(subjects: readonly Wanted[]): Sql {
  const fresh = subjects.filter(({ seen }) => seen === null)
  const counted = subjects.filter(({ seen }) => seen !== null)
  const gone = sql`(f.reserved < ${now} - ${LONGEST_JUDGEMENT})`
  return sql`WITH made AS (
      INSERT INTO failed_login AS f (kind, subject, failures, last, pending, reserved)
      SELECT kind, subject, 0, ${now}, 1, ${now} FROM ${listOf(fresh)} ORDER BY kind, subject
      ON CONFLICT (kind, subject) DO NOTHING RETURNING f.kind),
    locked AS (SELECT f.kind, f.subject, w.most, w.seen FROM failed_login f JOIN (SELECT * FROM unnest(${counted.map(({ kind }) => kind)}::text[],
      ${counted.map(({ name }) => name)}::text[], ${counted.map(({ limit }) => Math.min(limit, MOST))}::int[], ${counted.map(({ seen }) => seen)}::int[]) AS x(kind, subject, most, seen)) w
      USING (kind, subject) ORDER BY f.kind, f.subject FOR UPDATE OF f),
    taken AS (UPDATE failed_login f SET reserved = ${now}, pending = CASE WHEN ${gone} THEN 1 ELSE f.pending + 1 END,
        failures = f.failures + CASE WHEN ${gone} THEN f.pending ELSE 0 END
      FROM locked l WHERE f.kind = l.kind AND f.subject = l.subject
        AND (f.failures + f.pending < l.most OR f.failures = l.seen AND (f.pending = 0 OR ${gone})) RETURNING f.kind)
    SELECT kind FROM made UNION ALL SELECT kind FROM taken`
}

/** More attempts than anybody makes; sums of it and counts are still integers. */
const MOST = 1_000_000_000

/**
 * Counts one more failure for each subject, in place of its reservation if it has one, and returns types with
 * their counts. Subjects without failures for a day are deleted, so that the table stays small and counts
 * start again.
 */
export function countQuery(subjects: readonly Subject[]): Sql {
  return sql`WITH old AS (DELETE FROM failed_login WHERE (kind, subject) IN (SELECT kind, subject FROM failed_login
      WHERE last < ${now} - interval '1 day' AND (kind, subject) NOT IN (SELECT * FROM ${listOf(subjects)}) LIMIT 100 FOR UPDATE SKIP LOCKED))
    INSERT INTO failed_login AS f (kind, subject, failures, last) SELECT kind, subject, 1, ${now} FROM ${listOf(subjects)} ORDER BY kind, subject
    ON CONFLICT (kind, subject) DO UPDATE SET last = excluded.last, pending = GREATEST(f.pending - 1, 0),
      failures = CASE WHEN f.last < excluded.last - interval '1 day' THEN 1 ELSE f.failures + 1 END
    RETURNING f.kind, f.failures`
}

/**
 * Releases the reservation of each subject; `anew`: resets the count. Rows are locked in the same order as
 * when counting.
 */
export function releaseQuery(subjects: readonly Subject[], anew: boolean): Sql {
  const count = anew ? sql`0` : sql`f.failures`
  return sql`WITH locked AS (SELECT f.kind, f.subject, f.pending <= 1 AND ${count} = 0 AS is_empty FROM failed_login f JOIN ${listOf(subjects)} USING (kind, subject)
      ORDER BY f.kind, f.subject FOR UPDATE OF f),
    kept AS (UPDATE failed_login f SET failures = ${count}, pending = GREATEST(f.pending - 1, 0)
      FROM locked l WHERE f.kind = l.kind AND f.subject = l.subject AND NOT l.is_empty)
    DELETE FROM failed_login f USING locked l WHERE f.kind = l.kind AND f.subject = l.subject AND l.is_empty`
}

/** Forgets all that was counted of subjects. */
export function forgetQuery(subjects: readonly Subject[]): Sql {
  return sql`DELETE FROM failed_login WHERE (kind, subject) IN (SELECT f.kind, f.subject FROM failed_login f JOIN ${listOf(subjects)} USING (kind, subject)
    ORDER BY f.kind, f.subject FOR UPDATE OF f)`
}

/** A mark of a subject's failures, which changes with every failure; null if there are none. */
export function failureVersion({ kind, name }: Subject): Sql {
  return sql`(SELECT failures || ' ' || last FROM failed_login WHERE kind = ${kind} AND subject = ${name} AND failures > 0)`
}

function listOf(subjects: readonly Subject[]): Sql {
  return sql`unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ name }) => name)}::text[]) AS of_call(kind, subject)`
}
