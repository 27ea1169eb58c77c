// The PostgreSQL that all tests of a process share: started by the first that asks, ended with the
// process.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Databases } from '../../src/databases/index.ts'
import { lockPath } from '../../src/postgres/embedded/lock.ts'
import { keepRunning } from '../../src/testing/keep-running.ts'
import { makeDataDir, makeTemp } from './temp.ts'

export interface TakenDataDir {
  readonly path: string
  /** Makes room for the next test, while the databases are still open. */
  release(databases: Databases): Promise<void>
  /** Removes the directory, when they are closed. */
  remove(): void
}

let shared: Promise<string> | undefined

/** The data directory of the shared server. */
function sharedServer(): Promise<string> {
  shared ??= start()
  return shared
}

async function start(): Promise<string> {
  const { path, remove } = makeDataDir('shared', process.env.COMPTOIR_TEST_LANE_SEED)
  // Registered first, so that it runs when the server has been asked to end.
  process.once('exit', remove)
  await keepRunning(path)
  return path
}

let isTaken = false

/**
 * A fresh data directory, with files of its own, on the shared server; on a server of its own while
 * another test has the shared one, as names of databases are the same in many tests. `release` drops the
 * databases.
 */
export async function takeDataDir(name: string): Promise<TakenDataDir> {
  if (isTaken) return { ...makeDataDir(name), release: async () => undefined }
  isTaken = true
  const server = await sharedServer()
  const temp = makeTemp(name)
  const saved = JSON.parse(readFileSync(join(server, 'postgres.json'), 'utf8'))
  writeFileSync(
    join(temp.path, 'postgres.json'),
    JSON.stringify({ ...saved, pgdata: resolve(server, saved.pgdata) }),
    { mode: 0o600 },
  )
  // Users of the server in any of its data directories know of each other.
  mkdirSync(join(temp.path, 'locks'))
  for (const name of ['users', 'start'] as const)
    symlinkSync(lockPath(server, name), lockPath(temp.path, name))
  return {
    ...temp,
    async release(databases) {
      for (const name of await databases.list()) await databases.drop(name)
      isTaken = false
    },
  }
}
