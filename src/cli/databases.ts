// Opens the databases for the length of one command, beside a running server or without one.
import type { Command } from 'commander'
import type { Databases } from '../databases/index.ts'
import { NotFound, StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { configOf } from './options.ts'

/**
 * Runs `work` on the databases of the command's data directory or server, and closes them whatever happens.
 */
export async function withDatabases<T>(
  command: Command,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  const config = configOf(command)
  // The engine is loaded only now: help and wrong options need none of it.
  const { openDatabases } = await import('../main.ts')
  // What a command does stands in its answer and in the audit log: a scheduled job that went well says
  // nothing more.
  const databases = await openDatabases(config, { ...createLog(config.log), info: () => undefined })
  try {
    return await work(databases)
  } catch (error) {
    // Its words are for clients of the API; here somebody typed a name.
    if (error instanceof NotFound)
      throw new StartupError('There is no database of this name. `comptoir db list` shows those there are.', {
        cause: error,
      })
    throw error
  } finally {
    await databases.close()
  }
}
