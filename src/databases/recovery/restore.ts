// A new data directory from backups: the server brought to a moment, contents of attachments put back, and
// what must not go on as if nothing had been.
import { existsSync } from 'node:fs'
import { copyFile as copyPlain, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupError } from '../../errors.ts'
import { renewFeed } from '../../models/changes/tables.ts'
import {
  basesIn,
  contentsIn,
  copyFile,
  reachOf,
  readOwner,
  restoreServer,
  startEmbedded,
  type Target,
  walIn,
} from '../../postgres/embedded/index.ts'
import { Admin, Connection, type ServerAddress } from '../../postgres/index.ts'
import { filesDirectory } from '../filestore.ts'
import { type Backup, BESIDE, backupsIn } from './backups.ts'
import { restorePoints } from './points.ts'

export interface RestoreOrder {
  /** The folder of backups. */
  readonly folder: string
  readonly target: Target
  /** A base backup by its label; the newest that leads to the target by default. */
  readonly label?: string | undefined
  /** A timeline; the newest by default. */
  readonly timeline?: number | undefined
  /** False for tests. */
  readonly durable?: boolean
  readonly progress?: (step: string, done: number) => void
}

export interface RestoredServer {
  readonly base: string
  /** Commit time of the last restored transaction; null if there was none since the base backup. */
  readonly last: string | null
  readonly databases: readonly RestoredDatabase[]
}

export interface RestoredDatabase {
  readonly name: string
  readonly contents: number
  /** Contents of attachments that the backup does not have. */
  readonly missing: number
}

/** Makes a data directory. Throws StartupError; then nothing was made. */
export async function restoreTo(dataDir: string, order: RestoreOrder): Promise<RestoredServer> {
  const { folder, target, durable = true, progress = () => undefined } = order
  if ((await readOwner(folder)) === undefined) throw new StartupError(`${folder} holds no backups.`)
  const base = await chosen(order)
  const { last } = await restoreServer(dataDir, {
    folder,
    base,
    reach: base.reach,
    target,
    durable,
    progress,
  })
  for (const name of BESIDE) {
    const path = join(basesIn(folder), base.label, name)
    if (existsSync(path)) await copyPlain(path, join(dataDir, name))
  }
  const server = await startEmbedded({ dataDir, durable, log: () => undefined })
  try {
    const names = await new Admin(server).listDatabases()
    const databases: RestoredDatabase[] = []
    for (const [i, name] of names.entries()) {
      progress(`files of ${name}`, i / names.length)
      databases.push(await settle(server, { name, dataDir, folder }))
    }
    return { base: base.label, last, databases }
  } finally {
    await server.stop()
  }
}

/** The base backup to begin with. Throws StartupError if the archive does not reach the target. */
async function chosen({ folder, target, label, timeline }: RestoreOrder): Promise<Backup> {
  const all = await backupsIn(folder)
  const until = await momentOf(folder, target)
  const backup = label
    ? all.find((base) => base.label === label)
    : all.findLast((base) => until === null || Date.parse(base.ended) <= until)
  if (!backup) throw new StartupError(noBackupMessage(all, label))
  const reach = timeline === undefined ? backup.reach : await reachOf(walIn(folder), backup.first, timeline)
  const { segments, gap } = reach
  if (!segments.includes(backup.last))
    throw new StartupError(`The WAL of the base backup ${backup.label} is incomplete: ${gap} is missing.`)
  if (gap && (until === null || until > (reach.until?.getTime() ?? 0)))
    throw new StartupError(
      `The archive has a gap: ${gap} is missing. The last time before the gap is ${reach.until?.toISOString()}: choose it or an earlier time with --to.`,
    )
  return { ...backup, reach }
}

/** Milliseconds of the moment that is meant; null for the end. */
async function momentOf(folder: string, target: Target): Promise<number | null> {
  if (target === null) return null
  if ('time' in target) return target.time.getTime()
  const point = (await restorePoints(folder)).find(({ name }) => name === target.point)
  if (!point) throw new StartupError(`Restore point ${target.point} not found.`)
  return Date.parse(point.at)
}

function noBackupMessage(all: readonly Backup[], label: string | undefined): string {
  if (label !== undefined) return `Base backup ${label} not found: \`comptoir backup list\` lists all.`
  const first = all[0]
  return first
    ? `The earliest time that can be restored is ${first.ended}.`
    : 'There are no base backups. `comptoir backup base` takes one.'
}

interface Place {
  readonly name: string
  readonly dataDir: string
  readonly folder: string
}

/** Columns and tables that a database may have. */
const HAS = `SELECT to_regclass('ir_attachment') IS NOT NULL, to_regclass('browser_session') IS NOT NULL, to_regclass('comptoir_feed') IS NOT NULL`

/**
 * Puts the contents of a database back. Sessions end, and followers of its change feed learn that the history
 * differs.
 */
async function settle(server: ServerAddress, { name, dataDir, folder }: Place): Promise<RestoredDatabase> {
  const connection = await Connection.connect({ ...server, database: name, statementTimeout: 0 })
  try {
    const [has] = await connection.query(HAS)
    if (has?.[1]) await connection.query('DELETE FROM browser_session')
    if (has?.[2]) await connection.query(renewFeed)
    const rows = has?.[0]
      ? await connection.query('SELECT DISTINCT store_fname FROM ir_attachment WHERE store_fname IS NOT NULL')
      : []
    let missing = 0
    for (const [key] of rows) {
      const source = join(contentsIn(folder), String(key))
      const target = join(filesDirectory(dataDir, name), String(key))
      if (existsSync(source)) {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await copyFile(source, target)
      } else missing++
    }
    return { name, contents: rows.length - missing, missing }
  } finally {
    await connection.close()
  }
}
