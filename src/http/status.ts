// Version and health, for anyone: no database, no key (spec/wire.md section 13).
import type { FastifyInstance } from 'fastify'
import type { Backend } from '../wire/backend.ts'
import type { Log } from './log.ts'
import { queryOf } from './query.ts'
import { sendJson } from './reply.ts'

/** Registers `/web/version`, `/json/version` and `/web/health`. */
export function statusRoutes(app: FastifyInstance, { backend, log }: { backend: Backend; log: Log }): void {
  const { server_version_info, server_version } = backend.version()
  const version = JSON.stringify({ version_info: server_version_info, version: server_version })
  for (const path of ['/web/version', '/json/version']) app.get(path, (request, reply) => sendJson(request, reply, version))

  app.get('/web/health', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!asksForDatabase(queryOf(request).db_server_status)) return sendJson(request, reply, '{"status":"pass"}')
    try {
      await backend.databases.list()
      return sendJson(request, reply, '{"status":"pass","db_server_status":true}')
    } catch (error) {
      log.error('The database server does not answer', { request: request.id, error })
      return sendJson(request, reply, '{"status":"fail","db_server_status":false}', 500)
    }
  })
}

function asksForDatabase(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}
