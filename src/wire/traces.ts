// The caller's trace (W3C Trace Context) in headers, and in messages of agents.
import type { TraceContext } from '../kit/watch/index.ts'

/** Version, trace, span and flags. Later versions begin with the same parts. */
const PARENT = /^(?!ff)[0-9a-f]{2}(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?$/
/** Characters of a traceparent in the first version. */
const LENGTH = 55
/** Most characters of a tracestate that are passed on: the minimum that the specification requires. */
const MOST_STATE = 512

/** Whether a header `traceparent` is valid. A missing one is. */
export const isTrace = (header: string | undefined): boolean =>
  header === undefined || (PARENT.test(header) && (!header.startsWith('00') || header.length === LENGTH))

/** Whether `tracestate` is valid. It has other vendors' list members, none of which is read. */
export function isState(header: string | undefined): boolean {
  if (header === undefined) return true
  const members = header.split(',').map((member) => member.trim())
  const isRead = (member: string) =>
    member === '' || /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,256}$/.test(member)
  return members.length <= 32 && members.every(isRead)
}

/** The trace in headers or in a message's `_meta`, in the form of the first version; null where none is. */
export function traceIn(carrier: Readonly<Record<string, unknown>>): TraceContext | null {
  const { traceparent, tracestate } = carrier
  if (typeof traceparent !== 'string' || !isTrace(traceparent)) return null
  const trace = { traceparent: `00${PARENT.exec(traceparent)?.[1]}` }
  const isKept = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MOST_STATE
  return isKept && isState(tracestate) ? { ...trace, tracestate } : trace
}
