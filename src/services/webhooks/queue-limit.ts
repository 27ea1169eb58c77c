// Limits the disk space of an endpoint's queue: when it is full, no deliveries are added. The database is
// asked for the size only after this process has added a good part of the limit, not for every change.
import type { Database } from '../../databases/index.ts'
import { limits, written } from '../../limits.ts'
import type { Environment } from '../../models/language/environment.ts'
import { idList, sql } from '../../sql/index.ts'
import { type Endpoint, fill, type NewDelivery, waitingBytes } from './rows.ts'

/** Part of the limit that may be added before the size is read again. */
const PART = 1 / 16

/** Bytes that this process added for endpoints since they were counted. */
const added = new WeakMap<Database, Map<number, number>>()

/** Deliveries were made. */
export function noteCreated(database: Database, deliveries: readonly NewDelivery[]): void {
  const bytesByEndpoint = added.get(database) ?? new Map<number, number>()
  added.set(database, bytesByEndpoint)
  for (const { webhook, body } of deliveries)
    bytesByEndpoint.set(webhook, (bytesByEndpoint.get(webhook) ?? 0) + Buffer.byteLength(body))
}

/** Endpoints for which more may wait; the others are paused. */
export async function withRoom(
  env: Environment,
  database: Database,
  endpoints: readonly Endpoint[],
): Promise<readonly Endpoint[]> {
  const bytesByEndpoint = added.get(database)
  const most = limits['webhook-waiting']
  const grown = endpoints
    .filter(({ id }) => (bytesByEndpoint?.get(id) ?? 0) > most * PART)
    .map(({ id }) => id)
  if (grown.length === 0) return endpoints
  const rows = await env.query<[number, number]>(waitingBytes(grown))
  // One that is made active again may be sent to for a while before it is looked at.
  for (const id of grown) bytesByEndpoint?.delete(id)
  const full = rows.flatMap(([id, bytes]) => (bytes > most ? [id] : []))
  if (full.length === 0) return endpoints
  const words = `(limit "webhook-waiting", ${written('webhook-waiting', most)})`
  env.unit.send(
    fill(
      sql`SELECT unnest(${idList(full)})`,
      `The pending deliveries of this endpoint exceed the limit ${words}: no deliveries are queued until it is active again.`,
    ),
  )
  return endpoints.filter(({ id }) => !full.includes(id))
}
