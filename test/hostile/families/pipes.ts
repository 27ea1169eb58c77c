// Unusual connections that no library opens: tiny chunks, pipelined requests whose answers are not
// read, thousands of headers, bodies that stop.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Hands } from '../attack.ts'
import { times } from '../bodies.ts'

/** Writes text again and again until so much is written, or the other side takes no more for a while. */
async function pour(socket: Socket, text: string, count: number, signal: AbortSignal): Promise<void> {
  const together = Math.max(1, Math.floor(65_536 / text.length))
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  for (let left = count; left > 0 && !socket.destroyed && !signal.aborted; left -= together) {
    if (socket.write(text.repeat(Math.min(left, together)))) continue
    const patience = AbortSignal.any([signal, gone.signal, AbortSignal.timeout(3000)])
    await once(socket, 'drain', { signal: patience }).catch(() => undefined)
    if (patience.aborted) return
  }
}

const host = 'Host: 127.0.0.1\r\nX-Forwarded-For: 10.77.1.1\r\n'

async function chunks(hands: Hands, path: string, type: string, chunk: string, count: number): Promise<void> {
  const socket = await hands.socket()
  let said = ''
  socket.on('data', (piece) => {
    said += piece
  })
  socket.write(`POST ${path} HTTP/1.1\r\n${host}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`)
  await pour(socket, chunk, count, hands.signal)
  if (!socket.destroyed) socket.write('0\r\n\r\n')
  for (let i = 0; i < 400 && !said && !hands.signal.aborted; i++) await sleep(100)
  if (!said) hands.complain('tiny chunks: no answer')
  if (/^HTTP\/1.1 5(?!03)/.test(said)) hands.complain(said.slice(0, 100))
}

/** Requests in a row on some connections, of which no answer is read. */
async function unread(hands: Hands, request: string, count: number, connections = 4): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => hands.socket()))
  for (const socket of sockets) socket.pause()
  await Promise.all(sockets.map((socket) => pour(socket, request, count, hands.signal)))
  await sleep(3000)
}

const keyed = (hands: Hands, path: string, body: string) =>
  `POST /json/2/${path} HTTP/1.1\r\n${host}Authorization: bearer ${hands.world.keys.plain}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

const plain: Readonly<Record<string, string>> = {
  health: '/web/health',
  login: '/web/login',
  manager: '/web/database/manager',
  selector: '/web/database/selector',
  missing: '/nothing/here',
  version: '/web/version',
  logo: '/web/binary/company_logo',
  'json-method': '/json/2/res.partner/search',
}

const pipelined: Attack[] = Object.entries(plain).map(([name, path]) => ({
  name: `pipelined/${name}`,
  area: 'B',
  open: true,
  size: 100_000,
  small: 1000,
  run: (hands, n) => unread(hands, `GET ${path} HTTP/1.1\r\n${host}\r\n`, n),
}))

const others: Attack[] = [
  {
    name: 'pipelined/keyed-reads',
    area: 'E',
    size: 5000,
    small: 100,
    run: (hands, n) => unread(hands, keyed(hands, 'res.partner/search_read', '{"domain":[]}'), n),
  },
  {
    name: 'pipelined/small-calls',
    area: 'E',
    size: 50_000,
    small: 500,
    run: (hands, n) => unread(hands, keyed(hands, 'res.users/context_get', '{}'), n),
  },
  {
    name: 'pipelined/wrong-keys',
    area: 'B',
    open: true,
    size: 50_000,
    small: 500,
    run: (hands, n) =>
      unread(
        hands,
        keyed(hands, 'res.users/context_get', '{}').replace(/bearer \w+/, `bearer ${'1'.repeat(40)}`),
        n,
      ),
  },
  {
    name: 'pipelined/bodies',
    area: 'B',
    open: true,
    size: 3000,
    small: 100,
    run: (hands, n) =>
      unread(
        hands,
        `POST /jsonrpc HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20000\r\n\r\n${'['.repeat(20_000)}`,
        n,
      ),
  },
  {
    name: 'chunks/of-one-byte-jsonrpc',
    area: 'B',
    open: true,
    size: 3_000_000,
    small: 20_000,
    run: (hands, n) => chunks(hands, '/jsonrpc', 'application/json', '1\r\n[\r\n', n),
  },
  {
    name: 'chunks/of-one-byte-xmlrpc',
    area: 'B',
    open: true,
    size: 3_000_000,
    small: 20_000,
    run: (hands, n) => chunks(hands, '/xmlrpc/2/common', 'text/xml', '1\r\n \r\n', n),
  },
  {
    name: 'chunks/of-one-byte-form',
    area: 'B',
    open: true,
    size: 2_000_000,
    small: 20_000,
    run: (hands, n) => chunks(hands, '/web/login', 'application/x-www-form-urlencoded', '1\r\na\r\n', n),
  },
  {
    name: 'chunks/of-one-byte-multipart',
    area: 'B',
    open: true,
    size: 2_000_000,
    small: 20_000,
    run: (hands, n) =>
      chunks(hands, '/web/database/restore', 'multipart/form-data; boundary=X', '1\r\n-\r\n', n),
  },
  {
    name: 'chunks/long-extensions',
    area: 'B',
    open: true,
    size: 3000,
    small: 30,
    run: (hands, n) => chunks(hands, '/jsonrpc', 'application/json', `1;${'e'.repeat(15_000)}\r\n \r\n`, n),
  },
  {
    name: 'headers/many',
    area: 'B',
    open: true,
    size: 2000,
    small: 500,
    run: ({ send, crowd }, n) =>
      crowd(50, 10, () =>
        send({
          path: '/web/health',
          headers: Object.fromEntries(Array.from({ length: n }, (_, at) => [`x-${at}`, 'a'])),
        }),
      ),
  },
  {
    name: 'headers/long',
    area: 'B',
    open: true,
    size: 1_000_000,
    small: 30_000,
    run: ({ send, crowd }, n) =>
      crowd(50, 10, () => send({ path: '/web/health', headers: { cookie: 'c'.repeat(n) } })),
  },
  {
    name: 'headers/cookies',
    area: 'B',
    open: true,
    size: 1500,
    small: 500,
    run: ({ send, crowd }, n) =>
      crowd(200, 10, (at) =>
        send({
          path: '/web/login',
          headers: { cookie: `session_id=${'s'.repeat(at * 20)}; ${'a=b; '.repeat(n)}` },
        }),
      ),
  },
  {
    name: 'headers/long-address',
    area: 'B',
    open: true,
    size: 14_000,
    small: 14_000,
    run: ({ send, crowd }, n) =>
      crowd(200, 10, (at) =>
        send({
          path: `/${['web/login', 'json/2/a', 'web/content', 'doc', 'web/image'][at % 5]}/${'a/'.repeat(n / 2)}?${'q=1&'.repeat(300)}`,
        }),
      ),
  },
  {
    name: 'headers/odd-hosts',
    area: 'B',
    open: true,
    size: 200,
    small: 50,
    run: ({ send, crowd }, n) =>
      crowd(n, 10, (at) =>
        send({
          path: '/web/login',
          headers: {
            host: `${'h'.repeat(at * 10)}.example`,
            'x-forwarded-for': 'x'.repeat(at * 10),
            'x-forwarded-host': `${'a,'.repeat(at)}`,
            forwarded: 'for='.repeat(at),
          },
        }),
      ),
  },
  {
    name: 'headers/accept-language',
    area: 'B',
    open: true,
    size: 200,
    small: 50,
    run: ({ send, crowd }, n) =>
      crowd(n, 10, () =>
        send({
          path: '/web/login',
          headers: {
            'accept-language': 'a-b;q=0.1,'.repeat(1300),
            'accept-encoding': 'gzip;q=1,'.repeat(20),
            range: 'bytes=0-1,'.repeat(20),
          },
        }),
      ),
  },
  {
    name: 'connections/idle',
    area: 'B',
    open: true,
    size: 3000,
    small: 200,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++) await hands.socket()
      await sleep(3000)
    },
  },
  {
    name: 'connections/half-headers',
    area: 'B',
    open: true,
    size: 2000,
    small: 200,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++)
        (await hands.socket()).write(`POST /jsonrpc HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(12_000)}`)
      await sleep(3000)
    },
  },
  {
    name: 'connections/half-bodies',
    area: 'B',
    open: true,
    size: 300,
    small: 50,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++)
        (await hands.socket()).write(
          `POST /jsonrpc HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 120000000\r\n\r\n${'['.repeat(900_000)}`,
        )
      await sleep(5000)
    },
  },
  {
    name: 'connections/announced-bodies',
    area: 'B',
    open: true,
    size: 1000,
    small: 100,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++)
        (await hands.socket()).write(
          `POST /xmlrpc/2/common HTTP/1.1\r\n${host}Content-Length: 120000000\r\n\r\n<`,
        )
      await sleep(3000)
    },
  },
  {
    name: 'connections/expect-continue',
    area: 'B',
    open: true,
    size: 500,
    small: 50,
    run: ({ send, crowd }, n) =>
      crowd(n, 20, () =>
        send({
          path: '/jsonrpc',
          headers: { expect: '100-continue', 'content-type': 'application/json' },
          body: ['{}'],
        }),
      ),
  },
  {
    name: 'connections/not-http',
    area: 'B',
    open: true,
    size: 500,
    small: 50,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++)
        (await hands.socket()).write(
          i % 2 ? Buffer.alloc(20_000, i) : `GET / HTTP/9.9\r\n${'\r\n'.repeat(10_000)}`,
        )
      await sleep(1000)
    },
  },
  {
    name: 'connections/upgrades',
    area: 'B',
    open: true,
    size: 300,
    small: 50,
    run: async (hands, n) => {
      for (let i = 0; i < n && !hands.signal.aborted; i++)
        (await hands.socket()).write(
          `GET /web/health HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
        )
      await sleep(1000)
    },
  },
  {
    name: 'connections/that-close-after-a-large-body',
    area: 'B',
    open: true,
    size: 20_000_000,
    small: 3_000_000,
    run: ({ send, crowd }, n) =>
      crowd(8, 2, (at) =>
        send({
          path: ['/jsonrpc', '/json/2/res.partner/search', '/web/login', '/xmlrpc/2/object'][
            at % 4
          ] as string,
          headers: {
            connection: 'close',
            'content-type': ['application/json', 'application/x-www-form-urlencoded'][
              Number(at % 4 === 2)
            ] as string,
          },
          chunked: at > 3,
          body: [times(n, 'c')],
        }),
      ),
  },
  {
    name: 'connections/many-verbs',
    area: 'B',
    open: true,
    size: 400,
    small: 60,
    run: ({ send, crowd }, n) =>
      crowd(n, 10, (at) =>
        send({
          method: ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'][at % 6] as string,
          path: ['/jsonrpc', '/json/2/res.partner/search', '/web/login', '/xmlrpc/2/object'][
            at % 4
          ] as string,
          body: [times(500_000, 'v')],
        }),
      ),
  },
]

export const pipes: readonly Attack[] = [...pipelined, ...others]
