// Opens a database in its cluster. The cached place may be out of date, and the database may be moving from
// one cluster to another at this moment.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../../errors.ts'
import { ReplacedDatabase } from '../database.ts'
import { noDatabase } from '../names.ts'
import type { Cluster, Clusters } from './clusters.ts'
import { finishMove } from './move.ts'

/** Looks for a database that is on its way, and milliseconds between two. */
const LOOKS = 40
const LOOK_MS = 50

/**
 * Runs `open` with the cluster of a database, and again if the database has moved. Throws the errors of
 * `open` except ReplacedDatabase: NotFound for a missing database, ServiceUnavailable while it moves.
 */
export async function openInCluster<T>(
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
        throw new ServiceUnavailable('The database is being moved to another server. Please try again.', {
          repeats: true,
        })
      if (place?.other && !(await mended(clusters, name))) await sleep(LOOK_MS)
    }
  }
}

/** Whether its mover was gone, and the move is ended now. */
async function mended(clusters: Clusters, name: string): Promise<boolean> {
  const { admin } = clusters.main.maker
  return (await admin.holding([name], () => finishMove(clusters, name).then(() => true), false)) ?? false
}
