// Entry of the folder `mcp`: the endpoint for agents, over the Model Context Protocol. The protocol's library
// reads and writes its messages; every request is independent, so any node answers any of them
// (docs/decisions/0048).
import { createMcpHandler } from '@modelcontextprotocol/server'
import { inOwnTrace, spanNow, type TraceContext } from '../kit/watch/index.ts'
import { traceIn } from '../wire/traces.ts'
import { serverFor } from './server.ts'
import { subscribe, subscribedRecords } from './subscriptions.ts'
import type { Visit } from './visit.ts'

export type { Visit } from './visit.ts'

/** A message of the protocol as it came; the signal of its request is that of who reads the answer. */
export interface Message {
  readonly request: Request
  /** Its body, decoded. */
  readonly body: unknown
}

/**
 * Answers one message. Throws what is no matter of the protocol: a credential that opens nothing, too many
 * calls.
 */
export async function answer(visit: Visit, { request, body }: Message): Promise<Response> {
  const failure: { reason?: unknown } = {}
  const handler = createMcpHandler(
    ({ era }) => serverFor(visit, era, (reason) => Object.assign(failure, { reason })),
    { legacy: 'stateless' },
  )
  const wanted = subscribedRecords(body)
  const following =
    wanted?.size && visit.agent.opens('changes') && visit.extensions.has('changes')
      ? await subscribe(visit, wanted)
      : null
  const named = traceOf(body)
  const fetched = () => handler.fetch(request, { parsedBody: body })
  const link = spanNow()?.context
  const response = await (named ? inOwnTrace('mcp', { parent: named, link }, fetched) : fetched())
  if (failure.reason !== undefined) throw failure.reason
  // The stream ends where following does: when its reader goes, and when the credential opens nothing any
  // more.
  if (following)
    following({ notify: handler.notify, signal: request.signal }).then(handler.close, () => handler.close())
  return response
}

/** The trace that a message names itself: it says more of where it belongs than its request. */
function traceOf(body: unknown): TraceContext | null {
  const { params } = { ...(body as object) } as { params?: unknown }
  const { _meta } = { ...(params as object) } as { _meta?: unknown }
  return traceIn({ ...(_meta as object) })
}

/** Whether a message asks for a stream. */
export const isListening = (body: unknown): boolean => subscribedRecords(body) !== null

/** Whether a message reads or writes records, and so proves its credential by itself. */
export function provesItself(body: unknown): boolean {
  const { method } = { ...(body as object) } as { method?: unknown }
  return method === 'tools/call' || method === 'resources/read' || method === 'resources/list'
}
