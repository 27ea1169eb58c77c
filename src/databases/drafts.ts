// Drafts: databases that are being made, under names that no list shows, until they are whole and get their own.
import { randomBytes } from 'node:crypto'
import { UserError } from '../errors.ts'
import { type Admin, isOurs } from '../postgres/index.ts'
import { dropFiles, filesHere, renameFiles } from './filestore.ts'

const DRAFT = /^_comptoir_draft_[a-z]+_[0-9a-z_]+$/

export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** Where databases and their files are. */
export interface Ground {
  readonly admin: Admin
  readonly dataDir: string
}

/**
 * Runs `work` with the name of a draft, which it makes and renames in the end. The process holds the name meanwhile, so that
 * nobody takes the draft for one that was left behind; nothing stays of a draft whose work fails.
 */
export function withDraft<T>(
  { admin, dataDir }: Ground,
  purpose: 'template' | 'create' | 'duplicate' | 'restore',
  work: (draft: string) => Promise<T>,
): Promise<T> {
  const draft = `_comptoir_draft_${purpose}_${process.pid}_${randomBytes(6).toString('hex')}`
  return admin.holding([draft], async () => {
    try {
      return await work(draft)
    } catch (error) {
      await admin.clearDatabase(draft)
      await dropFiles(dataDir, draft)
      throw error
    }
  })
}

/**
 * Gives a whole draft its name. Its files go first: a database that can be seen has all of its files, whenever the process dies.
 * Throws UserError when the name was taken meanwhile.
 */
export function publish({ admin, dataDir }: Ground, draft: string, name: string): Promise<void> {
  return admin.holding([name], async () => {
    if (await admin.databaseExists(name)) throw new UserError('A database of this name exists already.')
    // What is left of a database whose drop was not finished.
    await admin.clearDatabase(name)
    await dropFiles(dataDir, name)
    await renameFiles(dataDir, draft, name)
    try {
      await admin.renameDatabase(draft, name)
    } catch (error) {
      await dropFiles(dataDir, name)
      throw error
    }
  })
}

/**
 * Removes what processes that died left behind: drafts, databases whose drop was begun, files without a database. `whole` says that the
 * server is ours alone; on a shared one, broken databases may be somebody else's, and files belong to databases of this machine only.
 */
export async function sweep({ admin, dataDir }: Ground, whole: boolean): Promise<void> {
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
  if (!whole) return
  const known = new Set(await admin.listDatabases(() => true))
  for (const name of await filesHere(dataDir)) {
    if (known.has(name)) continue
    await admin.holding(
      [name],
      async () => {
        if (!(await admin.databaseExists(name))) await dropFiles(dataDir, name)
      },
      false,
    )
  }
}
