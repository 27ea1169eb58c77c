// Runs work in each cluster by itself: one that does not answer does not affect the others.
import type { Beat } from '../../postgres/index.ts'
import { sweep } from '../drafts.ts'
import type { Cluster, Clusters } from './clusters.ts'
import { finishMove } from './move.ts'
import { MAIN } from './register.ts'

/**
 * Cleans up after processes that died, and moves that they began. Leftovers that cannot be removed now are
 * harmless, and are tried again next time. `whole`: the server is used by Comptoir alone.
 */
export async function sweepAll(
  clusters: Clusters,
  whole: boolean,
  log: (message: string) => void,
): Promise<void> {
  const left = (error: unknown) => log(`Leftovers could not be removed: ${String(error)}`)
  const all = await clusters.all().catch(() => [clusters.main])
  await Promise.all(all.map(({ maker }) => sweep(maker, whole).catch(left)))
  const { admin } = clusters.main.maker
  for (const name of await clusters.unsettled())
    await admin.holding([name], () => finishMove(clusters, name), false).catch(left)
}

/** Sizes of databases on disk, by name, as far as their clusters answer. */
export async function sizesOf(
  clusters: Clusters,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const by = await byCluster(clusters, names)
  const sizes = await Promise.all(
    [...by].map(async ([cluster, databaseNames]) =>
      (await clusters.named(cluster)).maker.admin.sizes(databaseNames).catch((error: unknown) => {
        if (cluster === MAIN) throw error
        return new Map<string, number>()
      }),
    ),
  )
  return new Map(sizes.flatMap((sizesOfCluster) => [...sizesOfCluster]))
}

/** The result of each cluster, or its error. */
export function eachOf<T>(
  all: readonly Cluster[],
  look: (cluster: Cluster) => Promise<T>,
): Promise<readonly (readonly [Cluster, T | Error])[]> {
  return Promise.all(
    all.map(async (cluster) => {
      const result = await look(cluster).catch((error: unknown) =>
        error instanceof Error ? error : new Error(String(error)),
      )
      return [cluster, result] as const
    }),
  )
}

/** Databases by the names of the clusters that they are in. */
export async function byCluster(
  clusters: Clusters,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const places = new Map<string, string>()
  for (const name of names) places.set(name, (await clusters.placeOf(name))?.cluster ?? MAIN)
  return Map.groupBy(names, (name) => places.get(name) ?? MAIN)
}

type Beats = readonly (readonly [Cluster, Beat | Error])[]

/** Heartbeat of each cluster; of the main one only while the register cannot be read. */
export async function heartbeatsOf(clusters: Clusters): Promise<Beats> {
  const all = await clusters.all().catch(() => [clusters.main])
  return eachOf(all, ({ pulse }) => pulse.feel())
}

/** Whether one of them accepts writes, and which do not answer. Throws an error if none answers. */
export function anyOf(beats: Beats): Beat & { readonly down: readonly string[] } {
  const answers = beats.flatMap(([, beat]) => (beat instanceof Error ? [] : beat))
  if (answers.length === 0) throw beats[0]?.[1]
  return {
    writable: answers.some(({ writable }) => writable),
    down: beats.flatMap(([{ name }, beat]) => (beat instanceof Error ? name : [])),
  }
}
