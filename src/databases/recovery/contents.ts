// Contents of attachments in a folder of backups: each once, by its hash, whatever databases refer to it.
// Copied when it is kept, before the commit that refers to it, and looked through with every base backup.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contentsIn, copyFile } from '../../postgres/embedded/index.ts'
import { storedIn } from '../filestore.ts'

/**
 * Files in the data directory: contents that could not be copied, one a line, until they are; and those of
 * them that are being tried again.
 */
const MISSING = 'backup-missing'
const TRIED = 'backup-missing.tried'

export class KeptContents {
  readonly #folder: string
  readonly #dataDir: string

  constructor(folder: string, dataDir: string) {
    this.#folder = contentsIn(folder)
    this.#dataDir = dataDir
  }

  /**
   * Copies a content that was just kept. Never throws: a full disk of the backups must not stop the shop.
   * Missing copies are noted, reported by health, and made later.
   */
  async keep(database: string, key: string): Promise<void> {
    try {
      await this.#copy(database, key)
    } catch {
      await appendFile(join(this.#dataDir, MISSING), `${database}/${key}\n`, { mode: 0o600 }).catch(
        (error: unknown) => process.emitWarning(`${key} is not in the backup: ${String(error)}`),
      )
    }
  }

  async #copy(database: string, key: string): Promise<void> {
    const target = join(this.#folder, key)
    const now = new Date()
    const isThere = await utimes(target, now, now).then(
      () => true,
      () => false,
    )
    if (isThere) return
    const draft = `${target}.${randomBytes(6).toString('hex')}.new`
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    try {
      await copyFile(join(this.#dataDir, 'filestore', database, key), draft)
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw error
    }
  }

  /** Copies what a database has and the backup lacks; gives the keys of all it has. */
  async keepAll(database: string): Promise<string[]> {
    const keys = await storedIn(this.#dataDir, database)
    for (const key of keys)
      if (!existsSync(join(this.#folder, key)))
        await this.#copy(database, key).catch((error: NodeJS.ErrnoException) => {
          // Collected meanwhile: it has no references.
          if (!error.path?.startsWith(this.#dataDir)) throw error
        })
    return keys
  }

  /**
   * Copies contents of a database from files that were not kept one by one, such as those of a restored zip.
   * Never throws.
   */
  async copyAll(database: string): Promise<void> {
    for (const key of await storedIn(this.#dataDir, database))
      if (!existsSync(join(this.#folder, key))) await this.keep(database, key)
  }

  /** Tries again what could not be copied; gives how many still could not. */
  async catchUp(): Promise<number> {
    const [note, tried] = [join(this.#dataDir, MISSING), join(this.#dataDir, TRIED)]
    // An existing file is from a process that died meanwhile.
    if (!existsSync(tried)) {
      if (!existsSync(note)) return 0
      await rename(note, tried)
    }
    for (const line of new Set(await linesOf(tried))) {
      const [database = '', ...key] = line.split('/')
      if (existsSync(join(this.#dataDir, 'filestore', line))) await this.keep(database, key.join('/'))
    }
    await rm(tried)
    return this.missing()
  }

  /** Contents that could not be copied yet. */
  async missing(): Promise<number> {
    const notes = await Promise.all([MISSING, TRIED].map((name) => linesOf(join(this.#dataDir, name))))
    return notes.flat().length
  }

  /**
   * Removes contents that no base backup lists, and that were stored before the oldest of them; returns their
   * number.
   */
  async prune(listed: ReadonlySet<string>, before: Date): Promise<number> {
    let removed = 0
    for (const part of await readdir(this.#folder))
      for (const name of await readdir(join(this.#folder, part))) {
        if (listed.has(`${part}/${name}`)) continue
        const path = join(this.#folder, part, name)
        if ((await stat(path)).mtime >= before) continue
        await rm(path, { force: true })
        removed++
      }
    return removed
  }
}

/** Lines of a file; empty if it does not exist. */
async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean)
}
