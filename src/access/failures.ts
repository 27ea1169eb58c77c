// Failures in a row, kept in the database so that they count on every node: how long whom they make wait, and the statements about them.
import { type Sql, sql } from '../sql/index.ts'

/** What failures are counted for: an address, a login from anywhere, and both of calls over RPC that bring a password each time. */
export type Kind = 'address' | 'login' | 'rpc address' | 'rpc user'

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

/** Clients over RPC repeat a wrong password on every call: they get more of them. */
const RPC_FACTOR = 5
/** The longest time that a login waits, in seconds. */
const LONGEST = 3600

/** How many failures make a subject wait; zero and less: it never does. */
export function limitOf(kind: Kind, parameters: Parameters): number {
  const ofAddress = wholeNumber(parameters['base.login_cooldown_after'], 5)
  if (kind === 'address') return ofAddress
  if (kind === 'login') return wholeNumber(parameters['base.login_lockout_after'], 20)
  return ofAddress * RPC_FACTOR
}

/** How many seconds after the last failure a subject waits. An address always as long; a login twice as long with every further failure. */
export function pauseOf({ kind, count }: Pick<Failures, 'kind' | 'count'>, parameters: Parameters): number {
  const limit = limitOf(kind, parameters)
  if (limit <= 0 || count < limit) return 0
  if (kind !== 'login') return wholeNumber(parameters['base.login_cooldown_duration'], 60)
  const base = wholeNumber(parameters['base.login_lockout_duration'], 60)
  return Math.min(base * 2 ** Math.min(count - limit, 20), Math.max(base, LONGEST))
}

export function isPaused(failures: Failures, parameters: Parameters): boolean {
  return failures.age < pauseOf(failures, parameters)
}

/** How many milliseconds the answer to the `count`-th failure in a row is held back: nothing at first, then ever longer, half a second at most. */
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

/** What is known of subjects: `{parameters, failures, known}` as JSON; `known`: the user signed in from the address lately. */
export function stateQuery({ subjects, address, login, uid }: Asked): Sql {
  // Logins that PostgreSQL cannot hold are nobody's.
  const user =
    uid === undefined
      ? sql`(SELECT id FROM res_users WHERE login = ${login?.replaceAll('\0', '').toWellFormed() ?? null})`
      : sql`${uid}::int`
  const known = sql`EXISTS (SELECT FROM comptoir_audit WHERE event = 'login' AND address = ${address} AND uid = ${user}
    AND time > clock_timestamp() AT TIME ZONE 'UTC' - interval '30 days')`
  return sql`SELECT json_build_object(
    'parameters', (SELECT json_object_agg(key, value) FROM ir_config_parameter WHERE key = ANY(${[...parameterKeys]}::text[])),
    'failures', (SELECT json_agg(json_build_object('kind', f.kind, 'name', f.subject, 'count', f.failures,
      'age', extract(epoch FROM clock_timestamp() AT TIME ZONE 'UTC' - f.last)::float8)) FROM failed_login f JOIN ${listOf(subjects)} USING (kind, subject)),
    'known', ${login == null && uid === undefined ? sql`FALSE` : known}
  )::text`
}

/**
 * Counts one more for each subject and gives kinds with their counts. Subjects silent for a day are forgotten, so that the table stays small
 * and counts begin anew.
 */
export function countQuery(subjects: readonly Subject[]): Sql {
  const now = sql`clock_timestamp() AT TIME ZONE 'UTC'`
  return sql`WITH old AS (DELETE FROM failed_login WHERE (kind, subject) IN (SELECT kind, subject FROM failed_login
      WHERE last < ${now} - interval '1 day' AND (kind, subject) NOT IN (SELECT * FROM ${listOf(subjects)}) LIMIT 100 FOR UPDATE SKIP LOCKED))
    INSERT INTO failed_login AS f (kind, subject, failures, last) SELECT kind, subject, 1, ${now} FROM ${listOf(subjects)} ORDER BY kind, subject
    ON CONFLICT (kind, subject) DO UPDATE SET last = excluded.last,
      failures = CASE WHEN f.last < excluded.last - interval '1 day' THEN 1 ELSE f.failures + 1 END
    RETURNING f.kind, f.failures`
}

/** Begins the count of each subject anew; rows are locked in the order in which counting locks them. */
export function clearQuery(subjects: readonly Subject[]): Sql {
  return sql`DELETE FROM failed_login WHERE (kind, subject) IN (SELECT f.kind, f.subject FROM failed_login f JOIN ${listOf(subjects)} USING (kind, subject)
    ORDER BY f.kind, f.subject FOR UPDATE OF f)`
}

function listOf(subjects: readonly Subject[]): Sql {
  return sql`unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ name }) => name)}::text[]) AS of_call(kind, subject)`
}
