// Duplicates a database while others use it: all tables as of one moment, over several connections.
import { passingTables } from '../models/changes/tables.ts'
import { type ConnectionOptions, Copying } from '../postgres/index.ts'
import { readObjects } from './backup/objects.ts'
import { fill, type Lines, lockAll, strangeIn, withLines } from './clusters/copy.ts'
import { lockFiles } from './filestore.ts'

/** Tables that are copied at a time: others need processors too. */
const LINES = 2

/**
 * Copies a database into an empty one of the same server, as it is at this moment, without data kept for
 * callers. Runs `files` while none of its files can be removed. Returns false, and does nothing, if the
 * database has objects that no module creates: a copy would lack them.
 */
export async function copyInUse(
  from: ConnectionOptions,
  to: ConnectionOptions,
  files: () => Promise<void>,
): Promise<boolean> {
  const holder = await Copying.connect(from)
  try {
    if ((await strangeIn(holder)) !== null) return false
    await holder.query(lockFiles)
    await lockAll(holder, 'ACCESS SHARE')
    await withLines(LINES, from, to, async (lines) => {
      await beginTogether(lines)
      const objects = await readObjects(lines[0].from, [])
      await lines[0].to.runAll(objects.before.map(({ statement }) => statement))
      await fill(lines, objects, { without: passingTables })
    })
    await files()
    return true
  } finally {
    holder.destroy()
  }
}

/** All connections see the database at the same moment. */
async function beginTogether([first, ...others]: Lines): Promise<void> {
  await first.from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const [[snapshot] = []] = await first.from.query('SELECT pg_export_snapshot()')
  for (const { from } of others) {
    await from.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await from.query(`SET TRANSACTION SNAPSHOT '${String(snapshot)}'`)
  }
}
