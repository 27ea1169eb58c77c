// The routes of jobs.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SeenJob } from '../../services/jobs/index.ts'
import { keyOwner } from '../calls.ts'
import { rangeOf } from '../content/range.ts'
import { matchesTag } from '../content/send.ts'
import { keptDetails, sendJson, sendKept, setKeptHeaders } from '../reply.ts'
import { AGAIN } from './later.ts'
import type { ExtensionOptions } from './options.ts'

type JobRequest = FastifyRequest<{ Params: { id: string } }>

/** Bytes of a result that comes with its job. */
const WITH_JOB = 64 * 1024

/** Registers the routes. */
export function jobRoutes(app: FastifyInstance, { backend }: ExtensionOptions): void {
  const { databases, jobs } = backend
  app.get('/x/1/jobs/:id', async (request: JobRequest, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const job = await jobs.jobFacts(databases, owner, request.params.id, WITH_JOB)
    if (job.finished === null) reply.header('retry-after', AGAIN)
    return sendJson(request, reply, jobText(request, job, job.result))
  })
  app.delete('/x/1/jobs/:id', async (request: JobRequest, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const job = await jobs.cancelJob(databases, owner, request.params.id)
    return sendJson(request, reply, jobText(request, job, null))
  })
  app.get('/x/1/jobs/:id/result', async (request: JobRequest, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const { id } = request.params
    const { type, size, bytes, ...answer } = await jobs.jobResult(databases, owner, id)
    const { status, code, headers } = answer
    if (code !== null) {
      const pieces: Buffer[] = []
      for await (const piece of bytes(0, size - 1)) pieces.push(piece)
      return sendKept(request, reply, { ...answer, text: Buffer.concat(pieces).toString() }, id)
    }
    setKeptHeaders(reply, headers)
    // The version of its records, or the job's id for a job without records: its result never changes.
    const etag = headers.find(([name]) => name === 'etag')?.[1] ?? `"${id}"`
    reply.headers({ etag, 'accept-ranges': 'bytes', 'content-type': type })
    if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const { 'if-range': condition } = request.headers
    const isMeant = condition === undefined || condition === etag
    const range = status === 200 && isMeant ? rangeOf(request.headers.range, size) : 'whole'
    if (range === 'outside') return reply.code(416).header('content-range', `bytes */${size}`).send()
    const { start, end } = range === 'whole' ? { start: 0, end: size - 1 } : range
    if (range !== 'whole') reply.header('content-range', `bytes ${start}-${end}/${size}`)
    reply.code(range === 'whole' ? status : 206).header('content-length', end + 1 - start)
    return reply.send(Readable.from(bytes(start, end), { objectMode: false }))
  })
}

/** A job as JSON; its result, as it came, is JSON too. */
function jobText(request: FastifyRequest, job: SeenJob, result: string | null): string {
  const { id, state, progress, attempts, created, finished, status, isOwn, expired, size, headers } = job
  const hasResult = isOwn && !expired && size > 0 && (state === 'done' || state === 'failed')
  const problem = job.error && isOwn ? keptDetails(request, { ...job, text: job.error }, id) : null
  const error = problem ? JSON.stringify(problem) : job.error
  const head = JSON.stringify({ id, state, progress, attempts, created, finished, status })
  const shown = [
    ...(result === null ? [] : [`"result":${result}`]),
    ...(error && isOwn ? [`"error":${error}`] : []),
    ...(hasResult ? [`"result_url":"/x/1/jobs/${id}/result"`] : []),
    ...(hasResult && headers?.length ? [`"headers":${JSON.stringify(joined(headers))}`] : []),
  ]
  return shown.length ? `${head.slice(0, -1)},${shown.join()}}` : head
}

/** Headers by their names, each once. */
function joined(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const all = new Map<string, Set<string>>()
  for (const [name, value] of headers) all.set(name, (all.get(name) ?? new Set()).add(value))
  return Object.fromEntries([...all].map(([name, values]) => [name, [...values].join(', ')]))
}
