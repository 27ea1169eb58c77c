// Restore points: named moments of a server's log.
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../errors.ts'
import { manageEmbedded } from '../../postgres/embedded/index.ts'
import { Connection } from '../../postgres/index.ts'

export interface Point {
  readonly name: string
  readonly at: string
}

const NAME = /^[\w.-]{1,60}$/

/** Names this moment. Throws UserError for a name that cannot be one, or is taken. */
export async function namePoint(dataDir: string, folder: string, name: string): Promise<Point> {
  if (!NAME.test(name))
    throw new UserError('Invalid name: use at most 60 letters, digits, dots, dashes and underscores.')
  if ((await restorePoints(folder)).some((point) => point.name === name))
    throw new UserError(`A restore point ${name} already exists: choose another name.`)
  const server = await manageEmbedded(dataDir)
  const connection = await Connection.connect({ ...server, database: 'postgres' })
  try {
    await connection.query('SELECT pg_create_restore_point($1)', [name])
    const point = { name, at: new Date().toISOString() }
    // It is worth something once its segment is in the archive.
    await connection.query('SELECT pg_switch_wal()')
    await appendFile(join(folder, 'points.jsonl'), `${JSON.stringify(point)}\n`, { mode: 0o600, flush: true })
    return point
  } finally {
    await connection.close()
  }
}

/** All that were named, the oldest first. */
export async function restorePoints(folder: string): Promise<Point[]> {
  const text = await readFile(join(folder, 'points.jsonl'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Point)
}
