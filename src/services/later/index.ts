// The verbs of jobs: queue, look, wait, cancel, fetch.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../access/index.ts'
import type { Database, Databases } from '../../databases/index.ts'
import { BadRequest, Gone, NotFound, UnprocessableEntity } from '../../errors.ts'
import { canonical } from '../../kit/canonical.ts'
import { hashKey } from '../../kit/secrets.ts'
import type { Unit } from '../../models/language/unit.ts'
import { sql } from '../../sql/index.ts'
import { inDatabase, type Owner } from '../calls/caller.ts'
import { bind, find } from '../calls/method.ts'
import { assertDoor, assertScope } from '../calls/scope.ts'
import { transact } from '../calls/transact.ts'
import type { Asks, CallBody } from '../request.ts'
import { alone, type Claimed, factsOf, forget, type JobFacts, outputOf, type Work, within } from './store.ts'

export type { Work } from './store.ts'

/** Jobs of one user that wait. */
const MOST_WAITING = 1000

export interface Queueing extends Owner {
  readonly work: Work
  readonly asks?: Asks | null | undefined
}

/** A version 7 UUID: ids of later jobs come later. */
function newId(): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Queues work; gives the job's id, that of the earlier one for a key that was used for the same. Throws what
 * the call would be refused for before it begins.
 */
export async function queue(server: Databases, request: Queueing): Promise<string> {
  const { asks, work, credential } = request
  if (credential.kind !== 'key') throw new BadRequest('Jobs are queued with an API key.')
  if (asks?.dryRun)
    throw new BadRequest('A dry run answers at once: it cannot be asked for together with respond-async.')
  const hash = hashKey(credential.key)
  const named = asks?.key === undefined ? null : sha256(asks.key)
  const kept = { key: asks?.key, etag: asks?.etag, ifMatch: asks?.ifMatch }
  const call = JSON.stringify({ work, asks: kept } satisfies Pick<Claimed, 'work' | 'asks'> | object)
  const fingerprint = sha256(canonical(JSON.parse(JSON.stringify(work))))
  return inDatabase(server, request, (database, caller) =>
    transact(database, caller, request, { readonly: false }, async (unit) => {
      assertDoor(caller, 'jobs')
      if (caller.scope?.dry) throw new BadRequest('A key that only tries things out queues no jobs.')
      if (work.kind === 'call') assertFits(database, caller, work)
      const [waiting] = await unit.query(
        sql`SELECT count(*)::int FROM comptoir_job WHERE uid = ${caller.profile.id}::int AND state = 'queued'`,
      )
      if ((waiting?.[0] as number) >= MOST_WAITING)
        throw new UnprocessableEntity(`${MOST_WAITING} jobs of yours are waiting already.`, {
          code: 'too_many',
        })
      const [row] =
        await unit.query(sql`INSERT INTO comptoir_job AS j (id, uid, key_hash, named, fingerprint, call)
        VALUES (${newId()}::uuid, ${caller.profile.id}::int, ${hash}::bytea, ${named}::bytea, ${fingerprint}::bytea, ${call})
        ON CONFLICT (uid, named) DO UPDATE SET named = excluded.named RETURNING id::text, fingerprint`)
      if (!fingerprint.equals(row?.[1] as Buffer))
        throw new UnprocessableEntity('This Idempotency-Key was used for another call.', {
          code: 'idempotency_key_reused',
        })
      return row?.[0] as string
    }),
  )
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** What would be refused anyway is refused now. */
function assertFits(database: Database, caller: Caller, work: Work & { kind: 'call' }): void {
  const target = find(database, caller.rights.registry.get(work.model), work)
  if (target.refusal) throw target.refusal
  const { model, method } = target
  bind(model, method, structuredClone(work.body) as CallBody)
  assertScope(caller, model, method)
  if (method.secret || method.lasting)
    throw new UnprocessableEntity(`${method.name} of ${model.name} is no job: its answer is given once.`)
}

/** A job as one caller sees it. */
export interface SeenJob extends JobFacts {
  readonly isOwn: boolean
}

/** Runs something about a job that the caller may see, in one transaction. Throws NotFound. */
function withJob<T>(
  server: Databases,
  owner: Owner,
  { id, readonly }: { readonly id: string; readonly readonly: boolean },
  work: (unit: Unit, job: SeenJob) => Promise<T>,
): Promise<T> {
  return inDatabase(server, owner, (database, caller, standing) =>
    transact(database, caller, owner, { readonly, ...standing }, async (unit) => {
      assertDoor(caller, 'jobs')
      const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)
      const job = isId ? await factsOf(within(unit), id) : null
      const isOwn = job?.uid === caller.profile.id
      if (!job || (!isOwn && !caller.profile.groups.has('base.group_system')))
        throw new NotFound('There is no such job.')
      return work(unit, { ...job, isOwn })
    }),
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
    const isShown = state === 'done' && isOwn && !expired && size <= most
    return { ...job, result: isShown ? (await outputOf(within(unit), id)).toString() : null }
  })
}

/** Cancels a job that is not over: what it was about to do is not committed. Gives it as it is then. */
export function cancelJob(server: Databases, owner: Owner, id: string): Promise<SeenJob> {
  return withJob(server, owner, { id, readonly: false }, async (unit, job) => {
    if (job.finished !== null) return job
    unit.send(
      sql`UPDATE comptoir_job SET state = 'cancelled', finished = now() WHERE id = ${id}::uuid AND state IN ('queued', 'running')`,
    )
    return { ...job, ...(await factsOf(within(unit), id)) }
  })
}

/** The bytes that the call answered. Throws NotFound before they are there, Gone once they are no more. */
export function jobResult(
  server: Databases,
  owner: Owner,
  id: string,
): Promise<{ readonly status: number; readonly content: Buffer }> {
  return withJob(server, owner, { id, readonly: true }, async (unit, { isOwn, status, expired }) => {
    if (!isOwn || status === null) throw new NotFound('There is no result of this job.')
    if (expired) throw new Gone('The result of this job is no longer kept.', { code: 'job_expired' })
    return { status, content: await outputOf(within(unit), id) }
  })
}

/** Milliseconds between two looks, at first and at most. */
const [FIRST_MS, MOST_MS] = [20, 250]

/** The job once it is over, or as it is after so many seconds. */
export async function awaited(
  server: Databases,
  owner: Owner,
  id: string,
  seconds: number,
): Promise<JobFacts | null> {
  const database = await server.database(owner.database)
  const until = performance.now() + seconds * 1000
  for (let pause = FIRST_MS; ; pause = Math.min(MOST_MS, pause * 1.5)) {
    const job = await factsOf(alone(database), id)
    if (!job || job.finished !== null || performance.now() > until || owner.gone?.()) return job
    await sleep(pause)
  }
}

/** The answer of a job that was waited for; the job is forgotten. */
export async function collected(server: Databases, owner: Owner, id: string): Promise<Buffer> {
  const database = await server.database(owner.database)
  const content = await outputOf(alone(database), id)
  await forget(database, id)
  return content
}
