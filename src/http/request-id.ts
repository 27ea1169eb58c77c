// The id of a request: the client's own if it is valid, else a new one. It is returned, and it is in the log.
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const SANE = /^[\w.:+/=-]{1,128}$/

/** The id in `X-Request-Id`, unless it is missing or could do harm in a log or a header. */
export function requestId({ headers }: { headers: IncomingHttpHeaders }): string {
  const header = headers['x-request-id']
  return typeof header === 'string' && SANE.test(header) ? header : randomUUID()
}
