// Opens a database where it is, though what is remembered of that may be old, and though it may be on its way
// from one cluster to another at this moment.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../../errors.ts'
import { ReplacedDatabase } from '../database.ts'
import { noDatabase } from '../names.ts'
import type { Cluster, Clusters } from './clusters.ts'
import { mend } from './move.ts'

/** Looks for a database that is on its way, and milliseconds between two. */
const LOOKS = 40
const LOOK_MS = 50

/**
 * Runs `open` with the cluster of a database, again where it is another one by now. Throws what `open`
 * throws, ReplacedDatabase aside: NotFound where there is no such database, ServiceUnavailable while it
 * moves.
 */
export async function whereabouts<T>(
  clusters: Clusters,
  name: string,
  open: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  for (let look = 1; ; look++) {
    const cluster = await clusters.of(name)
    try {
      return await open(cluster)
    } catch (error) {
      if (!(error instanceof ReplacedDatabase)) throw error
      const place = await clusters.placeOf(name, true)
      if (!place?.other && (place?.cluster ?? clusters.main.name) === cluster.name) throw noDatabase()
      if (look >= LOOKS)
        throw new ServiceUnavailable('The database is being moved to another server.', { repeats: true })
      if (place?.other && !(await mended(clusters, name))) await sleep(LOOK_MS)
    }
  }
}

/** Whether its mover was gone, and the move is ended now. */
async function mended(clusters: Clusters, name: string): Promise<boolean> {
  const { admin } = clusters.main.maker
  return (await admin.holding([name], () => mend(clusters, name).then(() => true), false)) ?? false
}
