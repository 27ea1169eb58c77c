// Subscriptions: a stream of notifications about changes of the records that a client reads, fed by the
// change feed as this caller sees it.
import type { ServerNotifier } from '@modelcontextprotocol/server'
import { recordAddress } from './resources.ts'
import type { Visit } from './visit.ts'

/** Records of one stream. */
const MOST = 100
/** Milliseconds between two looks at the credential, and of a stream. */
const [ALIVE, LONGEST] = [14_000, 3_600_000]

/** The records that a request subscribes to, by model. */
export function subscribedRecords(message: unknown): Map<string, number[]> | null {
  const { method, params } = { ...(message as object) } as {
    method?: unknown
    params?: { notifications?: unknown }
  }
  if (method !== 'subscriptions/listen') return null
  const { resourceSubscriptions: uris } = { ...(params?.notifications as object) } as {
    resourceSubscriptions?: unknown
  }
  const idsByModel = new Map<string, number[]>()
  for (const uri of Array.isArray(uris) ? uris.slice(0, MOST) : []) {
    const address = recordAddress(String(uri))
    if (address && address.id !== null)
      idsByModel.set(address.model, [...(idsByModel.get(address.model) ?? []), address.id])
  }
  return idsByModel
}

/** A subscription whose position in the feed is known: later changes are notified. */
export type Following = (to: {
  readonly notify: ServerNotifier
  readonly signal: AbortSignal
}) => Promise<void>

/**
 * Begins to follow records. Throws where the caller may not, as following itself does once the credential
 * holds no more.
 */
export async function subscribe(
  { backend, owner }: Visit,
  wanted: ReadonlyMap<string, readonly number[]>,
): Promise<Following> {
  const { databases } = backend
  const models = Object.fromEntries(
    [...wanted].map(([model, ids]) => [model, { fields: [], domain: [['id', 'in', ids]] }]),
  )
  const read = (cursor: string | null) =>
    backend.changes(databases, {
      ...owner,
      abilities: ['mcp'],
      body: () => ({ models, ...(cursor === null ? { from: 'now' } : { cursor }) }),
    })
  const pulse = await backend.pulse(databases, owner.database)
  let beat = pulse.beat
  let page = await read(null)
  return async ({ notify, signal }) => {
    const until = performance.now() + LONGEST
    while (!signal.aborted && performance.now() < until) {
      for (const { model, id } of page.changes) notify.resourceUpdated(`comptoir://records/${model}/${id}`)
      if (!page.more) await pulse.next({ milliseconds: ALIVE, signal, beat })
      if (signal.aborted) return
      beat = pulse.beat
      page = await read(page.cursor)
    }
  }
}
