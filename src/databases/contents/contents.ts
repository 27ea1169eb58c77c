// Place of the contents of attachments of a server's databases: a directory for the embedded server, or a
// store that many machines reach.
import type { Readable } from 'node:stream'
import type { FileStore } from '../../models/language/outside.ts'

export interface StoredFile {
  /** The key. */
  readonly path: string
  readonly size: number
}

/** The contents of one database. */
export interface DatabaseFiles extends FileStore {
  /** All there are. */
  list(): Promise<StoredFile[]>
  /** Stores a content whose key and size are known, as it arrives. Throws if the key does not match. */
  write(key: string, content: Readable, size: number): Promise<void>
  /**
   * Removes contents that `inUse` does not know and that were not kept for a while; gives their number.
   * Contents that a transaction kept which may still commit stay.
   */
  collect(inUse: (keys: readonly string[]) => Promise<ReadonlySet<string>>, graceMs?: number): Promise<number>
}

/** The contents of all databases, by the names of these. */
export interface Contents {
  of(database: string): DatabaseFiles
  drop(database: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Adds all contents to another database too; existing ones stay. */
  link(from: string, to: string): Promise<void>
  /** Names of the databases that have contents on this machine. */
  here(): Promise<string[]>
}
