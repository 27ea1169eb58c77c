// Duplicates a database in use: all tables from one snapshot, over several connections.
import { passingTables } from '../models/changes/tables.ts'
import { type ConnectionOptions, Copying } from '../postgres/index.ts'
import { readObjects } from './backup/objects.ts'
import { copyLines, type Lines, lockAll, unknownObjectIn, withLines } from './clusters/copy.ts'
import { lockFiles } from './filestore.ts'

/** Tables that are copied concurrently, so that processors are left for calls. */
const LINES = 2

/**
 * Copies a database into an empty one on the same server, as of one snapshot, without data kept for
 * callers. Runs `files` while none of its files can be removed. Returns false without copying if the
 * database has objects that no module creates: a copy would lack them.
 */
export async function copyInUse(
  from: ConnectionOptions,
  to: ConnectionOptions,
  files: () => Promise<void>,
): Promise<boolean> {
  const holder = await Copying.connect(from)
  try {
    if ((await unknownObjectIn(holder)) !== null) return false
    await holder.query(lockFiles)
    await lockAll(holder, 'ACCESS SHARE')
    await withLines(LINES, from, to, async (lines) => {
      await beginTogether(lines)
      const objects = await readObjects(lines[0].from, [])
      await lines[0].to.runAll(objects.before.map(({ statement }) => statement))
      await copyLines(lines, objects, { without: passingTables })
    })
    await files()
    return true
  } finally {
    holder.destroy()
  }
}

/** All connections use the same snapshot. */
async function beginTogether([first, ...others]: Lines): Promise<void> {
  await first.from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const [[snapshot] = []] = await first.from.query('SELECT pg_export_snapshot()')
  for (const { from } of others) {
    await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await from.query(`SET TRANSACTION SNAPSHOT '${String(snapshot)}'`)
  }
}
