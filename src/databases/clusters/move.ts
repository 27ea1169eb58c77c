// Moves a database from one cluster to another: copies it while it is locked against writes, closes it in the
// old place, and changes the map. If the move dies at any point, the row of the map says which of the two is
// the database, and the other is dropped (docs/decisions/0061).
import { UserError } from '../../errors.ts'
import { isConnectionLost } from '../../postgres/index.ts'
import { withDraft } from '../drafts.ts'
import type { Progress } from '../maker.ts'
import type { Cluster, Clusters } from './clusters.ts'
import { copyDatabase, lockTables, prepare } from './copy.ts'
import { MAIN } from './register.ts'

/** Durations of a move, in milliseconds. */
export interface Moved {
  /** Changes waited, or were refused. */
  readonly held: number
  /** Connections were refused. */
  readonly closed: number
}

/** Milliseconds between two messages to the nodes that the database is being moved. */
const SAY_MS = 2000

export interface MoveOptions {
  readonly clusters: Clusters
  /** Notifies all nodes, this one included, that changes have to wait. */
  readonly shut: () => void
  /** Notifies them that the database is to be opened again, in its new place. */
  readonly open: () => Promise<void>
  readonly progress?: Progress | undefined
  readonly log: (message: string) => void
}

/** Throws UserError for a database that cannot be moved; it stays in service in its old place. */
export function moveDatabase(name: string, to: string, options: MoveOptions): Promise<Moved> {
  const { clusters } = options
  return clusters.main.maker.admin.holding([name], async () => {
    await finishMove(clusters, name, true)
    const place = await clusters.placeOf(name, true)
    const [from, target] = [await clusters.named(place?.cluster ?? MAIN), await clusters.named(to)]
    if (from === target) throw new UserError(`The database is already in the cluster ${to}.`)
    if (!(await from.maker.admin.databaseExists(name))) throw new UserError('Database not found.')
    if (await target.maker.admin.databaseExists(name))
      throw new UserError(
        `The cluster ${to} already has a database of this name that does not belong to this server.`,
      )
    const moved = await withDraft(target.maker, 'move', (draft) =>
      carry(name, draft, [from, target], options),
    )
    await finishMove(clusters, name).catch((error: unknown) =>
      options.log(`The database ${name} was moved; the old copy will be removed later: ${String(error)}`),
    )
    return moved
  })
}

async function carry(
  name: string,
  draft: string,
  [from, to]: readonly [Cluster, Cluster],
  { clusters, shut, open, progress }: MoveOptions,
): Promise<Moved> {
  const { register } = clusters
  const [source, copy] = [
    { ...from.address, database: name },
    { ...to.address, database: draft },
  ]
  await to.maker.admin.createDatabase(draft)
  const prepared = await prepare(source, copy)
  shut()
  const saying = setInterval(shut, SAY_MS)
  const began = performance.now()
  const held = await lockTables(source).catch(async (error: unknown) => {
    clearInterval(saying)
    await open()
    throw error
  })
  try {
    await copyDatabase(held, source, copy, prepared, progress)
    // From here on a process that finds the database closed knows what to do (`mend`).
    await register.place(name, from.name, to.name)
    const closing = performance.now()
    await from.maker.admin.closeDatabase(name, held.pid)
    await to.maker.admin.renameDatabase(draft, name)
    await register.place(name, to.name, from.name)
    return { held: performance.now() - began, closed: performance.now() - closing }
  } catch (error) {
    // If the main server cannot be reached now, the next process that opens the database repairs it.
    await finishMove(clusters, name).catch(() => undefined)
    throw error
  } finally {
    clearInterval(saying)
    held.release()
    clusters.forget()
    await open()
  }
}

/**
 * Ends a move that is complete or died: opens the database in its place on the map, and drops the other one.
 * The caller holds the name. `whole`: throws also if only the other one cannot be reached.
 */
export async function finishMove(clusters: Clusters, name: string, whole = false): Promise<void> {
  const place = await clusters.placeOf(name, true)
  if (!place?.other) return
  const [home, other] = [await clusters.named(place.cluster), await clusters.named(place.other)]
  await home.maker.admin.openDatabase(name)
  try {
    if (await other.maker.admin.databaseExists(name)) await other.maker.admin.dropDatabase(name)
    await clusters.register.place(name, place.cluster)
  } catch (error) {
    if (whole || !isConnectionLost(error)) throw error
  }
  clusters.forget()
}
