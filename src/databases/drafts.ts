// Drafts: databases that are being made, under names that no list shows, until they are whole and get their
// own.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceUnavailable, UserError } from '../errors.ts'
import { isDiskFull } from '../kit/caught.ts'
import { type Admin, isOurs, sqlState } from '../postgres/index.ts'
import type { Contents } from './contents/contents.ts'

const SCRATCH = 'upload-'
const DRAFT = /^_comptoir_draft_[a-z]+_[0-9a-z_]+$/

export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** Where databases and their files are. */
export interface Ground {
  readonly admin: Admin
  readonly dataDir: string
  readonly files: Contents
  /**
   * Runs work that gives a database its name, while the name is locked; by default on this PostgreSQL server.
   */
  readonly claim?: (name: string, work: () => Promise<void>) => Promise<void>
}

/**
 * Runs `work` with the name of a staging database, which it makes, and renames it at the end. The process
 * holds the name meanwhile, so that the database is not taken for a leftover. If the work fails, the staging
 * database is removed.
 */
export function withDraft<T>(
  { admin, files }: Ground,
  purpose: 'template' | 'create' | 'duplicate' | 'restore' | 'move',
  work: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `_comptoir_draft_${purpose}_${process.pid}_${randomBytes(6).toString('hex')}`
  return admin.holding([draft], async () => {
    try {
      return await work(draft)
    } catch (error) {
      try {
        await admin.clearDatabase(draft)
        await files.drop(draft)
      } catch (failure) {
        // The original failure matters more; the next start sweeps.
        process.emitWarning(`A staging database could not be removed: ${String(failure)}`)
      }
      throw shortage(error)
    }
  })
}

/** A full disk, of this machine or PostgreSQL's, in words for the user; any other failure unchanged. */
function shortage(error: unknown): unknown {
  const isFull = isDiskFull(error) || sqlState(error) === '53100'
  return isFull
    ? new ServiceUnavailable('The disk of the server is full; no database was created.', { cause: error })
    : error
}

/**
 * Gives a whole draft its name. Its files go first: a database that can be seen has all of its files,
 * whenever the process dies.
 * Throws UserError when the name was taken meanwhile.
 */
export function publish({ admin, files, claim }: Ground, draft: string, name: string): Promise<void> {
  const claiming = claim ?? ((_, work) => admin.holding([name], work))
  return claiming(name, async () => {
    if (await admin.databaseExists(name)) throw new UserError('A database of this name exists already.')
    // Remains of a database whose drop was not finished.
    await admin.clearDatabase(name)
    await files.drop(name)
    await files.rename(draft, name)
    try {
      await admin.renameDatabase(draft, name)
    } catch (error) {
      // If the answer to a rename was lost, it may have taken place: then the files stay, and are swept if it
      // did not.
      if (!(await admin.databaseExists(name).catch(() => true))) await files.drop(name)
      throw error
    }
  })
}

/** Runs `work` with the path for a file, in a folder that is removed afterwards. */
export function withScratch<T>({ admin, dataDir }: Ground, work: (path: string) => Promise<T>): Promise<T> {
  const name = `${SCRATCH}${randomBytes(6).toString('hex')}`
  return admin.holding([name], async () => {
    const folder = join(dataDir, name)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      return await work(join(folder, 'file'))
    } catch (error) {
      throw shortage(error)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

/**
 * Removes leftovers of processes that died: staging databases, databases whose drop was begun, files without
 * a database. `whole`: the server is used by Comptoir alone. On a shared one, broken databases may belong to
 * others, and files belong to databases of this machine only.
 */
export async function sweep({ admin, dataDir, files }: Ground, whole: boolean): Promise<void> {
  const drafts = await admin.listDatabases(isDraft)
  const broken = (await admin.listBroken()).filter((name) => isDraft(name) || (whole && isOurs(name)))
  for (const name of new Set([...drafts, ...broken])) {
    await admin.holding(
      [name],
      async () => {
        if (isDraft(name) || !(await admin.databaseExists(name))) await admin.clearDatabase(name)
      },
      false,
    )
  }
  for (const name of (await readdir(dataDir).catch(() => [])).filter((fileName) =>
    fileName.startsWith(SCRATCH),
  ))
    await admin.holding([name], () => rm(join(dataDir, name), { recursive: true, force: true }), false)
  if (!whole) return
  const databaseNames = new Set(await admin.listDatabases(() => true))
  for (const name of await files.here()) {
    if (databaseNames.has(name)) continue
    await admin.holding(
      [name],
      async () => {
        if (!(await admin.databaseExists(name))) await files.drop(name)
      },
      false,
    )
  }
}
