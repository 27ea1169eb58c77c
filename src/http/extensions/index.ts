// The routes under /x/1, beyond the documented API, of extensions that are switched on. Others give 404, like
// any unknown path.
import type { FastifyInstance } from 'fastify'
import { batchText } from '../../wire/batch.ts'
import { errorHeaders } from '../../wire/errors.ts'
import { keyOwner } from '../calls.ts'
import type { Log } from '../log.ts'
import { sendJson } from '../reply.ts'
import { bulkRoute } from './bulk.ts'
import { changesRoutes } from './changes.ts'
import { exportRoute } from './export.ts'
import { jobRoutes } from './jobs.ts'
import { jsonBody } from './json-body.ts'
import { answerLater } from './later.ts'
import { agentRoutes } from './mcp.ts'
import type { ExtensionOptions } from './options.ts'
import { problemPages } from './problems.ts'
import { webhookRoutes } from './webhooks.ts'

/** Registers the routes. */
export function extensionRoutes(app: FastifyInstance, options: ExtensionOptions, log: Log): void {
  const { extensions } = options
  if (extensions.size === 0) return
  const list = JSON.stringify({ extensions: [...extensions] })
  app.get('/x/1', (request, reply) => sendJson(request, reply, list))
  if (extensions.has('batch')) batchRoute(app, options)
  if (extensions.has('jobs')) jobRoutes(app, options)
  if (extensions.has('mcp')) agentRoutes(app, options)
  if (extensions.has('jobs') && extensions.has('upsert')) bulkRoute(app, options)
  if (extensions.has('jobs')) exportRoute(app, options, log)
  if (extensions.has('changes')) changesRoutes(app, options)
  if (extensions.has('webhooks')) webhookRoutes(app, options)
  if (extensions.has('problems')) problemPages(app)
}

function batchRoute(app: FastifyInstance, { backend, bodies }: ExtensionOptions): void {
  app.post('/x/1/batch', async (request, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const body = await jsonBody(request, reply, { backend, bodies, owner })
    if (owner.asks?.later)
      return answerLater(request, reply, backend, { owner, work: { kind: 'batch', body: await body() } })
    const answer = await backend.batch(backend.databases, { ...owner, body })
    if (answer.failed) reply.headers(errorHeaders(answer.failed.error))
    return sendJson(request, reply, batchText(answer), answer.failed?.error.status ?? 200)
  })
}
