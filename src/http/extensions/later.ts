// The answer of a call that is done later.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Owner } from '../../services/calls/caller.ts'
import type { Queued, Work } from '../../services/jobs/index.ts'
import type { RequestPreferences } from '../../services/request.ts'
import type { Backend } from '../../wire/backend.ts'
import { sendJson, sendKept, setKeptHeaders } from '../reply.ts'

/** Seconds after which it is worth to look again. */
export const AGAIN = '2'

type Asking = Owner & { readonly asks: RequestPreferences | null }

/** Queues work and answers 202; or, if the caller waits and it is done in time, as the call would. */
export async function answerLater(
  request: FastifyRequest,
  reply: FastifyReply,
  backend: Backend,
  { owner, work }: { readonly owner: Asking; readonly work: Work },
): Promise<unknown> {
  const { databases, jobs } = backend
  const { queue, awaited, collected } = jobs
  const queued = await queue(databases, { ...owner, work })
  const { id, isNew } = queued
  backend.wake(owner.database)
  const wait = owner.asks?.later?.wait ?? null
  const job =
    wait === null
      ? null
      : await awaited(databases, owner, id, { seconds: wait, signal: request.server.stopping })
  reply.header('preference-applied', 'respond-async')
  if (!isNew) reply.header('idempotent-replayed', 'true')
  if (job?.finished && job.status !== null && job.status !== 401) {
    // The end of a job and its work are one commit: a job that failed has done nothing.
    if (job.status === 503) reply.headers({ 'retry-after': AGAIN, 'x-comptoir-outcome': 'undone' })
    // The client knows the address of a job that was queued before: the result stays there.
    const content = await collected(databases, owner, id, isNew)
    if (job.code === null && !job.type.startsWith('application/json')) {
      setKeptHeaders(reply, job.headers)
      return reply.type(job.type).send(content)
    }
    return sendKept(request, reply, { ...job, text: content.toString() }, id)
  }
  return sendQueued(request, reply, { ...queued, state: job?.state ?? queued.state })
}

/**
 * Sends the address of a job, and when to look again; if its idempotency key was used before, a header says
 * so.
 */
export function sendQueued(request: FastifyRequest, reply: FastifyReply, { id, isNew, state }: Queued) {
  reply.header('location', `/x/1/jobs/${id}`)
  if (!isNew) reply.header('idempotent-replayed', 'true')
  if (state === 'queued' || state === 'running') reply.header('retry-after', AGAIN)
  return sendJson(request, reply, JSON.stringify({ id, state }), 202)
}
