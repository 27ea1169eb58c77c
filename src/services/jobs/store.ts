// Jobs as rows: queued, claimed, ended (docs/decisions/0046). Every change of a job's row is one statement.
import { askPool } from '../../access/index.ts'
import { type Database, EXPANDED } from '../../databases/index.ts'
import { type About, Gone } from '../../errors.ts'
import { parsedInTurns } from '../../kit/json-reader.ts'
import type { TraceContext } from '../../kit/watch/index.ts'
import type { Row, Unit } from '../../models/language/unit.ts'
import { raw, type Sql, sql } from '../../sql/index.ts'
import type { RequestPreferences } from '../request.ts'
import type { BulkWork } from './bulk/work.ts'

type JobState = 'receiving' | 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** Work of a job: a call, or a batch. */
export type Work =
  | { readonly kind: 'call'; readonly model: string; readonly method: string; readonly body: unknown }
  | { readonly kind: 'batch'; readonly body: unknown }
  | BulkWork

/** A job as those see it who may. */
export interface JobFacts {
  readonly id: string
  readonly uid: number
  readonly state: JobState
  readonly progress: { readonly done: number; readonly of: number }
  readonly attempts: number
  readonly created: string
  readonly finished: string | null
  readonly status: number | null
  readonly error: string | null
  /** Machine-readable code of the error. */
  readonly code: string | null
  /** Facts about the error; null where problem details were not asked for. */
  readonly about: About | null
  /** Headers that its answer has, by their order. */
  readonly headers: Headers | null
  readonly size: number
  /** Media type of what it gave. */
  readonly type: string
  readonly expired: boolean
}

/** A job, and whether it was made by this request. */
export interface Queued {
  readonly id: string
  readonly isNew: boolean
  readonly state: JobFacts['state']
}

/** Names of headers, in small letters, and their values; one name may come several times. */
export type Headers = readonly (readonly [name: string, value: string])[]

/** Preferences of a request that are stored with its job. */
type KeptAsks = Pick<
  RequestPreferences,
  'key' | 'etag' | 'ifMatch' | 'typed' | 'page' | 'count' | 'lenient' | 'problem' | 'lines'
>

/** A job that a worker has, under the number of its lease. */
export interface Claimed {
  readonly id: string
  readonly lease: number
  /** Times that it was tried, this one included. */
  readonly attempts: number
  readonly state: JobState
  readonly keyHash: Buffer
  readonly work: Work
  readonly asks: KeptAsks & {
    /** Of the request that queued it. */
    readonly trace?: TraceContext
    /** The address that it came from. */
    readonly from?: string
  }
}

/** Seconds of a lease. */
export const LEASE = 60
/** Jobs of a user that run at a time. */
const OF_USER = 2
/** Times that a job is tried whose node is lost, or whose statements run out of time. */
export const ATTEMPTS = 3

/** Asks PostgreSQL: in a unit of work, or by itself. */
export type Ask = (statement: Sql) => Promise<readonly Row[]>

/** Each statement for itself, outside of any transaction: never while a unit is under way. */
export const alone =
  ({ pool }: Database): Ask =>
  (statement) =>
    askPool(pool)(statement.compile())

/** In the transaction of a unit. */
export const within =
  (unit: Unit): Ask =>
  (statement) =>
    unit.query(statement)

const moment = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const facts =
  raw(`json_build_object('id', j.id, 'uid', j.uid, 'state', j.state, 'attempts', j.attempts, 'status', j.status, 'error', j.error, 'code', j.code, 'about', j.about::json, 'headers', j.headers::json, 'size', j.size, 'type', j.type,
  'created', ${moment('j.created')}, 'finished', ${moment('j.finished')}, 'progress', json_build_object('of', COALESCE(l.total, 1), 'done', CASE WHEN j.state = 'done' THEN COALESCE(l.total, 1) ELSE COALESCE(l.done, 0) END),
  'expired', j.expired)::text`)

/** The row of a job, or null. */
export async function factsOf(ask: Ask, id: string): Promise<JobFacts | null> {
  const [row] = await ask(
    sql`SELECT ${facts} FROM comptoir_job j LEFT JOIN comptoir_job_lease l ON l.job = j.id WHERE j.id = ${id}::uuid`,
  )
  return row ? (JSON.parse(row[0] as string) as JobFacts) : null
}

/** Whether a job was queued by a key. */
export async function isOfKey(ask: Ask, id: string, keyHash: Buffer): Promise<boolean> {
  const rows = await ask(
    sql`SELECT 1 FROM comptoir_job WHERE id = ${id}::uuid AND key_hash = ${keyHash}::bytea`,
  )
  return rows.length > 0
}

/** Claims the job that waits longest, and whose user has room, for a worker; null without one. */
export async function claim(database: Database, worker: string): Promise<Claimed | null> {
  // During an upgrade, nodes of the new build claim any job, those of the old build jobs of models they know.
  const isForThisBuild = sql`COALESCE((SELECT value FROM ir_config_parameter WHERE key = ${EXPANDED}), ${database.build}) = ${database.build}`
  const hasKnownModel = sql`COALESCE(j.call::jsonb->'work'->>'model' = ANY(${[...database.registry.models.keys()]}::text[]), TRUE)`
  const [row] = await alone(database)(
    sql`WITH next AS (
      SELECT j.id FROM comptoir_job j LEFT JOIN comptoir_job_lease l ON l.job = j.id
      WHERE ${database.isOutgoing ? hasKnownModel : isForThisBuild} AND (j.state = 'queued' OR (j.state = 'running' AND l.until < now() AND j.claimed < now() - ${LEASE}::int * interval '1 second'))
        AND (SELECT count(*) FROM comptoir_job o JOIN comptoir_job_lease x ON x.job = o.id
          WHERE o.uid = j.uid AND o.state = 'running' AND x.until >= now()) < ${OF_USER}::int
      ORDER BY j.created, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED),
    claimed AS (UPDATE comptoir_job j SET state = CASE WHEN attempts >= ${ATTEMPTS}::int THEN 'failed' ELSE 'running' END,
        finished = CASE WHEN attempts >= ${ATTEMPTS}::int THEN now() END, status = CASE WHEN attempts >= ${ATTEMPTS}::int THEN 500 END,
        attempts = attempts + 1, lease_no = lease_no + 1, claimed = now(), claimed_by = ${worker}::uuid
      FROM next WHERE j.id = next.id RETURNING j.id, j.lease_no, j.attempts, j.state, j.key_hash, j.call),
    leased AS (INSERT INTO comptoir_job_lease (job, until) SELECT id, now() + ${LEASE}::int * interval '1 second' FROM claimed
      ON CONFLICT (job) DO UPDATE SET until = excluded.until)
    SELECT id::text, lease_no, attempts, state, key_hash, call FROM claimed`,
  )
  if (!row) return null
  const [id, lease, attempts, state, keyHash, call] = row as [
    string,
    number,
    number,
    JobState,
    Buffer,
    string,
  ]
  const { work, asks } = (await parsedInTurns(call)) as Pick<Claimed, 'work' | 'asks'>
  return { id, lease, attempts, state, keyHash, work, asks }
}

/** Extends the lease, stores the progress, and returns whether the job is still this worker's. */
export async function renew(
  database: Database,
  { id, lease }: Claimed,
  { done, of }: { readonly done: number; readonly of: number | null },
): Promise<boolean> {
  const rows = await alone(database)(
    sql`UPDATE comptoir_job_lease l SET until = now() + ${LEASE}::int * interval '1 second', done = ${done}::bigint, total = COALESCE(${of}::bigint, total)
      FROM comptoir_job j WHERE l.job = ${id}::uuid AND j.id = l.job AND j.lease_no = ${lease}::int AND j.state = 'running' RETURNING 1`,
  )
  return rows.length > 0
}

/** Claims of a job from which on outages count as attempts: the job itself may be what ends PostgreSQL. */
const PATIENT_CLAIMS = 20

const unattempted = sql`state = 'queued', attempts = CASE WHEN lease_no < ${PATIENT_CLAIMS}::int THEN attempts - 1 ELSE attempts END`

/**
 * Returns a job to the queue, as if it had not been claimed unless it was an attempt. Does nothing for one
 * that has ended.
 */
export async function release(database: Database, { id, lease }: Claimed, isAttempt: boolean): Promise<void> {
  const queued = isAttempt ? sql`state = 'queued'` : unattempted
  await alone(database)(
    sql`UPDATE comptoir_job SET ${queued} WHERE id = ${id}::uuid AND lease_no = ${lease}::int AND state = 'running'`,
  )
}

/** Returns the jobs of a worker to the queue that it does not run: the answers to its claims were lost. */
export async function releaseOthers(
  database: Database,
  worker: string,
  running: readonly string[],
): Promise<void> {
  await alone(database)(
    sql`UPDATE comptoir_job SET ${unattempted} WHERE claimed_by = ${worker}::uuid AND state = 'running' AND NOT (id = ANY(${[...running]}::uuid[]))`,
  )
}

const endOf = (
  { id, lease }: Claimed,
  state: JobState,
  { status, error, code, json, type, about, headers }: Ended,
) => {
  const content = Buffer.from(json ?? '')
  // A job of many rows may have stored a part of its report before.
  return sql`WITH ended AS (UPDATE comptoir_job SET state = ${state}, status = ${status}::int, error = ${error ?? null}, code = ${code ?? null}, about = ${textOf(about)}, headers = ${textOf(headers)}, type = COALESCE(${type ?? null}, type), size = size + ${content.length}::bigint, finished = now()
      WHERE id = ${id}::uuid AND lease_no = ${lease}::int AND state = 'running' RETURNING id, size - ${content.length}::bigint AS at),
    fed AS (DELETE FROM comptoir_job_input WHERE job IN (SELECT id FROM ended))
    INSERT INTO comptoir_job_output (job, at, size, content) SELECT id, at, ${content.length}::int, ${content}::bytea FROM ended WHERE ${content.length}::int > 0`
}

interface Ended {
  readonly status: number | null
  readonly error?: string | null
  readonly code?: string
  readonly json?: string
  /** Media type of what it gave, where that is not JSON. */
  readonly type?: string | undefined
  readonly about?: About | null
  readonly headers?: Headers
}

const textOf = (value: unknown): string | null => (value ? JSON.stringify(value) : null)

/** Ends a job by itself: it failed, was cancelled, or its effect was there before. */
export async function end(database: Database, job: Claimed, state: JobState, ended: Ended): Promise<void> {
  await alone(database)(endOf(job, state, ended))
}

/** The job was taken over, or cancelled. Never reaches a client. */
export class LostJob extends Error {}

/**
 * Ends a job in the transaction of its effect. The transaction fails if another worker took the job over, or
 * if it was cancelled, or its key revoked.
 */
export function endWith(unit: Unit, job: Claimed, json: string, headers: Headers = [], type?: string): void {
  unit.send(sql`SELECT FROM res_users_apikeys WHERE key_hash = ${job.keyHash}::bytea FOR SHARE`)
  unit.send(endOf(job, 'done', { status: 200, json, headers, type }))
  assertHeld(unit, job, 'done')
}

/** The transaction fails where the job is no more this worker's, or was cancelled. */
export function assertHeld(unit: Unit, { id, lease }: Claimed, state: JobState): void {
  unit.buffer.check(
    sql`SELECT 1 WHERE NOT EXISTS (SELECT FROM comptoir_job WHERE id = ${id}::uuid AND lease_no = ${lease}::int AND state = ${state})`,
    () => new LostJob(),
  )
}

/** Whether jobs wait or run. */
export async function hasOpen(database: Database): Promise<boolean> {
  const [row] = await alone(database)(
    sql`SELECT EXISTS (SELECT FROM comptoir_job WHERE state IN ('queued', 'running'))`,
  )
  return row?.[0] === true
}

/** Bytes of what a job gave, from one to another, both included; a piece is read when it is asked for. */
export async function* outputBetween(
  ask: Ask,
  id: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Buffer, void> {
  for (let next = start; next <= end; ) {
    const [row] = await ask(
      sql`SELECT at::float8, content FROM comptoir_job_output WHERE job = ${id}::uuid AND at <= ${next}::bigint ORDER BY at DESC LIMIT 1`,
    )
    const [at, content] = (row ?? [0, Buffer.alloc(0)]) as readonly [number, Buffer]
    const piece = content.subarray(next - at, end + 1 - at)
    if (piece.length === 0)
      throw new Gone('The result of this job is no longer kept.', { code: 'job_expired' })
    yield piece
    next += piece.length
  }
}

/** The bytes that a job gave. */
export async function outputOf(ask: Ask, id: string): Promise<Buffer> {
  const rows = await ask(sql`SELECT content FROM comptoir_job_output WHERE job = ${id}::uuid ORDER BY at`)
  return Buffer.concat(rows.map((row) => row[0] as Buffer))
}

/** Forgets a job whose answer was given at once. */
export async function forget(database: Database, id: string): Promise<void> {
  await alone(database)(
    sql`DELETE FROM comptoir_job WHERE id = ${id}::uuid AND state IN ('done', 'failed', 'cancelled')`,
  )
}
