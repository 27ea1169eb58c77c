// Opens the databases for the length of one command, beside a running server or without one.
import type { Command } from 'commander'
import type { Databases } from '../databases/index.ts'
import { openDatabases } from '../main.ts'
import { configOf } from './options.ts'

/** Runs `work` on the databases of the command's data directory or server, and closes them whatever happens. */
export async function withDatabases<T>(command: Command, work: (databases: Databases) => Promise<T>): Promise<T> {
  const databases = await openDatabases(configOf(command))
  try {
    return await work(databases)
  } finally {
    await databases.close()
  }
}
