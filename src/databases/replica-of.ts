// The replica that the options name: one state of it for all databases of the process, and for its log.
import { PeerHealth } from '../kit/peer-health.ts'
import type { ReplicaOptions } from '../postgres/index.ts'
import type { ServerOptions } from './options.ts'

/** Milliseconds by which what a replica shows may be old. */
const LAG_MS = 10_000

export function replicaOf({ replicaUrl, replicaLagMs = LAG_MS, log }: ServerOptions): ReplicaOptions | null {
  if (!replicaUrl) return null
  const health = new PeerHealth((reason) =>
    log?.(
      reason === null
        ? 'The replica is used again.'
        : `The replica is not used for now; the primary server answers instead: ${reason}`,
    ),
  )
  return { url: replicaUrl, lagMs: replicaLagMs, health }
}
