// Runs commands: in the running server where it accepts the command, else on databases that are opened for
// the length of the command, with or without a running server.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Module } from '#models'
import type { Config } from '../config/index.ts'
import type { Databases } from '../databases/index.ts'
import { NotFound, StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import { serverOf } from './local/client.ts'
import type { RunCommand } from './local/commands.ts'
import { configOf } from './options.ts'

/**
 * Runs `work` on the databases of the command's data directory or server, and closes them whatever happens.
 */
export async function withDatabases<T>(
  command: Command,
  work: (databases: Databases) => Promise<T>,
): Promise<T> {
  return onOpened(keepingArchive(withData(configOf(command))), work)
}

/**
 * The configuration. Throws StartupError if its data directory is missing: a command that creates nothing was
 * probably started without the settings of the server, and would look into a new, empty directory.
 */
function withData(config: Config): Config {
  if (!config.databaseUrl && !existsSync(config.dataDir))
    throw new StartupError(
      `There is no data directory ${config.dataDir}: name that of the server with --data-dir or COMPTOIR_DATA_DIR. ` +
        '`comptoir serve` and `comptoir db create` create a new one.',
    )
  return config
}

/**
 * The configuration of a command: the embedded server goes on archiving where `serve` or `backup init` has
 * set it, whatever folder of backups the command is to look into.
 */
export const keepingArchive = (config: Config): Config =>
  config.databaseUrl ? config : { ...config, backupDir: undefined }

/**
 * As `withDatabases`, for work that creates files in the data directory or the folder of backups. Throws
 * StartupError for root where the server runs as another account.
 */
export async function withServerFiles<T>(
  command: Command,
  work: (databases: Databases) => Promise<T>,
  { setsArchive = false } = {},
): Promise<T> {
  const config = configOf(command)
  const { assertServerAccount } = await import('../postgres/embedded/index.ts')
  if (!config.databaseUrl) assertServerAccount(config.dataDir)
  return onOpened(setsArchive ? config : keepingArchive(config), work)
}

/**
 * Runs `work` with local commands: carried out by the running server, else by this process. `modules`: if the
 * work needs others than those of the configuration, or none.
 */
export async function withCommands<T>(
  command: Command,
  work: (run: RunCommand) => Promise<T>,
  modules?: readonly Module[],
): Promise<T> {
  const config = configOf(command)
  const run = await serverOf(config)
  if (run) return work(run)
  return onOpened(
    keepingArchive(withData(config)),
    async (databases) => {
      const { localCommands } = await import('./local/commands.ts')
      return work((name, ...args) => localCommands[name](databases, ...args))
    },
    modules,
  )
}

/** As `withCommands`, with the database that `--database` names, or the only one. */
export async function inDatabase<T>(
  command: Command,
  work: (run: RunCommand, database: string) => Promise<T>,
): Promise<T> {
  const { database } = command.opts<{ database?: string }>()
  return withCommands(command, async (run) => work(run, await run('chooseDatabase', database ?? null)))
}

/** Adds `--database` to a command that works in one database. */
export function withDatabase(command: Command, help: string): Command {
  return command.option('--database <name>', `${help}; not needed if there is only one`)
}

async function onOpened<T>(
  config: Config,
  work: (databases: Databases) => Promise<T>,
  modules?: readonly Module[],
): Promise<T> {
  // The engine is loaded only now: help and wrong options need none of it.
  const { openDatabases } = await import('../opening.ts')
  // A command reports in its answer and in the audit log, so a scheduled job that succeeded logs nothing
  // else.
  const databases = await openDatabases(config, { ...createLog(config.log), info: () => undefined }, modules)
  try {
    return await work(databases)
  } catch (error) {
    throw forPeople(error)
  } finally {
    await databases.close()
  }
}

/** An error for a person who typed a name: the one for a missing database is meant for clients of the API. */
export const forPeople = (error: unknown): unknown =>
  error instanceof NotFound
    ? new StartupError('Database not found: `comptoir db list` lists all databases.', {
        cause: error,
      })
    : error
