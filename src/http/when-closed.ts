// Runs a callback when a client is gone or has its answer, also if that was so before.
import type { ServerResponse } from 'node:http'

/** Calls `then` once the answer was sent or its connection is closed: at once if it already is. */
export function whenClosed(raw: ServerResponse, then: () => void): void {
  if (raw.closed) then()
  else raw.once('close', then)
}
