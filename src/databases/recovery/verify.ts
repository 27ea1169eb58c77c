// Verifies backups: restores them into another folder, reads all data, compares it, and removes the copy.

import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'
import { messageOf } from '../../kit/caught.ts'
import {
  hashOfFile,
  type Managed,
  manageEmbedded,
  removeUnused,
  startEmbedded,
} from '../../postgres/embedded/index.ts'
import { Admin, Connection, sqlState } from '../../postgres/index.ts'
import { filesDirectory, storedIn } from '../filestore.ts'
import { type RestoreOrder, restoreTo } from './restore.ts'

export interface Verified {
  readonly base: string
  readonly last: string | null
  readonly databases: readonly VerifiedDatabase[]
  /** Problems, in words; empty: the backups are good. */
  readonly wrong: readonly string[]
}

interface VerifiedDatabase {
  readonly name: string
  readonly tables: number
  readonly indexes: number
  readonly contents: number
}

/**
 * Restores into a temporary folder below `within`, with a password that only this process has, reads every
 * table, index and content, and removes it. Throws StartupError if `within` cannot be created or written.
 */
export async function verify(order: RestoreOrder, within = tmpdir()): Promise<Verified> {
  const dataDir = await mkdir(within, { recursive: true })
    .then(() => mkdtemp(join(within, 'comptoir-verify-')))
    .catch((cause: unknown) => {
      throw new StartupError(
        `Cannot restore into ${within}: ${messageOf(cause)}. Choose another folder with --in.`,
        { cause },
      )
    })
  // Under root the server's account must get through.
  await chmod(dataDir, 0o711)
  try {
    const { base, last, databases: restored } = await restoreTo(dataDir, order)
    const wrong = restored
      .filter(({ missing }) => missing > 0)
      .map(({ name, missing }) => `${name}: ${missing} contents of attachments are missing`)
    const embedded = await startEmbedded({ dataDir, durable: false, log: () => undefined })
    try {
      const server = await manageEmbedded(dataDir)
      const names = [...(await new Admin(embedded).listDatabases()), 'postgres']
      const databases: VerifiedDatabase[] = []
      for (const [i, name] of names.entries()) {
        order.progress?.(`reading ${name}`, i / names.length)
        databases.push(await read(server, dataDir, name, wrong))
      }
      return { base, last, databases, wrong }
    } finally {
      await embedded.stop()
    }
  } finally {
    await removeUnused(dataDir)
  }
}

/** Reads a database as PostgreSQL's own checker (amcheck) does, page by page, with their checksums. */
async function read(
  server: Managed,
  dataDir: string,
  name: string,
  wrong: string[],
): Promise<VerifiedDatabase> {
  const connection = await Connection.connect({ ...server, database: name, statementTimeout: 0 })
  try {
    await connection.simple('CREATE EXTENSION IF NOT EXISTS amcheck')
    const namedQuery = async (what: string, text: string): Promise<unknown[][]> => {
      try {
        return await connection.query(text)
      } catch (error) {
        if (!sqlState(error)) throw error
        wrong.push(`${name}: ${what}: ${messageOf(error)}`)
        return []
      }
    }
    const damaged = await namedQuery('tables', HEAPS)
    for (const [table, message] of damaged) wrong.push(`${name}: ${table}: ${message}`)
    const [checked] = await namedQuery('indexes', INDEXES)
    const [count] = await connection.query(`SELECT count(*)::int FROM (${TABLES}) t`)
    return {
      name,
      tables: Number(count?.[0]),
      indexes: Number(checked?.[0] ?? 0),
      contents: await readContents(dataDir, name, wrong),
    }
  } finally {
    await connection.close()
  }
}

const TABLES = `SELECT oid FROM pg_class WHERE relkind IN ('r', 't', 'm') AND relpersistence = 'p'`
const HEAPS = `SELECT t.oid::regclass::text, v.msg FROM (${TABLES}) t, LATERAL verify_heapam(t.oid::regclass) v LIMIT 100`
const INDEXES = `SELECT count(*)::int FROM (SELECT bt_index_check(c.oid::regclass, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam JOIN pg_index i ON i.indexrelid = c.oid
  WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relpersistence = 'p' AND i.indisvalid OFFSET 0) checked`

/** The name of a content is its hash; those that zips of others brought are named by SHA-1. */
async function readContents(dataDir: string, name: string, wrong: string[]): Promise<number> {
  const keys = await storedIn(dataDir, name)
  for (const key of keys) {
    const path = join(filesDirectory(dataDir, name), key)
    const hash = key.slice(3)
    if (hash.length === 64 && existsSync(path) && (await hashOfFile(path)) !== hash)
      wrong.push(`${name}: the content ${key} does not match its hash`)
  }
  return keys.length
}
