// Drafts: databases that are being made, under names that no list shows, until they are whole and get their own.
import { UserError } from '../errors.ts'
import type { Admin } from '../postgres/index.ts'

const DRAFT = /^_comptoir_draft_[a-z]+_\d+_([0-9a-z]+)$/
/** Nothing takes a day to make: an older draft was left by a process that died. */
const DAY = 24 * 3600_000

/** A name for a draft: what for, by which process, since when. */
export function draftName(purpose: 'template' | 'restore'): string {
  return `_comptoir_draft_${purpose}_${process.pid}_${Date.now().toString(36)}`
}

/** Whether a database is a draft that was left behind. */
export function isOldDraft(name: string, now = Date.now()): boolean {
  const since = DRAFT.exec(name)?.[1]
  return since !== undefined && now - Number.parseInt(since, 36) > DAY
}

/** Drops what processes that died left behind. */
export async function dropOldDrafts(admin: Admin): Promise<void> {
  for (const name of await admin.listDatabases((found) => isOldDraft(found))) {
    await admin.dropDatabase(name).catch((error: unknown) => {
      // Another process dropped it first.
      if (!(error instanceof UserError)) throw error
    })
  }
}
