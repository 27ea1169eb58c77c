// The verbs of jobs: queue, look, wait, cancel, fetch.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../access/index.ts'
import type { Database, Databases } from '../../databases/index.ts'
import { type About, BadRequest, Gone, NotFound, UnprocessableEntity } from '../../errors.ts'
import { fingerprintOf } from '../../kit/canonical.ts'
import { jsonInTurns } from '../../kit/json-in-turns.ts'
import { only } from '../../kit/present.ts'
import { hashKey } from '../../kit/secrets.ts'
import { sha256 } from '../../kit/sha256.ts'
import { traceNow } from '../../kit/watch/index.ts'
import { assertWithin } from '../../limits.ts'
import type { MethodDef } from '../../models/language/definitions.ts'
import type { Unit } from '../../models/language/unit.ts'
import { sql } from '../../sql/index.ts'
import { planOf } from '../batch/plan.ts'
import { assertMeant, preferencesOf, shaping } from '../calls/answer-preferences.ts'
import { inDatabase, type Owner } from '../calls/caller.ts'
import { bind, findMethod } from '../calls/method.ts'
import { assertAbility, assertQueues, assertScope, isDryRun, reportDryRun } from '../calls/scope.ts'
import { transact } from '../calls/transact.ts'
import type { CallBody, RequestPreferences } from '../request.ts'
import { inLines } from '../row-lines.ts'
import { assertFewWait, keyReused, newId } from './ids.ts'
import {
  alone,
  type Claimed,
  factsOf,
  forget,
  type Headers,
  isOfKey,
  type JobFacts,
  outputBetween,
  outputOf,
  type Queued,
  type Work,
  within,
} from './store.ts'

export { type Receiving, receiveBulk } from './bulk/receive.ts'
export type { Queued, Work } from './store.ts'

export interface Queueing extends Owner {
  readonly work: Work
  readonly asks?: RequestPreferences | null | undefined
}

/**
 * Queues work; gives the job's id, that of the earlier one for a key that was used for the same. Throws what
 * the call would be refused for before it begins.
 */
export async function queue(server: Databases, request: Queueing): Promise<Queued> {
  const { asks, work, credential } = request
  if (credential.kind !== 'key') throw new BadRequest('Jobs require an API key.')
  if (asks?.dryRun)
    throw new BadRequest('tx=rollback and respond-async exclude each other: a dry run answers at once.')
  const keyHash = hashKey(credential.key)
  const named = asks?.key === undefined ? null : sha256(asks.key)
  const trace = traceNow()
  const kept = {
    key: asks?.key,
    etag: asks?.etag,
    ifMatch: asks?.ifMatch,
    typed: asks?.typed ?? null,
    page: asks?.page,
    count: asks?.count,
    lenient: asks?.lenient,
    problem: asks?.problem,
    lines: asks?.lines,
    ...(trace && { trace }),
    from: request.remote,
  }
  const call = await jsonInTurns({ work, asks: kept } satisfies Pick<Claimed, 'work' | 'asks'>)
  assertWithin('job', call.length)
  const workFingerprint = await fingerprintOf(work)
  return inDatabase(server, request, (database, caller) =>
    transact(database, caller, request, { readonly: false }, async (unit) => {
      assertQueues(caller)
      const method = work.kind === 'call' ? assertFits(database, caller, work, asks) : null
      if (!method) assertMeant(asks, 'a batch', ': its calls have the member ifMatch')
      if (work.kind === 'batch') planOf(work.body)
      // As for a call that is done at once: the form of its answer makes it another one.
      const form = asks ? (method ? formOf(asks, method) : (asks.typed ?? undefined)) : undefined
      const fingerprint =
        form === undefined
          ? Buffer.from(workFingerprint, 'hex')
          : sha256(`${workFingerprint} ${JSON.stringify(form)}`)
      await assertFewWait(unit, caller)
      const fresh = newId()
      const rows = await unit.query<
        [string, Buffer, JobFacts['state']]
      >(sql`INSERT INTO comptoir_job AS j (id, uid, key_hash, named, fingerprint, call)
        VALUES (${fresh}::uuid, ${caller.profile.id}::int, ${keyHash}::bytea, ${named}::bytea, ${fingerprint}::bytea, ${call})
        ON CONFLICT (uid, named) DO UPDATE SET named = excluded.named RETURNING id::text, fingerprint, state`)
      const [id, storedFingerprint, state] = only(rows)
      if (!fingerprint.equals(storedFingerprint)) throw keyReused()
      if (id !== fresh && caller.scope && !(await isOfKey(within(unit), id, keyHash))) throw keyReused()
      return { id, isNew: id === fresh, state }
    }),
  )
}

/** Preferences that shape the answer of a job's call: answers of different pages must not be confused. */
function formOf(asks: RequestPreferences, method: MethodDef): unknown {
  const page = asks.page && method.pages ? asks.page : undefined
  const lines = asks.lines && inLines.has(method.name) ? asks.lines : undefined
  return page || lines ? { typed: shaping(asks, method), page, lines } : shaping(asks, method)
}

/** Refuses now what would be refused when the job runs. Returns the method. */
function assertFits(
  database: Database,
  caller: Caller,
  work: Work & { kind: 'call' },
  asks: Queueing['asks'],
): MethodDef {
  const target = findMethod(database, caller.rights.registry.get(work.model), work)
  if (target.refusal) throw target.refusal
  const { model, method } = target
  bind(model, method, work.body as CallBody)
  assertScope(caller, model, method)
  preferencesOf(asks, target, '')
  if (method.secret || method.lasting)
    throw new UnprocessableEntity(
      `${method.name} of ${model.name} cannot run as a job: its answer is a secret that is not stored.`,
    )
  return method
}

/** A job as one caller sees it. */
export interface SeenJob extends JobFacts {
  readonly isOwn: boolean
}

const NO_KEY = Buffer.alloc(0)

const keyHashOf = ({ credential }: Owner): Buffer =>
  credential.kind === 'key' ? hashKey(credential.key) : credential.kind === 'hash' ? credential.hash : NO_KEY

/** Runs something about a job that the caller may see, in one transaction. Throws NotFound. */
function withJob<T>(
  server: Databases,
  owner: Owner,
  { id, readonly }: { readonly id: string; readonly readonly: boolean },
  work: (unit: Unit, job: SeenJob) => Promise<T>,
): Promise<T> {
  return inDatabase(server, owner, (database, caller, standing) =>
    transact(
      database,
      caller,
      owner,
      { readonly, tellsPosition: true, ...standing, rehearsed: isDryRun(caller, owner) },
      async (unit) => {
        assertAbility(caller, 'jobs')
        if (isDryRun(caller, owner)) reportDryRun(owner)
        const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
        const job = isId ? await factsOf(within(unit), id) : null
        const isOwn = job?.uid === caller.profile.id
        if (!job || (!isOwn && !caller.profile.groups.has('base.group_system')))
          throw new NotFound('Job not found.')
        // Another key of the same user may open more: its answers are not for a narrowed one.
        if (caller.scope && !(await isOfKey(within(unit), id, keyHashOf(owner))))
          throw new NotFound('Job not found.')
        return work(unit, { ...job, isOwn })
      },
    ),
  )
}

/**
 * A job of the caller's, or of anybody for administrators; and the caller's own result, where it is there and
 * has no more than `most` bytes. Throws NotFound.
 */
export function jobFacts(
  server: Databases,
  owner: Owner,
  id: string,
  most: number,
): Promise<SeenJob & { readonly result: string | null }> {
  return withJob(server, owner, { id, readonly: true }, async (unit, job) => {
    const { state, isOwn, expired, size } = job
    const isShown = state === 'done' && isOwn && !expired && size <= most && isJson(job)
    return { ...job, result: isShown ? (await outputOf(within(unit), id)).toString() : null }
  })
}

/** Cancels a job that is not over: what it was about to do is not committed. Gives it as it is then. */
export function cancelJob(server: Databases, owner: Owner, id: string): Promise<SeenJob> {
  return withJob(server, owner, { id, readonly: false }, async (unit, job) => {
    if (job.finished !== null) return job
    unit.send(sql`DELETE FROM comptoir_job_input WHERE job = ${id}::uuid`)
    unit.send(
      sql`UPDATE comptoir_job SET state = 'cancelled', finished = now() WHERE id = ${id}::uuid AND state IN ('queued', 'running')`,
    )
    return { ...job, ...(await factsOf(within(unit), id)) }
  })
}

/** Result of a job: as many bytes as wanted, whole or in pieces. */
export interface JobResult {
  readonly status: number
  /** Machine-readable code of the error; null for a success. */
  readonly code: string | null
  /** Facts about the failure for problem details; null where these were not asked for. */
  readonly about: About | null
  readonly headers: Headers
  readonly type: string
  readonly size: number
  /** Bytes from one to another, both included: read piece by piece. */
  bytes(start: number, end: number): AsyncGenerator<Buffer, void>
}

/** The answer of the call. Throws NotFound before the call has ended, Gone once the answer has expired. */
export function jobResult(server: Databases, owner: Owner, id: string): Promise<JobResult> {
  return withJob(server, owner, { id, readonly: true }, async (_, { isOwn, status, expired, ...job }) => {
    if (!isOwn || status === null) throw new NotFound('This job has no result.')
    if (expired) throw new Gone('The result of this job is no longer kept.', { code: 'job_expired' })
    const { type, size, code, about, headers } = job
    const { database } = owner
    const bytes = async function* (start: number, end: number) {
      yield* outputBetween(alone(await server.database(database)), id, { start, end })
    }
    const answer = isJson(job) ? { status, code, about } : { status: 200, code: null, about: null }
    return { ...answer, headers: headers ?? [], type, size, bytes }
  })
}

/** Whether what it gave is one JSON text, and not many lines. */
const isJson = ({ type }: JobFacts | Pick<JobFacts, 'type'>) => type.startsWith('application/json')

/** Milliseconds between two looks, at first and at most. */
const [FIRST_MS, MOST_MS] = [20, 250]

/** Limits of a wait for a job: seconds, and an abort signal. */
interface Patience {
  readonly seconds: number
  readonly signal: AbortSignal
}

/** The job once it is over, or its state when the wait ends. */
export async function awaited(
  server: Databases,
  owner: Owner,
  id: string,
  { seconds, signal }: Patience,
): Promise<JobFacts | null> {
  const database = await server.database(owner.database)
  const until = performance.now() + seconds * 1000
  for (let pause = FIRST_MS; ; pause = Math.min(MOST_MS, pause * 1.5)) {
    const job = await factsOf(alone(database), id)
    const isOver = performance.now() > until || signal.aborted || owner.gone?.()
    if (!job || job.finished !== null || isOver) return job
    await sleep(pause)
  }
}

/** The answer of a finished job; `forgets` removes the job, because its client does not know of it. */
export async function collected(
  server: Databases,
  owner: Owner,
  id: string,
  forgets: boolean,
): Promise<Buffer> {
  const database = await server.database(owner.database)
  const content = await outputOf(alone(database), id)
  if (forgets) await forget(database, id)
  return content
}
