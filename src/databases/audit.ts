// The server's own audit log: events of whole databases, which outlive a dropped database. With the embedded
// server it is a file of JSON lines in the data directory; with an external server, which several nodes may
// use, a table of a shared database (shared.ts).
import { appendFile, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditRow } from '../models/language/outside.ts'
import { storable } from '../models/rights/audit.ts'
import type { Receivers } from './receivers/index.ts'
import type { Shared } from './shared.ts'

/** An entry: the event's name is subject and verb. It never contains passwords, keys and tokens. */
export interface ServerEvent {
  readonly event:
    | 'database.create'
    | 'database.drop'
    | 'database.duplicate'
    | 'database.rename'
    | 'database.move'
    | 'database.backup'
    | 'database.backup-failure'
    | 'database.restore'
    | 'database.neutralize'
    | 'master-password.change'
    | 'master-password.failure'
  /** The database that it is about. */
  readonly database?: string | null
  /** Login of the user, if known. */
  readonly login?: string | null
  /** Remote address; null or absent for the command line. */
  readonly address?: string | null
  /** Further facts, such as the name of a copy. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/**
 * An entry with the moment when it was written, ISO 8601 in UTC; the listener also gets entries of databases'
 * own logs.
 */
export interface AuditLine extends Omit<Required<ServerEvent>, 'event'> {
  readonly time: string
  readonly event: string
}

/**
 * Targets of the audit log: the file in the data directory, or the shared database of all nodes, and a
 * listener such as the server's log.
 */
export interface AuditTarget {
  readonly dataDir: string
  readonly shared?: Shared | null | undefined
  readonly onAudit?: ((line: AuditLine) => void) | undefined
  /** Receivers outside of the server. */
  readonly receivers?: Receivers | null | undefined
}

/** The file's name in the data directory. */
export const AUDIT_FILE = 'audit.jsonl'

/**
 * Appends an event; each line is one write, so that processes on one data directory do not mix theirs, and
 * the file is opened each time, so that it may be moved away. Never throws: what cannot be written is a
 * warning of the process and still reaches the listener.
 */
export async function audit(
  target: AuditTarget,
  { event, database, login, address, detail }: ServerEvent,
): Promise<void> {
  const line: AuditLine = {
    time: new Date().toISOString(),
    event,
    database: database ?? null,
    login: login ?? null,
    address: address ?? null,
    detail: detail ?? {},
  }
  target.onAudit?.(line)
  target.receivers?.note(line)
  if (target.shared) {
    try {
      return await target.shared.note(line)
    } catch (error) {
      process.emitWarning(
        `The audit log of all nodes could not be written, the line is in this node's file: ${String(error)}`,
      )
    }
  }
  try {
    await mkdir(target.dataDir, { recursive: true })
    await appendFile(join(target.dataDir, AUDIT_FILE), `${JSON.stringify(line)}\n`, { mode: 0o600 })
  } catch (error) {
    process.emitWarning(`The audit log could not be written: ${String(error)}`)
  }
}

/** Bytes at the end of the log that are looked through. */
const LOOKED_AT = 1_000_000

/**
 * Moment of each database's last backup, as far back as the end of the log reaches, ISO 8601 in UTC, by name.
 * The history of a name that went to another database is not counted.
 */
export async function lastBackups({
  dataDir,
  shared,
}: Pick<AuditTarget, 'dataDir' | 'shared'>): Promise<ReadonlyMap<string, string>> {
  const last = new Map<string, string>()
  for (const line of shared ? await shared.lines() : (await endOf(join(dataDir, AUDIT_FILE))).split('\n')) {
    const { event, database, time } = eventIn(line) ?? {}
    if (typeof database !== 'string') continue
    if (event === 'database.backup' && typeof time === 'string') last.set(database, time)
    else if (
      event === 'database.drop' ||
      event === 'database.create' ||
      event === 'database.restore' ||
      event === 'database.rename'
    )
      last.delete(database)
  }
  return last
}

/** A line of the log; null for a part of one. */
function eventIn(line: string): Partial<Record<keyof AuditLine, unknown>> | null {
  try {
    return JSON.parse(line) as Partial<Record<keyof AuditLine, unknown>> | null
  } catch {
    return null
  }
}

/** The end of a file; empty if the file does not exist. */
async function endOf(path: string): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - LOOKED_AT)
    const bytes = Buffer.alloc(size - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** An entry of a database's own audit log (models/rights/audit.ts) as a line for the listener. */
export function lineOf(
  database: string,
  { event, uid, login, address, model, record, name, detail }: AuditRow,
): AuditLine {
  const about = {
    ...(uid === null ? {} : { uid }),
    ...(model ? { model, record: record ?? null } : {}),
    ...(name == null ? {} : { name: storable(name) }),
  }
  return {
    time: new Date().toISOString(),
    event,
    database,
    login: storable(login),
    address,
    detail: { ...about, ...detail },
  }
}
