// Bulk rows, jobs, batches and streams: endless lines and records, compressed zeros, results in
// thousands of ranges, references with large results, streams that are not read, forged cursors.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Attack, Hands, Member, Reply } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Given {
  readonly as?: Member
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  readonly method?: string
}

const headersOf = ({ world }: Hands, as: Member): Record<string, string> => ({
  authorization: `bearer ${world.keys[as]}`,
  'content-type': 'application/json',
  'x-service-database': world.database,
})

function ask(
  hands: Hands,
  path: string,
  { as = 'maker', headers, body = [], method }: Given,
): Promise<Reply> {
  return hands.send({
    path,
    method: method ?? (body.length ? 'POST' : 'GET'),
    headers: { ...headersOf(hands, as), ...headers },
    body,
  })
}

interface Shape {
  readonly size: number
  readonly small: number
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: (n: number) => Body
  readonly as?: Member
}

const LINES = { 'content-type': 'application/x-ndjson' }
const CSV = { 'content-type': 'text/csv' }
const PACKED = { 'content-encoding': 'gzip' }
const LATER = { prefer: 'respond-async' }
const bulk = '/x/1/bulk/res.partner?key='
const create = '/json/2/res.partner/create'

/** So many megabytes of the same text, packed: parts of a packed body may follow each other. */
function packed(megabytes: number, text: string): Body {
  const part = gzipSync(Buffer.alloc(16 * 1024 ** 2, text), { level: 9 })
  return Array.from({ length: Math.ceil(megabytes / 16) }, () => part)
}

const names = (n: number, length: number) => many(n, (at) => `${at}`.padStart(length, 'c'))

const shapes: Readonly<Record<string, Shape>> = {
  'bulk/long-line': {
    size: 50_000_000,
    small: 5_000_000,
    path: bulk,
    headers: LINES,
    body: (n) => ['{"name":"', times(n, 'x'), '"}\n'],
  },
  'bulk/empty-lines': {
    size: 60_000_000,
    small: 500_000,
    path: bulk,
    headers: LINES,
    body: (n) => [times(n, '\n')],
  },
  'bulk/blank-lines': {
    size: 20_000_000,
    small: 100_000,
    path: bulk,
    headers: LINES,
    body: (n) => [times(n, ' \n')],
  },
  'bulk/packed-empty-lines': {
    size: 3000,
    small: 16,
    path: bulk,
    headers: { ...LINES, ...PACKED },
    body: (n) => packed(n, '\n'),
  },
  'bulk/packed-line-without-end': {
    size: 3000,
    small: 16,
    path: bulk,
    headers: { ...LINES, ...PACKED },
    body: (n) => packed(n, ' '),
  },
  'bulk/packed-rows': {
    size: 320,
    small: 16,
    path: bulk,
    headers: { ...LINES, ...PACKED },
    body: (n) => packed(n, '{"nmae":1}\n'),
  },
  'bulk/quote-without-end': {
    size: 50_000_000,
    small: 5_000_000,
    path: bulk,
    headers: CSV,
    body: (n) => ['name\n"', times(n, 'x,')],
  },
  'bulk/quotes': {
    size: 20_000_000,
    small: 200_000,
    path: bulk,
    headers: CSV,
    body: (n) => ['name\n', times(n, '"')],
  },
  'bulk/commas': { size: 20_000_000, small: 200_000, path: bulk, headers: CSV, body: (n) => [times(n, ',')] },
  'bulk/short-records-of-many-columns': {
    size: 200_000,
    small: 300,
    path: bulk,
    headers: CSV,
    body: (n) => [names(1900, 40), '\n', times(n, 'a\n')],
  },
  'bulk/wide-rows': {
    size: 40,
    small: 2,
    path: bulk,
    headers: LINES,
    body: (n) => Array.from({ length: n }, () => ['{', many(90_000, (at) => `"m${at}":${at}`), '}\n']).flat(),
  },
  'bulk/deep-rows': {
    size: 60,
    small: 2,
    path: bulk,
    headers: LINES,
    body: (n) =>
      Array.from({ length: n }, () => ['{"name":', times(300_000, '['), times(300_000, ']'), '}\n']).flat(),
  },
  'bulk/no-gzip': {
    size: 1_000_000,
    small: 1000,
    path: bulk,
    headers: { ...LINES, ...PACKED },
    body: (n) => [times(n, 'x')],
  },
  'bulk/many-keys': {
    size: 2000,
    small: 200,
    path: `${bulk}${Array.from({ length: 2000 }, (_, at) => `k${at}`).join()}`,
    headers: LINES,
    body: (n) => [times(n, '{}\n')],
  },
  'jobs/large-call': {
    size: 120_000,
    small: 2000,
    path: create,
    headers: LATER,
    body: (n) => ['{"vals_list":[', many(n, '{"name":"j","ref":"r"}'), ']}'],
  },
  'jobs/long-text': {
    size: 60_000_000,
    small: 100_000,
    path: create,
    headers: LATER,
    body: (n) => ['{"vals_list":[{"name":"', times(n, 'x'), '"}]}'],
  },
  'jobs/members': {
    size: 480_000,
    small: 3000,
    path: create,
    headers: LATER,
    body: (n) => [
      '{"vals_list":[',
      many(Math.ceil(n / 9000), () => `{${Array.from({ length: 9000 }, (_, at) => `"k${at}":1`).join()}}`),
      ']}',
    ],
  },
  'jobs/large-batch': {
    size: 120_000,
    small: 2000,
    path: '/x/1/batch',
    headers: LATER,
    body: (n) => [
      '{"calls":[{"id":"a","model":"res.partner","method":"create","body":{"vals_list":[',
      many(n, '{"name":"j"}'),
      ']}}]}',
    ],
  },
  'batches/references-to-much': {
    size: 30,
    small: 2,
    path: '/x/1/batch',
    body: (n) => [
      '{"calls":[{"id":"a","model":"res.partner","method":"search_read","body":{"domain":[],"limit":1900}},',
      many(
        n,
        (at) =>
          `{"id":"b${at}","model":"res.partner","method":"search","body":{"domain":[["name","in",{"$ref":"/a"}]]}}`,
      ),
      ']}',
    ],
  },
  'batches/many-references': {
    size: 60_000,
    small: 2000,
    path: '/x/1/batch',
    body: (n) => [
      '{"calls":[{"id":"a","model":"res.partner","method":"search","body":{"domain":[]}},{"id":"b","model":"res.partner","method":"read","body":{"fields":["name"],"ids":[',
      many(n, (at) => `{"$ref":"/a/${at % 100}"}`),
      ']}}]}',
    ],
  },
  'batches/lists-of-lists': {
    size: 9000,
    small: 500,
    path: '/x/1/batch',
    body: (n) => [
      '{"calls":[{"id":"a","model":"res.partner","method":"search","body":{"domain":[]}},{"id":"b","model":"res.partner","method":"read","body":{"fields":["name"],"ids":[',
      many(n, '{"$ref":"/a"}'),
      ']}}]}',
    ],
  },
  'batches/odd-references': {
    size: 400,
    small: 50,
    path: '/x/1/batch',
    body: (n) => [
      '{"calls":[{"id":"a","model":"res.partner","method":"search","body":{"domain":[],"limit":1}},',
      many(n, (at) => {
        const odd = [
          '/a/__proto__',
          '/a/length',
          '/a/-1',
          `/${'~'.repeat(900)}`,
          '/b9/0',
          '/a/constructor',
          `/a${'/0'.repeat(400)}`,
        ]
        return `{"id":"b${at}","model":"res.partner","method":"read","body":{"ids":{"$ref":"${odd[at % odd.length]}"}}}`
      }),
      ']}',
    ],
  },
  'batches/calls': {
    size: 100_000,
    small: 2000,
    path: '/x/1/batch',
    body: (n) => [
      '{"calls":[',
      many(n, (at) => `{"id":"c${at}","model":"res.partner","method":"search","body":{"domain":[]}}`),
      ']}',
    ],
  },
  'feed/wide-questions': {
    size: 240_000,
    small: 3000,
    path: '/x/1/changes',
    as: 'plain',
    body: (n) => ['{"models":{"res.partner":{"domain":[["id","in",[', many(n, (at) => `${at}`), ']]]}}}'],
  },
  'feed/terms': {
    size: 4900,
    small: 1000,
    path: '/x/1/changes',
    as: 'plain',
    body: (n) => ['{"models":{"res.partner":{"domain":[', many(n, (at) => `["name","!=","n${at}"]`), ']}}}'],
  },
  'feed/long-texts': {
    size: 60_000_000,
    small: 100_000,
    path: '/x/1/changes',
    as: 'plain',
    body: (n) => ['{"models":{"res.partner":{"domain":[["name","=","', times(n, 't'), '"]]}}}'],
  },
  'feed/unknown-models': {
    size: 200_000,
    small: 2000,
    path: '/x/1/changes',
    as: 'plain',
    body: (n) => ['{"models":{', many(n, (at) => `"m${at}":{}`), '}}'],
  },
}

const shaped: Attack[] = Object.entries(shapes).map(
  ([name, { size, small, path, headers = {}, body, as = 'maker' }]) => ({
    name,
    area: 'B',
    size,
    small,
    run: async (hands, n) => {
      const { status, headers: answerHeaders } = await ask(hands, path, { as, headers, body: body(n) })
      // The accepted job runs for a while, and is cancelled so that later attacks start unaffected.
      if (status !== 202) return
      await sleep(3000)
      await ask(hands, String(answerHeaders.location), { as, method: 'DELETE' })
    },
  }),
)

/** Opens a stream of changes and takes nothing of it. */
function openStream(hands: Hands): void {
  const stream = request(
    `${hands.world.url}/x/1/changes`,
    {
      method: 'POST',
      headers: { ...headersOf(hands, 'plain'), accept: 'text/event-stream' },
      agent: false,
      signal: hands.signal,
    },
    (answer) => {
      answer.pause()
      answer.on('error', () => undefined)
    },
  )
  stream.on('error', () => undefined)
  stream.end('{"models":{"res.partner":{"fields":["name","comment","street"]}},"from":"snapshot"}')
}

const forged = (random: Hands['random'], at: number): string => {
  const parts = [
    'v1',
    'c1',
    '%00',
    'A'.repeat(at % 4000),
    `${random.below(1e9)}`,
    'eyJhIjoxfQ',
    '[1,2,3]',
    '{}',
    '..',
  ]
  return Array.from({ length: 1 + (at % 4) }, () => parts[random.below(parts.length)]).join('.')
}

export const later: readonly Attack[] = [
  ...shaped,
  {
    name: 'bulk/by-the-thousand',
    area: 'B',
    size: 1500,
    small: 20,
    run: (hands, n) =>
      hands.crowd(n, 8, (at) => ask(hands, bulk, { headers: LINES, body: [`{"nmae":"${at}"}\n`] })),
  },
  {
    name: 'jobs/by-the-thousand',
    area: 'B',
    size: 3000,
    small: 30,
    run: (hands, n) =>
      hands.crowd(n, 8, () =>
        ask(hands, '/json/2/res.partner/search', { as: 'plain', headers: LATER, body: ['{"domain":[]}'] }),
      ),
  },
  {
    name: 'jobs/ranges',
    area: 'B',
    size: 3000,
    small: 50,
    run: async (hands, n) => {
      const { headers } = await ask(hands, '/json/2/res.partner/search_read', {
        headers: LATER,
        body: ['{"domain":[],"fields":["name","email"]}'],
      })
      await sleep(3000)
      const many = Array.from({ length: 500 }, (_, at) => `${at}-${at}`).join()
      const ranges = [
        '0-0',
        '-1',
        '5-',
        '0-999999999999',
        '9-1',
        many,
        '-0',
        'x',
        '0-0,0-0',
        `${'9'.repeat(400)}-`,
      ]
      await hands.crowd(n, 16, (at) =>
        ask(hands, `${headers.location}/result`, {
          headers: { range: `bytes=${ranges[at % ranges.length]}` },
        }),
      )
    },
  },
  {
    name: 'jobs/odd-places',
    area: 'B',
    size: 300,
    small: 20,
    run: (hands, n) => {
      const ids = ['0', '%00', 'a'.repeat(5000), '00000000-0000-0000-0000-000000000000', '..%2f..', "'--"]
      return hands.crowd(n, 8, (at) =>
        ask(hands, `/x/1/jobs/${ids[at % ids.length]}${at % 2 ? '/result' : ''}`, {
          method: at % 3 ? 'GET' : 'DELETE',
        }),
      )
    },
  },
  {
    name: 'feed/streams-that-nobody-reads',
    area: 'B',
    size: 400,
    small: 20,
    run: async (hands, n) => {
      for (let at = 0; at < n; at++) openStream(hands)
      const text = 'long '.repeat(20_000)
      await hands.crowd(Math.min(100, n), 4, (at) =>
        hands.json2('maker', 'res.partner/create', [
          `{"vals_list":[{"name":"stream ${at}","street":"${text}"}]}`,
        ]),
      )
      await sleep(Math.min(5000, 20 * n))
    },
  },
  {
    name: 'feed/streams-that-come-and-go',
    area: 'B',
    size: 600,
    small: 20,
    run: async (hands, n) =>
      hands.crowd(n, 20, async (at) => {
        const socket = await hands.socket()
        const lines = Object.entries({ ...headersOf(hands, 'plain'), accept: 'text/event-stream' })
        const body = '{"models":{"res.partner":{}}}'
        socket.write(
          `POST /x/1/changes HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
        )
        await sleep((at % 10) * 20)
        socket.destroy()
      }),
  },
  {
    name: 'cursors/forged',
    area: 'C',
    size: 3000,
    small: 60,
    run: (hands, n) =>
      hands.crowd(n, 8, (at) => {
        const cursor = forged(hands.random, at) || 'x'
        return at % 2
          ? ask(hands, '/x/1/changes', {
              as: 'plain',
              body: [JSON.stringify({ models: { 'res.partner': {} }, cursor })],
            })
          : ask(hands, '/json/2/res.partner/search_read', {
              as: 'plain',
              headers: { cursor },
              body: ['{"domain":[],"limit":5}'],
            })
      }),
  },
  {
    name: 'cursors/of-others',
    area: 'C',
    size: 300,
    small: 20,
    run: async (hands, n) => {
      const { headers } = await ask(hands, '/json/2/res.partner/search_read', {
        headers: { prefer: 'paging=keyset' },
        body: ['{"domain":[],"fields":["name"],"limit":5}'],
      })
      const cursor = String(headers['next-cursor'] ?? 'none')
      const orders = ['name', 'id desc', 'email, name', 'parent_id', 'create_date']
      await hands.crowd(n, 8, (at) => {
        const place = hands.random.below(cursor.length)
        const changed = at % 3 ? `${cursor.slice(0, place)}A${cursor.slice(place + 1)}` : cursor
        return ask(hands, `/json/2/${at % 5 ? 'res.partner' : 'res.country'}/search_read`, {
          as: 'portal',
          headers: { cursor: changed },
          body: [`{"domain":[],"fields":["name"],"limit":5,"order":"${orders[at % orders.length]}"}`],
        })
      })
    },
  },
]
