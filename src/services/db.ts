// The verbs of database management, behind the master password (spec/wire.md sections 12 and 13).
import type { Readable } from 'node:stream'
import type { BackupFormat, CreateOptions, Databases, RestoreOptions } from '../databases/index.ts'
import { VERSION } from './common.ts'

export interface NewDatabase extends CreateOptions {
  readonly name: string
}

/** Each throws AccessDenied for a wrong master password before anything is done, and UserError for what cannot be done. */
export const db = {
  async create(server: Databases, master: string, { name, ...options }: NewDatabase): Promise<void> {
    await server.master.assert(master)
    await server.create(name, options)
  },
  async duplicate(
    server: Databases,
    master: string,
    from: string,
    to: string,
    options: { readonly neutralize?: boolean } = {},
  ): Promise<void> {
    await server.master.assert(master)
    await server.duplicate(from, to, options)
  },
  /** False when there was none. */
  async drop(server: Databases, master: string, name: string): Promise<boolean> {
    await server.master.assert(master)
    return server.drop(name)
  },
  async rename(server: Databases, master: string, from: string, to: string): Promise<void> {
    await server.master.assert(master)
    await server.rename(from, to)
  },
  /** The backup as it is made; see `Databases.backup`. */
  async backup(server: Databases, master: string, name: string, format: BackupFormat): Promise<Readable> {
    await server.master.assert(master)
    return server.backup(name, format, VERSION)
  },
  /** Makes a database of the backup in the file at `path`. */
  async restore(server: Databases, master: string, name: string, path: string, options: RestoreOptions = {}): Promise<void> {
    await server.master.assert(master)
    await server.restore(name, path, options)
  },
  list(server: Databases): Promise<string[]> {
    return server.list()
  },
  exist(server: Databases, name: string): Promise<boolean> {
    return server.exists(name)
  },
  changeMasterPassword(server: Databases, master: string, next: string): Promise<void> {
    return server.master.change(master, next)
  },
}
