// Compressed bodies where none are expected, nested XML of authenticated callers, hundreds of documents,
// and endless database names and cookies.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Attack, Hands, Member, Request } from '../attack.ts'
import { type Body, times } from '../bodies.ts'
import { xmlCall } from './xml.ts'

const headersOf = ({ world }: Hands, as: Member): Record<string, string> => ({
  authorization: `bearer ${world.keys[as]}`,
  'content-type': 'application/json',
  'x-service-database': world.database,
})

/** Contents, by their Content-Encoding. */
const encodings: readonly (readonly [encoding: string, make: (bytes: number) => Buffer])[] = [
  ['gzip', (bytes) => gzipSync(Buffer.alloc(bytes, '['))],
  ['gzip', (bytes) => gzipSync(Buffer.alloc(bytes, '\n'))],
  ['gzip', (bytes) => Buffer.concat(Array.from({ length: bytes / 500 }, () => gzipSync('')))],
  ['gzip', (bytes) => gzipSync(gzipSync(Buffer.alloc(bytes)))],
  // An endless file name.
  [
    'gzip',
    (bytes) => Buffer.concat([Buffer.from('1f8b08080000000000ff', 'hex'), Buffer.alloc(bytes / 20, 'n')]),
  ],
  ['gzip', (bytes) => gzipSync(Buffer.alloc(bytes, '{"name":"packed"}\n')).subarray(0, -20)],
  ['x-gzip', (bytes) => gzipSync(Buffer.alloc(bytes, '{'))],
  ['gzip, gzip', (bytes) => gzipSync(gzipSync(Buffer.alloc(bytes, '[')))],
  ['deflate', (bytes) => deflateSync(Buffer.alloc(bytes, '['))],
  ['br', (bytes) => brotliCompressSync(Buffer.alloc(bytes, '['))],
  ['zstd', (bytes) => Buffer.concat([Buffer.from('28b52ffd', 'hex'), Buffer.alloc(bytes / 1000)])],
  [',,gzip;q=1, identity', (bytes) => gzipSync(Buffer.alloc(bytes, '['))],
]

const endpoints: readonly (readonly [path: string, type: string])[] = [
  ['/x/1/bulk/res.partner', 'application/x-ndjson'],
  ['/x/1/bulk/res.partner', 'text/csv'],
  ['/x/1/batch', 'application/json'],
  ['/x/1/changes', 'application/json'],
  ['/x/1/mcp', 'application/json'],
  ['/x/1/webhooks', 'application/json'],
  ['/json/2/res.partner/search', 'application/json'],
  ['/jsonrpc', 'application/json'],
  ['/xmlrpc/2/object', 'text/xml'],
  ['/web/dataset/call_kw', 'application/json'],
  ['/web/session/authenticate', 'application/json'],
  ['/web/login', 'application/x-www-form-urlencoded'],
  ['/web/database/restore', 'multipart/form-data; boundary=X'],
]

/** Every encoding at every endpoint. */
async function pack(hands: Hands, n: number, headers: Readonly<Record<string, string>>): Promise<void> {
  const bodies = encodings.map(([encoding, make]) => [encoding, make(n)] as const)
  await hands.crowd(endpoints.length * bodies.length, 6, (at) => {
    const [path = '', type = ''] = endpoints[at % endpoints.length] ?? []
    const [encoding = '', bytes = Buffer.alloc(0)] = bodies[Math.floor(at / endpoints.length)] ?? []
    return hands.send({
      path,
      headers: { ...headers, 'content-type': type, 'content-encoding': encoding },
      body: [bytes],
    })
  })
}

const packed: Attack[] = [
  {
    name: 'packed/at-every-door-by-strangers',
    area: 'B',
    open: true,
    size: 10_000_000,
    small: 1_000_000,
    run: (hands, n) => pack(hands, n, {}),
  },
  {
    name: 'packed/at-every-door-by-wrong-keys',
    area: 'B',
    open: true,
    size: 10_000_000,
    small: 1_000_000,
    run: (hands, n) =>
      pack(hands, n, {
        authorization: `bearer ${'f'.repeat(40)}`,
        'x-service-database': hands.world.database,
      }),
  },
  {
    name: 'packed/at-every-door',
    area: 'B',
    size: 10_000_000,
    small: 1_000_000,
    run: async (hands, n) =>
      pack(hands, n, { ...headersOf(hands, 'maker'), cookie: await hands.session('maker') }),
  },
]

const nested: Readonly<Record<string, readonly [size: number, inner: (n: number) => Body]>> = {
  'lists-within-lists': [499, (n) => [times(n, '<array><data><value>'), times(n, '</value></data></array>')]],
  'lists-without-end': [1_000_000, (n) => [times(n, '<array><data><value>')]],
  'structs-within-structs': [
    499,
    (n) => [
      times(n, '<struct><member><name>a</name><value>'),
      '<int>1</int>',
      times(n, '</value></member></struct>'),
    ],
  ],
  'ors-within-ors': [
    200_000,
    (n) => [
      '<array><data>',
      times(n, '<value><string>|</string></value>'),
      times(
        n,
        '<value><array><data><value>id</value><value>=</value><value><int>1</int></value></data></array></value>',
      ),
      '</data></array>',
    ],
  ],
  'anys-within-anys': [
    200,
    (n) => [
      times(n, '<array><data><value><array><data><value>child_ids</value><value>any</value><value>'),
      '<array><data></data></array>',
      times(n, '</value></data></array></value></data></array>'),
    ],
  ],
}

const ofKnownUsers: Attack[] = Object.entries(nested).map(([name, [size, inner]]) => ({
  name: `xmlrpc-known/${name}`,
  area: 'B',
  size,
  small: Math.min(size, 300),
  run: ({ send, world }, n) =>
    send({
      path: '/xmlrpc/2/object',
      headers: { 'content-type': 'text/xml' },
      body: xmlCall(world, 'plain', 'search', inner(n)),
    }),
}))

/** Documents and pages, with and without a key, requested for hundreds of records instead of one. */
const pages = [
  '/doc',
  '/doc/res.partner',
  '/doc-bearer/index.json',
  '/doc-bearer/res.partner.json',
  '/x/1/openapi.json',
  '/x/1/openapi.json?model=res.partner,sale.order,account.move',
  '/x/1',
  '/x/1/problems',
  '/x/1/problems/invalid-value',
  '/web/login',
  '/web/database/manager',
]

const documents: Attack[] = (['stranger', 'plain'] as const).map((who) => ({
  name: `documents/by-the-hundred-of-${who === 'plain' ? 'a-user' : 'strangers'}`,
  area: 'C',
  open: who === 'stranger',
  size: 600,
  small: 40,
  run: (hands, n) =>
    hands.crowd(n, 40, (at) =>
      hands.send({
        path: pages[at % pages.length] ?? '/doc',
        headers: who === 'plain' ? { ...headersOf(hands, 'plain'), 'accept-encoding': 'br' } : {},
      }),
    ),
}))

/** Requests that name a database of so many characters, each in another place. */
const naming: readonly ((name: string) => Request)[] = [
  (name) => ({ path: '/json/2/res.partner/search', headers: { 'x-service-database': name }, body: ['{}'] }),
  (name) => ({ path: '/web/health', headers: { host: `${name.slice(0, 8000)}.example` } }),
  (name) => ({ path: `/web/login?db=${encodeURIComponent(name).slice(0, 12_000)}` }),
  (name) => ({ path: `/web?db=${encodeURIComponent(name).slice(0, 12_000)}` }),
  (name) => ({
    path: '/web/session/authenticate',
    headers: { 'content-type': 'application/json' },
    body: [`{"params":{"db":${JSON.stringify(name)},"login":"admin","password":"x"}}`],
  }),
  (name) => ({
    path: '/jsonrpc',
    headers: { 'content-type': 'application/json' },
    body: [`{"params":{"service":"common","method":"login","args":[${JSON.stringify(name)},"admin","x"]}}`],
  }),
  (name) => ({
    path: '/xmlrpc/2/common',
    headers: { 'content-type': 'text/xml' },
    body: [
      '<methodCall><methodName>login</methodName><params><param><value>',
      name.replace(/[<&]|\p{Cc}/gu, '_'),
      '</value></param><param><value>admin</value></param><param><value>x</value></param></params></methodCall>',
    ],
  }),
  (name) => ({
    path: '/web/database/create',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: [String(new URLSearchParams({ master_pwd: 'wrong', name, login: 'a', password: 'b' }))],
  }),
  (name) => ({ path: `/web/database/progress/${encodeURIComponent(name).slice(0, 12_000)}` }),
]

const strange = ['x', '../', '%', 'é', '\u0000', '"', "'", '$(', '\\', 'A-']

const named: Attack = {
  name: 'databases/long-names',
  area: 'B',
  open: true,
  size: 900_000,
  small: 5000,
  run: ({ crowd, send }, n) =>
    crowd(naming.length * strange.length, 6, (at) => {
      const piece = strange[Math.floor(at / naming.length)] ?? 'x'
      const isHeader = at % naming.length < 2
      // Headers allow a subset of these characters, and 16 KB altogether.
      const text = isHeader ? piece.replace(/[^\x20-\x7e]/g, '_') : piece
      const length = isHeader ? Math.min(n, 12_000) : n
      const name = text.repeat(Math.ceil(length / text.length)).slice(0, length)
      return send((naming[at % naming.length] as (name: string) => Request)(name))
    }),
}

const cookies: Attack = {
  name: 'sessions/cookies-by-the-thousand',
  area: 'B',
  size: 400,
  small: 30,
  run: async ({ crowd, send, session }, n) => {
    const real = await session('plain')
    const cookies: readonly ((at: number) => string)[] = [
      (at) => `${`session_id=${at};`.repeat(900)}${real}`,
      (at) => `${real};${`session_id=${'f'.repeat(at % 80)};`.repeat(150)}`,
      () => ';'.repeat(14_000),
      () => '='.repeat(14_000),
      () => `session_id="${'\\'.repeat(13_000)}`,
      () => `session_id=${'%'.repeat(13_000)}`,
      () => `session_id=${'%41'.repeat(4500)}`,
      (at) => Array.from({ length: 1200 }, (_, i) => `c${at}x${i}=1`).join('; '),
    ]
    await crowd(n, 20, (at) =>
      send({
        path: ['/web/session/get_session_info', '/web', '/web/content/1', '/web/session/check'][
          at % 4
        ] as string,
        headers: {
          cookie: cookies[(at >> 2) % cookies.length]?.(at) ?? '',
          'content-type': 'application/json',
        },
        ...(at % 4 === 0 || at % 4 === 3 ? { body: ['{"params":{}}'] } : {}),
      }),
    )
  },
}

export const packs: readonly Attack[] = [...packed, ...ofKnownUsers, ...documents, named, cookies]
