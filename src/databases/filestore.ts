// Files of a database's attachments: `<data directory>/filestore/<database>/ab/abcdef…`, named by the SHA-256
// of what they hold.

import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, link, mkdir, open, readdir, readFile, rename, rm, stat, unlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ServiceUnavailable } from '../errors.ts'
import { hashOf } from '../kit/bytes.ts'
import { codeOf } from '../kit/caught.ts'
import type { DatabaseFiles, StoredFile } from './contents/contents.ts'

/** Keys of SHA-256, and of SHA-1 from restored backups. */
const KEY = /^[0-9a-f]{2}\/[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/**
 * A file without references may belong to a transaction that is not committed yet: it is kept for this long.
 */
const GRACE_MS = 60 * 60_000

/**
 * Lock for connections that read files by a list, such as those of a backup, held in the database as long as
 * the connection lives; collecting waits for another day.
 */
export const lockFiles = `SELECT pg_advisory_lock_shared(hashtextextended('comptoir files', 0))`
/** The lock of the collector: true if there is no reader, until its transaction ends. */
export const tryLockFiles = `SELECT pg_try_advisory_xact_lock(hashtextextended('comptoir files', 0))`

/** Directory of a database's files. Names of databases are plain words (names.ts). */
export function filesDirectory(dataDir: string, database: string): string {
  return join(dataDir, 'filestore', database)
}

export class Filestore implements DatabaseFiles {
  readonly directory: string
  readonly keeps: boolean
  readonly #kept: ((key: string) => Promise<void>) | null

  /** `kept` is called with every content before `keep` resolves. */
  constructor(directory: string, keeps: boolean, kept: ((key: string) => Promise<void>) | null = null) {
    this.directory = directory
    this.keeps = keeps
    this.#kept = kept
  }

  /** Throws ServiceUnavailable, without leaving a file, if there is no room or no file can be opened. */
  async put(content: Buffer): Promise<string> {
    const key = await this.#put(content).catch(asShortage)
    await this.#kept?.(key)
    return key
  }

  async #put(content: Buffer): Promise<string> {
    const hash = await hashOf('sha256', content)
    const key = `${hash.slice(0, 2)}/${hash}`
    const path = join(this.directory, key)
    const now = new Date()
    try {
      // The new time shows the collector that the file is needed again.
      await utimes(path, now, now)
      if ((await stat(path)).size === content.length) return key
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    await this.#write(path, content)
    return key
  }

  /** The whole file appears under its name, or none. */
  async #write(path: string, content: Buffer): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
    const file = await open(draft, 'wx', 0o600)
    try {
      await file
        .writeFile(content)
        .then(() => file.sync())
        .finally(() => file.close())
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined)
      throw error
    }
    const directory = await open(dirname(path), 'r')
    await directory.sync().finally(() => directory.close())
  }

  async get(key: string): Promise<Buffer | null> {
    if (!KEY.test(key)) return null
    return readFile(join(this.directory, key)).catch((error: unknown) => {
      if (isMissing(error)) return null
      return asShortage(error)
    })
  }

  async size(key: string): Promise<number | null> {
    if (!KEY.test(key)) return null
    const stats = await stat(join(this.directory, key)).catch((error: unknown) => {
      if (isMissing(error)) return null
      return asShortage(error)
    })
    return stats?.size ?? null
  }

  open(key: string, start: number, end: number): Readable {
    return KEY.test(key) ? createReadStream(join(this.directory, key), { start, end }) : Readable.from([])
  }

  async list(): Promise<StoredFile[]> {
    const files: StoredFile[] = []
    for (const path of await keysIn(this.directory))
      files.push({ path, size: (await stat(join(this.directory, path))).size })
    return files
  }

  async write(key: string, content: Readable): Promise<void> {
    const target = join(this.directory, key)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const file = await open(target, 'wx', 0o600)
    await pipeline(content, file.createWriteStream()).catch(async (error: unknown) => {
      await file.close()
      throw error
    })
  }

  /**
   * Removes files that `inUse` does not know and that were not written for a while; gives their number. A
   * file is moved aside first: a process that keeps the same content meanwhile either misses it and writes it
   * again, or has touched it, which brings it back.
   */
  async collect(
    inUse: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
    graceMs = GRACE_MS,
  ): Promise<number> {
    let removed = 0
    const before = Date.now() - graceMs
    for (const part of await list(this.directory)) {
      if (!/^[0-9a-f]{2}$/.test(part)) continue
      const names = await list(join(this.directory, part))
      for (const name of names)
        if (name.includes('.')) await removeOld(join(this.directory, part, name), before)
      const keys = names.filter((name) => KEY.test(`${part}/${name}`)).map((name) => `${part}/${name}`)
      const old: string[] = []
      for (const key of keys) if (await isOlder(join(this.directory, key), before)) old.push(key)
      const used = old.length ? await inUse(old) : new Set<string>()
      for (const key of old) if (!used.has(key) && (await this.#discard(key, before))) removed++
    }
    return removed
  }

  async #discard(key: string, before: number): Promise<boolean> {
    const path = join(this.directory, key)
    const aside = `${path}.gone`
    await rename(path, aside)
    if (await isOlder(aside, before)) {
      await unlink(aside)
      return true
    }
    await rename(aside, path)
    return false
  }
}

/** Lacking resources of a machine, in words for the user. */
const shortages: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk of the server is full.',
  EDQUOT: 'The disk of the server is full.',
  EROFS: 'The disk of the server does not accept files at the moment.',
  EMFILE: 'The server has too many files open at the moment.',
  ENFILE: 'The server has too many files open at the moment.',
}

/** Throws ServiceUnavailable if the machine lacks a resource, any other failure unchanged. */
function asShortage(error: unknown): never {
  const words = shortages[codeOf(error) ?? '']
  throw words ? new ServiceUnavailable(words, { cause: error }) : error
}

const isMissing = (error: unknown) => codeOf(error) === 'ENOENT'

async function list(directory: string): Promise<string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const stats = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  return stats !== null && stats.mtimeMs < before
}

/** Drafts of writers that died, and what a collector that died had put aside. */
async function removeOld(path: string, before: number): Promise<void> {
  if (await isOlder(path, before)) await rm(path, { force: true })
}

/** Files go with their database. */
export async function dropFiles(dataDir: string, database: string): Promise<void> {
  await rm(filesDirectory(dataDir, database), { recursive: true, force: true })
}

export async function renameFiles(dataDir: string, from: string, to: string): Promise<void> {
  await rename(filesDirectory(dataDir, from), filesDirectory(dataDir, to)).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/** Links all files below another database, if the file system can; else copies them. Existing files stay. */
export async function linkFiles(dataDir: string, from: string, to: string): Promise<void> {
  const source = filesDirectory(dataDir, from)
  for (const part of await list(source)) {
    const target = join(filesDirectory(dataDir, to), part)
    await mkdir(target, { recursive: true, mode: 0o700 })
    for (const name of await list(join(source, part)))
      await linkOrCopy(join(source, part, name), join(target, name))
  }
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    // A draft that got its name, or a file that was collected.
    if (isMissing(error) || codeOf(error) === 'EEXIST') return
    await cp(from, to, { preserveTimestamps: true })
  }
}

/** Keys of all files of a database. */
export function storedIn(dataDir: string, database: string): Promise<string[]> {
  return keysIn(filesDirectory(dataDir, database))
}

/** Drafts and what is being collected are no files. */
async function keysIn(directory: string): Promise<string[]> {
  const keys: string[] = []
  for (const part of await list(directory))
    for (const name of /^[0-9a-f]{2}$/.test(part) ? await list(join(directory, part)) : [])
      if (KEY.test(`${part}/${name}`)) keys.push(`${part}/${name}`)
  return keys
}

/** Names of the databases that have files here. */
export function databasesWithFiles(dataDir: string): Promise<string[]> {
  return list(join(dataDir, 'filestore'))
}
