// A database for tests of the engine, in this process: embedded PostgreSQL in a directory that goes away,
// with the modules one names.

import type { Database } from '../../src/databases/database.ts'
import { Databases } from '../../src/databases/index.ts'
import { listOnly } from '../../src/databases/modules.ts'
import { modules as own } from '../../src/main.ts'
import type { Environment, Module } from '../../src/models/index.ts'
import { undeclaredReads } from '../../src/models/unit/reads.ts'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Admin } from '../../src/postgres/index.ts'
import { installModules } from '../../src/services/admin.ts'
import { templateFor } from '../../src/testing/template.ts'
import './patience.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { type TakenDataDir, takeDataDir } from './shared-server.ts'
import { makeDataDir } from './temp.ts'

// Undeclared reads of SQL in modules are errors in tests.
undeclaredReads.areErrors = true

export interface TestDatabase {
  readonly databases: Databases
  readonly database: Database
  /** Runs work as the system user in a transaction that is committed. */
  run<T>(work: (env: Environment) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface TestOptions {
  readonly masterPassword?: string
  /** Names of the modules that the database has; all by default. */
  readonly installed?: readonly string[]
  /** Whether calls go by a pooler that lends connections to transactions. */
  readonly pooled?: boolean
  /** A folder that stays. The database in it is opened as it is, or made. */
  readonly dataDir?: string
}

/** Starts a server and makes one database with all `modules` installed. */
export async function openTestDatabase(
  modules: readonly Module[],
  { masterPassword, installed, pooled = false, dataDir }: TestOptions = {},
): Promise<TestDatabase> {
  const temp = await folderFor(dataDir, pooled)
  const pooler = pooled ? await startPooled(temp.path) : null
  const databases = await Databases.open({
    dataDir: temp.path,
    modules,
    durable: false,
    ...pooler?.way,
    ...(masterPassword ? { masterPassword } : {}),
  })
  const close = async () => {
    await temp.release(databases)
    await databases.close()
    await pooler?.stop()
    temp.remove()
  }
  try {
    const isThere = dataDir && (await databases.list()).includes('test')
    if (!isThere) await makeDatabase(databases, installed ?? modules.map((module) => module.name))
    const database = await databases.database('test')
    return { databases, database, run: (work) => database.system(work), close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * A copy of a database with the named modules of Comptoir's own, which is made once for all files of a lane;
 * the test's own modules are installed into it.
 */
async function makeDatabase(databases: Databases, names: readonly string[]): Promise<void> {
  const chosen = databases.options.modules.filter((module) => names.includes(module.name))
  const ours = chosen.filter((module) => own.includes(module)).map(({ name }) => name)
  const foreign = chosen.filter((module) => !own.includes(module)).map(({ name }) => name)
  const template = await templateFor(databases, { modules: ours, demo: false, at: null }, 'test_template')
  await new Admin(databases.address, { durable: false }).createDatabase('test', template)
  await (await databases.database('test')).system(({ unit }) => listOnly(unit, databases.options.modules))
  if (foreign.length > 0) await installModules(databases, 'test', foreign)
}

async function folderFor(dataDir: string | undefined, isAlone: boolean): Promise<TakenDataDir> {
  const release = async () => undefined
  if (dataDir) return { path: dataDir, remove: () => undefined, release }
  return isAlone ? { ...makeDataDir('engine'), release } : takeDataDir('engine')
}

/** PostgreSQL behind PgBouncer, few connections for all. */
async function startPooled(dataDir: string) {
  const server = await startEmbedded({ dataDir, durable: false, log: () => undefined })
  const settings = { ignore_startup_parameters: 'options' }
  const bouncer = await startPgBouncer(server, { mode: 'transaction', size: 8, settings })
  const directUrl = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/`
  return {
    way: { databaseUrl: bouncer.url, pooler: 'transaction', directUrl } as const,
    async stop() {
      await bouncer.stop()
      await server.stop()
    },
  }
}
