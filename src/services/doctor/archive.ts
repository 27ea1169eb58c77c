// The archive of an embedded server (--backup-dir): whether a restore would have everything, and how far it
// is behind.
import type { Databases } from '../../databases/index.ts'
import { assess, type Finding } from './finding.ts'

/** Checks the archive of an embedded server; no findings without one. */
export async function archive(databases: Databases): Promise<Finding[]> {
  const state = await databases.backupState()
  if (!state) return []
  const { failing, lagSeconds } = state
  return [
    assess('archive', failing ?? `the oldest write that is not archived is ${Math.round(lagSeconds)} s old`, [
      failing !== null,
      'wrong',
      'Run serve with --backup-dir, on a disk with free space. If it does, its log says why PostgreSQL cannot archive.',
    ]),
  ]
}
