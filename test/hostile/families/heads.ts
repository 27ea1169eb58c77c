// Headers of authenticated callers at their maximum length: preferences, versions, cursors, keys and
// traces, many and malformed, at every endpoint that reads them.
import type { Attack } from '../attack.ts'

/** Bytes of all headers that Node takes, less what the others need. */
const MOST = 15_000

const repeated = (piece: string) => (n: number) => piece.repeat(Math.ceil(n / piece.length)).slice(0, n)

/** Headers by name, each with what it is made of. */
const shapes: Readonly<Record<string, readonly [header: string, value: (n: number) => string]>> = {
  'preferences-by-the-thousand': ['prefer', (n) => repeated('tx=rollback, ')(n - 2)],
  'preferences-that-contradict': ['prefer', (n) => repeated('etag, count=exact, count=planned, ')(n - 2)],
  'preferences-of-parameters': ['prefer', (n) => `etag${repeated(';a=b')(n)}`],
  'preferences-of-quotes': ['prefer', (n) => `a="${repeated('\\"')(n - (n % 2))}"`],
  'versions-by-the-thousand': ['if-match', repeated('"v1-0", ')],
  'versions-of-stars': ['if-match', repeated('*, ')],
  'versions-weak': ['if-none-match', repeated('W/"x", ')],
  'cursors-long': ['cursor', repeated('A')],
  'cursors-of-dots': ['cursor', repeated('.')],
  'keys-long': ['idempotency-key', (n) => `"${repeated('k')(n)}"`],
  'keys-of-parameters': ['idempotency-key', (n) => `"k"${repeated(';a=1')(n)}`],
  'states-of-traces': ['tracestate', repeated('a=b,')],
  'parents-of-traces': ['traceparent', repeated('00-')],
  'kinds-by-the-thousand': ['accept', repeated('a/b;q=0.1, ')],
  'encodings-by-the-thousand': ['accept-encoding', repeated('gzip;q=0.001, ')],
  'languages-by-the-thousand': ['accept-language', repeated('xx;q=0.1, ')],
  'ranges-by-the-thousand': ['range', (n) => `bytes=${repeated('0-1,')(n)}`],
  'kinds-of-content': ['content-type', (n) => `application/json${repeated(';a=b')(n)}`],
}

const read = '{"domain":[],"fields":["name"],"limit":2}'
const endpoints: readonly (readonly [path: string, body: string, kind?: string])[] = [
  ['/json/2/res.partner/search_read', read],
  ['/json/2/res.users/context_get', '{}'],
  ['/x/1/batch', `{"calls":[{"model":"res.partner","method":"search_read","body":${read}}]}`],
  ['/x/1/changes', '{"models":{"res.partner":{}}}'],
  ['/x/1/bulk/res.partner', '{"name":"bulk"}\n', 'application/x-ndjson'],
  ['/x/1/export?model=res.partner&limit=2', ''],
  ['/x/1/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'],
]

export const heads: readonly Attack[] = Object.entries(shapes).map(([name, [header, value]]) => ({
  name: `heads/${name}`,
  area: 'C',
  size: MOST,
  small: MOST,
  run: ({ crowd, send, world }, n) =>
    crowd(endpoints.length * 4, 8, (at) => {
      const [path = '', body = '', kind = 'application/json'] = endpoints[at % endpoints.length] ?? []
      return send({
        path,
        headers: {
          authorization: `bearer ${world.keys.maker}`,
          'x-service-database': world.database,
          'content-type': kind,
          [header]: value(n),
        },
        body: body ? [body] : [],
      })
    }),
}))
