// A database for tests of the engine, in this process: embedded PostgreSQL in a directory that goes away,
// with the modules one names.

import type { Database } from '../../src/databases/database.ts'
import { Databases } from '../../src/databases/index.ts'
import type { Environment, Module } from '../../src/models/index.ts'
import { makeDataDir } from './temp.ts'

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
}

/** Starts a server and makes one database with all `modules` installed. */
export async function openTestDatabase(
  modules: readonly Module[],
  { masterPassword, installed }: TestOptions = {},
): Promise<TestDatabase> {
  const temp = makeDataDir('engine')
  const databases = await Databases.open({
    dataDir: temp.path,
    modules,
    durable: false,
    ...(masterPassword ? { masterPassword } : {}),
  })
  const close = async () => {
    await databases.close()
    temp.remove()
  }
  try {
    await databases.create('test', {
      modules: installed ?? modules.map((module) => module.name),
      login: 'admin',
      password: 'admin',
    })
    const database = await databases.database('test')
    return { databases, database, run: (work) => database.system(work), close }
  } catch (error) {
    await close()
    throw error
  }
}
