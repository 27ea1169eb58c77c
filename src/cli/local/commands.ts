// The commands that a running server carries out for the command line, by the names that the local socket
// has for them. Arguments and results are plain JSON.
import { type Databases, ReplacedDatabase } from '../../databases/index.ts'
import { UserError } from '../../errors.ts'
import { createKey } from '../../services/admin.ts'
import { listKeys, restrictKey, revokeKeys } from '../../services/keys.ts'
import {
  createUser,
  listRoles,
  listUsers,
  resetSecondFactor,
  setActive,
  setPassword,
} from '../../services/people.ts'

const functions = {
  listDatabases: (server: Databases) => server.list(),
  chooseDatabase,
  createKey,
  listKeys,
  restrictKey,
  revokeKeys,
  createUser,
  listRoles,
  listUsers,
  resetSecondFactor,
  setActive,
  setPassword,
}

type Functions = typeof functions
export type CommandName = keyof Functions

/** Arguments and result of each command, the databases aside. */
type Signatures = {
  [K in CommandName]: Functions[K] extends (server: Databases, ...args: infer A) => Promise<infer R>
    ? { readonly args: A; readonly result: R }
    : never
}
export type Args<K extends CommandName> = Signatures[K]['args']
export type Result<K extends CommandName> = Signatures[K]['result']

/** Runs a command, in a server or in this process. */
export type RunCommand = <K extends CommandName>(name: K, ...args: Args<K>) => Promise<Result<K>>

export const localCommands: {
  readonly [K in CommandName]: (server: Databases, ...args: Args<K>) => Promise<Result<K>>
} = functions

/**
 * The database of a command: the named one, the default one, or the only one. Other processes may have
 * changed its modules, so a server reads them again. Throws UserError if a name is needed, NotFound.
 */
async function chooseDatabase(server: Databases, wanted: string | null): Promise<string> {
  const name = wanted ?? server.options.defaultDatabase ?? onlyOne(await server.list())
  try {
    await (await server.database(name)).refresh()
  } catch (error) {
    if (!(error instanceof ReplacedDatabase)) throw error
    await server.database(name)
  }
  return name
}

function onlyOne(names: readonly string[]): string {
  const [name, ...others] = names
  if (name === undefined)
    throw new UserError('There is no database yet. `comptoir db create NAME` creates one.')
  if (others.length > 0)
    throw new UserError(`There are several databases: choose one with --database (${names.join(', ')}).`)
  return name
}
