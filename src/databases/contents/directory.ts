// Contents in the data directory (filestore.ts).
import {
  databasesWithFiles,
  dropFiles,
  Filestore,
  filesDirectory,
  linkFiles,
  renameFiles,
} from '../filestore.ts'
import type { KeptContents } from '../recovery/contents.ts'
import type { Contents } from './contents.ts'

export class DirectoryContents implements Contents {
  readonly #dataDir: string
  readonly #keeps: boolean
  readonly #kept: KeptContents | null

  /** `keeps`: new contents go there; `kept` copies them into the backups. */
  constructor(dataDir: string, keeps: boolean, kept: KeptContents | null) {
    this.#dataDir = dataDir
    this.#keeps = keeps
    this.#kept = kept
  }

  of(database: string): Filestore {
    const kept = this.#kept
    return new Filestore(
      filesDirectory(this.#dataDir, database),
      this.#keeps,
      kept && ((key) => kept.keep(database, key)),
    )
  }

  drop(database: string): Promise<void> {
    return dropFiles(this.#dataDir, database)
  }

  rename(from: string, to: string): Promise<void> {
    return renameFiles(this.#dataDir, from, to)
  }

  link(from: string, to: string): Promise<void> {
    return linkFiles(this.#dataDir, from, to)
  }

  here(): Promise<string[]> {
    return databasesWithFiles(this.#dataDir)
  }
}
