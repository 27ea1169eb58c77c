// The verbs of database management; most require the master password (spec/wire.md sections 12 and 13).
import type { Readable } from 'node:stream'
import type {
  BackupFormat,
  BackupOptions,
  CreateOptions,
  DatabaseFacts,
  Databases,
  RestoreOptions,
} from '../databases/index.ts'
import { AccessDenied } from '../errors.ts'
import { VERSION } from './common.ts'

const FACTS_AT_ONCE = 50

export interface NewDatabase extends CreateOptions {
  readonly name: string
}

/** The manager of databases: the master password that they sent, and their address. */
export interface Manager {
  readonly master: string
  readonly address: string
}

/** Throws AccessDenied where the administrator switched listing and managing off (`--no-list-db`). */
function assertManaged(server: Databases): void {
  if (server.options.listDatabases === false) throw new AccessDenied()
}

/** Throws AccessDenied unless the manager may go on. */
async function admit(server: Databases, { master, address }: Manager): Promise<void> {
  assertManaged(server)
  await server.master.assert(master, address)
}

/**
 * Each throws AccessDenied for a wrong master password before anything is done, and UserError for what cannot
 * be done.
 */
export const db = {
  /** Throws AccessDenied where management is disabled or there is no master password. */
  async assertManageable(server: Databases): Promise<void> {
    assertManaged(server)
    if (!(await server.master.isSet())) throw new AccessDenied()
  },
  /**
   * Throws AccessDenied for a wrong master password, and while databases are not managed over the network.
   */
  admit,
  async create(server: Databases, by: Manager, { name, ...options }: NewDatabase): Promise<void> {
    await admit(server, by)
    await server.create(name, options, by)
  },
  async duplicate(
    server: Databases,
    by: Manager,
    from: string,
    to: string,
    options: { readonly neutralize?: boolean } = {},
  ): Promise<void> {
    await admit(server, by)
    await server.duplicate(from, to, options, by)
  },
  /** False when there was none. */
  async drop(server: Databases, by: Manager, name: string): Promise<boolean> {
    await admit(server, by)
    return server.drop(name, by)
  },
  async rename(server: Databases, by: Manager, from: string, to: string): Promise<void> {
    await admit(server, by)
    await server.rename(from, to, by)
  },
  /** The backup as it is made; see `Databases.backup`. */
  async backup(
    server: Databases,
    by: Manager,
    name: string,
    format: BackupFormat,
    options: BackupOptions = {},
  ): Promise<Readable> {
    await admit(server, by)
    return server.backup(name, format, VERSION, options, by)
  },
  /** Makes a database of the backup in the file at `path`. */
  async restore(
    server: Databases,
    by: Manager,
    name: string,
    path: string,
    options: RestoreOptions = {},
  ): Promise<void> {
    await admit(server, by)
    await server.restore(name, path, options, by)
  },
  /** Whether anybody can manage: there is a master password. */
  manageable(server: Databases): Promise<boolean> {
    return server.master.isSet()
  },
  /** Names of the databases that a host may reach. Throws AccessDenied where listing is switched off. */
  async list(server: Databases, host: string | undefined): Promise<string[]> {
    assertManaged(server)
    return server.listFor(host)
  },
  /**
   * Size and last backup of the databases of `names` that a host may reach, of FACTS_AT_ONCE at most:
   * PostgreSQL looks at every file of each.
   * Throws AccessDenied for a wrong master password.
   */
  async facts(
    server: Databases,
    by: Manager,
    host: string | undefined,
    names: readonly string[],
  ): Promise<readonly DatabaseFacts[]> {
    await admit(server, by)
    const wanted = new Set(names.slice(0, FACTS_AT_ONCE))
    return server.facts((await server.listFor(host)).filter((name) => wanted.has(name)))
  },
  /** Whether a host may reach a database of this name. Throws AccessDenied where listing is switched off. */
  async exist(server: Databases, name: string, host: string | undefined): Promise<boolean> {
    assertManaged(server)
    return (await server.listFor(host)).includes(name)
  },
  async changeMasterPassword(server: Databases, by: Manager, next: string): Promise<void> {
    assertManaged(server)
    await server.master.change(by.master, next, by.address)
  },
}
