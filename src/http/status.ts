// Version and health, for anyone: no database, no key (spec/wire.md section 13).
import type { FastifyInstance } from 'fastify'
import type { Backend } from '../wire/backend.ts'
import type { Drain } from './drain.ts'
import type { Log } from './log.ts'
import { queryOf } from './query.ts'
import { sendJson } from './reply.ts'

interface StatusOptions {
  readonly backend: Backend
  readonly log: Log
  readonly drain: Drain
}

/** Registers `/web/version`, `/json/version` and `/web/health`. */
export function statusRoutes(app: FastifyInstance, { backend, log, drain }: StatusOptions): void {
  const { server_version_info, server_version } = backend.version()
  const version = JSON.stringify({ version_info: server_version_info, version: server_version })
  for (const path of ['/web/version', '/json/version'])
    app.get(path, (request, reply) => sendJson(request, reply, version))

  app.get('/web/health', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const query = queryOf(request)
    if (isYes(query.ready)) {
      const { reason, down } = await standing(backend, drain)
      if (!reason) return sendJson(request, reply, JSON.stringify(await readiness(backend, down)))
      return sendJson(request, reply, JSON.stringify({ status: 'fail', ready: false, reason }), 503)
    }
    if (!isYes(query.db_server_status)) return sendJson(request, reply, '{"status":"pass"}')
    try {
      await backend.databases.pulse()
      return sendJson(request, reply, '{"status":"pass","db_server_status":true}')
    } catch (error) {
      log.error('The database server does not respond', { request: request.id, error })
      return sendJson(request, reply, '{"status":"fail","db_server_status":false}', 500)
    }
  })
}

/** Whether calls may come; problems of the backups or the disk are reported, but do not stop calls. */
async function readiness({ databases }: Backend, down: readonly string[]): Promise<object> {
  const [backup, disk] = await Promise.all([
    databases.backupState().catch(() => null),
    databases.disk().catch(() => null),
  ])
  const facts = {
    ...(backup?.failing && { backup: { status: 'fail', reason: backup.failing } }),
    ...(disk?.lack && { disk: lacks[disk.lack] }),
  }
  const status = Object.keys(facts).length > 0 ? 'warn' : 'pass'
  return { status, ready: true, ...facts, ...replicaFact(databases), ...(down.length ? { down } : {}) }
}

/** Words for the disk of the data directory, which any client may read. */
const lacks = {
  room: { status: 'fail', reason: 'the disk is nearly full: make room now' },
  files: { status: 'fail', reason: 'the disk is almost out of inodes: remove files now' },
  soon: { status: 'warn', reason: 'less than a tenth of the disk is left: make room soon' },
}

interface Standing {
  /** Why no calls should be sent here at the moment; null when they may. */
  readonly reason: string | null
  /** Clusters whose databases are not there, while those of others are. */
  readonly down: readonly string[]
}

/** Balancers ask often: it is no line of the log. */
async function standing({ databases }: Backend, drain: Drain): Promise<Standing> {
  if (drain.draining) return { reason: 'draining', down: [] }
  try {
    const { writable, down } = await databases.pulse()
    return { reason: writable ? null : 'database-read-only', down }
  } catch {
    return { reason: 'database-unreachable', down: [] }
  }
}

/** Without its replica a server stays ready, and the health answer says so. */
const replicaFact = ({ replica }: Backend['databases']) =>
  replica ? { replica: replica.health.isWell ? 'used' : 'away' } : {}

function isYes(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}
