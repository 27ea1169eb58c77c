// One of the two servers that are compared: a tree's `comptoir serve` over its own copy of the data
// directory.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { hashKey } from '../../src/kit/secrets.ts'
import { attachEmbedded } from '../../src/postgres/embedded/index.ts'
import { startMint } from '../conformance/server.ts'
import { serve } from '../support/serve.ts'
import { type Recorder, recorderOf } from './recorder.ts'

/** Name of the database that both sides have. */
export const DATABASE = 'conf'
export const MASTER = 'master'

const steady = new URL('steady.ts', import.meta.url)

export interface Side {
  readonly name: 'old' | 'new' | 'ground'
  readonly url: string
  readonly recorder: Recorder
  /** A connection to the database, past the server. */
  readonly db: pg.Client
  /** A shell command that prints an API key of $LOGIN in $DB. */
  readonly keyCommand: string
  /** An API key of a user: the n-th key of a login is the same on both sides. */
  key(login: string): Promise<string>
  /** The output of the server. */
  output(): string
  close(): Promise<void>
}

/** Copies a data directory; the copy takes a port of its own. */
export function copyDataDir(from: string, to: string): void {
  // `cp -a` keeps the owners, as PostgreSQL may run under an account of its own.
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The data directory cannot be copied: ${stderr}`)
  const address = join(to, 'postgres.json')
  writeFileSync(address, JSON.stringify({ ...JSON.parse(readFileSync(address, 'utf8')), port: 0 }))
}

async function connect(dataDir: string, database: string): Promise<pg.Client> {
  const address = await attachEmbedded(dataDir)
  if (!address) throw new Error(`PostgreSQL does not run in ${dataDir}.`)
  const { host, port, user, password } = address
  const client = new pg.Client({ host, port, user, password, database })
  // The server goes before the connection is closed only when a run is interrupted.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Inserts the keys that clients ask for with the same texts on both sides, because random ones would
 * always differ.
 */
function keysOf(dataDir: string, db: pg.Client, salt: string) {
  const counts = new Map<string, number>()
  return async (database: string, login: string): Promise<string> => {
    const n = (counts.get(`${database}/${login}`) ?? 0) + 1
    counts.set(`${database}/${login}`, n)
    const key = createHash('sha1').update(`${salt}/${database}/${login}/${n}`).digest('hex')
    const client = database === DATABASE ? db : await connect(dataDir, database)
    try {
      const { rowCount } = await client.query(
        `INSERT INTO res_users_apikeys (name, user_id, key_hash, expiration_date, create_date)
         SELECT 'equivalence', id, $1, timestamp '2100-01-01', timestamp '2026-01-01'
         FROM res_users WHERE login = $2 AND active`,
        [hashKey(key), login],
      )
      if (rowCount !== 1) throw new Error(`There is no active user ${login} in ${database}.`)
    } finally {
      if (client !== db) await client.end()
    }
    return key
  }
}

/** Closers of the sides that are open. */
const openSides = new Set<() => Promise<void>>()

/** Closes all sides that are open: for a run that is interrupted. */
export async function closeSides(): Promise<void> {
  await Promise.all([...openSides].map((close) => close()))
}

/**
 * Starts the server of a tree over a data directory that has the database. All servers whose data directories
 * are in one folder share what Node.js compiled.
 */
export async function openSide(name: Side['name'], tree: string, dataDir: string): Promise<Side> {
  const args = ['--master-password', MASTER, '--upgrade', 'on-open', '--extensions', 'yes']
  // Its own modules have the limits that patience.ts sets.
  const patience = pathToFileURL(join(tree, 'test/support/patience.ts'))
  const flags = ['--max-semi-space-size=8', `--import=${patience}`, `--import=${steady}`]
  const server = await serve(dataDir, args, {
    flags,
    from: tree,
    environment: { NODE_COMPILE_CACHE: join(dirname(dataDir), 'compiled') },
  })
  const opened: (() => unknown)[] = [() => server.stop()]
  const close = async () => {
    openSides.delete(close)
    for (const leave of opened.splice(0).reverse()) await leave()
  }
  openSides.add(close)
  try {
    const db = await connect(dataDir, DATABASE)
    opened.push(() => db.end())
    // One statement at a time: several lanes share the connection.
    let last: Promise<unknown> = Promise.resolve()
    const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
      const result = last.then(run)
      last = result.catch(() => undefined)
      return result
    }
    const insertKey = keysOf(dataDir, db, name === 'ground' ? 'ground' : 'side')
    const keyOf = (database: string, login: string) => inTurn(() => insertKey(database, login))
    const mint = await startMint(keyOf)
    opened.push(mint.close)
    const nextXid = () =>
      inTurn(async () => {
        const { rows } = await db.query('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid')
        return Number(rows[0].xid)
      })
    return {
      name,
      url: server.url,
      recorder: recorderOf(server.url, nextXid),
      db,
      keyCommand: mint.command,
      key: (login) => keyOf(DATABASE, login),
      output: server.output,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
