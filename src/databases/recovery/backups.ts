// The backups of an embedded server: taken, listed, pruned.
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'
import {
  type Archive,
  type Base,
  basesIn,
  holdingFolder,
  listBases,
  manageEmbedded,
  pack,
  type Reach,
  reachOf,
  removeSegmentsBefore,
  takeBase,
  walIn,
} from '../../postgres/embedded/index.ts'
import { AUDIT_FILE } from '../audit.ts'
import { databasesWithFiles } from '../filestore.ts'
import { KeptContents } from './contents.ts'

/** Files of the data directory that belong to no database; settings and keys of an administrator are theirs to keep. */
export const BESIDE = ['master-password', AUDIT_FILE] as const

/** A base backup, and how far the log leads from it. */
export interface Backup extends Base {
  readonly reach: Reach
}

export class Backups {
  readonly dataDir: string
  readonly archive: Archive
  readonly contents: KeptContents

  constructor(dataDir: string, archive: Archive) {
    this.dataDir = dataDir
    this.archive = archive
    this.contents = new KeptContents(archive.folder, dataDir)
  }

  /** Takes a base backup. Throws StartupError. */
  async base(progress: (step: string, done: number) => void = () => undefined): Promise<Base> {
    const { folder } = this.archive
    const server = await manageEmbedded(this.dataDir)
    return this.#alone(() => takeBase(server, folder, (path) => this.#beside(path), progress))
  }

  async #beside(path: string): Promise<void> {
    for (const name of BESIDE)
      if (existsSync(join(this.dataDir, name))) await copyFile(join(this.dataDir, name), join(path, name))
    const keys = new Set<string>()
    for (const database of await databasesWithFiles(this.dataDir))
      for (const key of await this.contents.keepAll(database)) keys.add(key)
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'contents'), [...keys].map((key) => `${key}\n`).join(''), { flush: true })
  }

  /** The base backups, the oldest first. */
  list(): Promise<Backup[]> {
    return backupsIn(this.archive.folder)
  }

  /**
   * Removes backups that a restore to a moment of the last `keepDays` days does not need. Returns the labels
   * of the removed base backups.
   */
  async prune(keepDays: number): Promise<string[]> {
    const { folder } = this.archive
    return this.#alone(async () => {
      const since = Date.now() - keepDays * 86_400_000
      const bases = await listBases(folder)
      const oldest = bases.findLast(({ ended }) => Date.parse(ended) <= since) ?? bases[0]
      if (!oldest) return []
      const gone = bases.slice(0, bases.indexOf(oldest))
      for (const { label } of gone) await rm(join(basesIn(folder), label), { recursive: true, force: true })
      await removeSegmentsBefore(walIn(folder), oldest.first)
      const kept = bases.slice(bases.indexOf(oldest))
      const lists = await Promise.all(kept.map(({ label }) => contentsOf(folder, label)))
      await this.contents.prune(new Set(lists.flat()), new Date(oldest.started))
      return gone.map(({ label }) => label)
    })
  }

  /** Packs the log; false while another process changes the backups. */
  async pack(): Promise<boolean> {
    const { folder } = this.archive
    const aside = join(this.dataDir, 'backup-packing')
    return (await holdingFolder(folder, () => pack(walIn(folder), aside))) !== null
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    let result: { readonly value: T } | undefined
    const done = await holdingFolder(this.archive.folder, async () => {
      result = { value: await work() }
      return true
    })
    if (!done || !result) throw new StartupError('Another process is working on the backups. Try again.')
    return result.value
  }
}

/** The base backups of a folder, with how far the log leads. */
export async function backupsIn(folder: string): Promise<Backup[]> {
  const bases = await listBases(folder)
  return Promise.all(
    bases.map(async (base) => ({ ...base, reach: await reachOf(walIn(folder), base.first) })),
  )
}

async function contentsOf(folder: string, label: string): Promise<string[]> {
  const text = await readFile(join(basesIn(folder), label, 'contents'), 'utf8')
  return text.split('\n').filter(Boolean)
}
