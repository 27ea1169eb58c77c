// Builds clusters: their connections, and how databases are made and opened there.
import { Admin, forMaintenance, Heartbeat, serverAddresses, type Ways } from '../../postgres/index.ts'
import type { Maker } from '../maker.ts'
import type { ServerOptions } from '../options.ts'
import { type Cluster, Clusters } from './clusters.ts'
import { type Entry, MAIN, type Register } from './register.ts'

/** Parts that all clusters of a server share. */
interface Common {
  readonly options: ServerOptions
  readonly files: Maker['files']
  readonly restorer: Maker['restorer']
  /** Closes idle connections. */
  readonly makeRoom: () => void
  /** Whether changes of the map are received at this moment. */
  readonly isHeard: () => boolean
}

/** The clusters of a server, by the ways to the main one. */
export function clustersFor(ways: Ways, register: Register | null, common: Common): Clusters {
  const clusters: Clusters = new Clusters({
    main: clusterBy(MAIN, ways, common, () => clusters),
    register,
    make: (entry) => clusterOf(entry, common, () => clusters),
    isHeard: common.isHeard,
  })
  return clusters
}

function clusterBy(
  name: string,
  { served, direct: address }: Ways,
  { options, files, restorer, makeRoom }: Common,
  clusters: () => Clusters,
): Cluster {
  const cluster: Cluster = {
    name,
    served,
    address,
    pulse: new Heartbeat(forMaintenance(served)),
    maker: {
      admin: new Admin({ ...address, ...options.pool }, options),
      dataDir: options.dataDir,
      files,
      pool: {
        ...address,
        max: 16,
        ...options.pool,
        ...(options.clock ? { clock: options.clock } : {}),
        makeRoom,
      },
      modules: options.modules,
      restorer,
      ...(options.baseUrl ? { baseUrl: options.baseUrl } : {}),
      claim: (database, work) => clusters().claim(cluster, database, work),
    },
  }
  return cluster
}

/** A cluster of the register. Its URL leads to a pooler if there is also a direct address. */
function clusterOf({ name, url, direct }: Entry, common: Common, clusters: () => Clusters): Cluster {
  const pooler = direct === null ? undefined : common.options.pooler
  return clusterBy(name, serverAddresses(url, pooler, direct ?? undefined), common, clusters)
}
