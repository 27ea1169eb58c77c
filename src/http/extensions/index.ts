// The routes under /x/1, beyond the documented API: those of parts that are switched on. What is off is not
// there, like any unknown path.
import type { FastifyInstance } from 'fastify'
import type { Extensions } from '../../config/index.ts'
import type { Backend } from '../../wire/backend.ts'
import { batchText } from '../../wire/batch.ts'
import { errorHeaders } from '../../wire/errors.ts'
import type { Bodies } from '../body.ts'
import { keyOwner } from '../calls.ts'
import { sendJson } from '../reply.ts'
import { jsonBody } from './json-body.ts'

export interface ExtensionOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly extensions: Extensions
}

/** Registers the routes. */
export function extensionRoutes(app: FastifyInstance, options: ExtensionOptions): void {
  const { extensions } = options
  if (extensions.size === 0) return
  const list = JSON.stringify({ extensions: [...extensions] })
  app.get('/x/1', (request, reply) => sendJson(request, reply, list))
  if (extensions.has('batch')) batchRoute(app, options)
}

function batchRoute(app: FastifyInstance, { backend, bodies }: ExtensionOptions): void {
  app.post('/x/1/batch', async (request, reply) => {
    const owner = await keyOwner(request, reply, backend)
    const body = await jsonBody(request, reply, { backend, bodies, owner })
    const answer = await backend.batch(backend.databases, { ...owner, body })
    if (answer.failed) reply.headers(errorHeaders(answer.failed.error))
    return sendJson(request, reply, batchText(answer), answer.failed?.error.status ?? 200)
  })
}
