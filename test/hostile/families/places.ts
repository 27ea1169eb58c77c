// Places that one user may take: slow readers, waiting writers, long answers, locks, and shapes of calls that
// fill the plans of server and PostgreSQL.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Hands, Member } from '../attack.ts'
import { many, times } from '../bodies.ts'

const headersOf = ({ world }: Hands, who: Member) => ({
  authorization: `bearer ${world.keys[who]}`,
  'content-type': 'application/json',
  'x-service-database': world.database,
  'x-forwarded-for': '10.90.0.1',
})

/** Asks and takes the answer so slowly that it never ends by itself. */
function readSlowly(hands: Hands, who: Member, path: string, body: string): void {
  const outgoing = request(
    hands.world.url + path,
    { method: 'POST', headers: headersOf(hands, who), agent: false, signal: hands.signal },
    (answer) => {
      answer.pause()
      const timer = setInterval(() => answer.read(1024), 500)
      hands.signal.addEventListener('abort', () => clearInterval(timer))
      answer.on('close', () => clearInterval(timer))
      answer.on('error', () => undefined)
    },
  )
  outgoing.on('error', () => undefined)
  outgoing.end(body)
}

const long =
  '{"domain":[],"fields":["name","email","city","ref","display_name","child_ids","parent_id","complete_name"]}'

const slow = (
  name: string,
  size: number,
  small: number | undefined,
  path: string,
  body: string,
  who: Member = 'plain',
): Attack => ({
  name: `slow/${name}`,
  area: 'E',
  size,
  ...(small === undefined ? {} : { small }),
  run: async (hands, n) => {
    for (let at = 0; at < n; at++) readSlowly(hands, who, path, body)
    await sleep(1500)
    // Somebody else wants a long answer too.
    const { status, text } = await hands.json2(
      who === 'maker' ? 'plain' : 'maker',
      'res.partner/search_read',
      [long],
    )
    if (status !== 200) hands.complain(`another user's long answer: ${status} ${text.slice(0, 100)}`)
    await sleep(4000)
  },
})

const readers: Attack[] = [
  slow('long-answers', 40, 10, '/json/2/res.partner/search_read', long),
  slow(
    'long-answers-of-portal',
    40,
    undefined,
    '/json/2/ir.model.fields/search_read',
    '{"domain":[]}',
    'portal',
  ),
  slow(
    'answers-of-200-connections',
    200,
    30,
    '/json/2/res.partner/search_read',
    '{"domain":[],"limit":1900}',
  ),
  slow(
    'web-answers',
    60,
    10,
    '/json/2/res.partner/web_search_read',
    '{"domain":[],"specification":{"name":{},"child_ids":{"fields":{"name":{}}}}}',
  ),
  slow('exports', 40, undefined, '/json/2/ir.model.fields/search_read', '{"domain":[]}', 'maker'),
]

/** Bodies that are announced, begun and never ended, by somebody with a key. */
const writers: Attack[] = [
  {
    name: 'slow/bodies-that-stop',
    area: 'E',
    size: 60,
    small: 10,
    run: async (hands, n) => {
      for (let at = 0; at < n; at++) {
        const socket = await hands.socket()
        const lines = Object.entries(headersOf(hands, 'plain')).map(
          ([name, value]) => `${name}: ${value}\r\n`,
        )
        socket.write(
          `POST /json/2/res.partner/search HTTP/1.1\r\nHost: x\r\n${lines.join('')}Content-Length: 100000000\r\n\r\n{"domain":"`,
        )
        const piece = 'x'.repeat(1_000_000)
        for (let i = 0; i < 20; i++) socket.write(piece)
      }
      await sleep(5000)
    },
  },
  {
    name: 'slow/same-record-by-sixty',
    area: 'E',
    size: 60,
    small: 12,
    run: ({ json2, crowd, world }, n) =>
      crowd(n, n, (at) =>
        json2('maker', 'res.partner/write', [
          `{"ids":[${world.partners[1]}],"vals":{"name":"at once ${at}"}}`,
        ]),
      ),
  },
  {
    name: 'slow/large-writes-of-the-same-records',
    area: 'E',
    size: 3000,
    small: 100,
    run: ({ json2, crowd, world }, n) =>
      crowd(12, 12, (at) =>
        json2('maker', 'res.partner/write', [
          '{"vals":{"city":"',
          `c${at}"},"ids":[`,
          many(Math.min(n, world.partners.length), (i) => String(world.partners[i])),
          ']}',
        ]),
      ),
  },
  {
    name: 'slow/four-hundred-reads-by-one-user',
    area: 'E',
    size: 400,
    small: 40,
    run: ({ json2, crowd }, n) =>
      crowd(n, n, () =>
        json2('plain', 'res.partner/search_read', [
          '{"domain":[["child_ids.name","ilike","a"]],"limit":200}',
        ]),
      ),
  },
  {
    name: 'slow/heavy-searches-by-one-user',
    area: 'E',
    size: 120,
    small: 12,
    run: ({ json2, crowd }, n) =>
      crowd(n, n, (at) =>
        json2('portal', 'res.country/search_count', [
          `{"domain":[${Array.from({ length: 60 }, (_, i) => `["state_ids.country_id.state_ids.name","not ilike","${at}-${i}"]`)}]}`,
        ]),
      ),
  },
  {
    name: 'slow/clients-that-go-away',
    area: 'E',
    size: 400,
    small: 40,
    run: ({ world, signal, crowd, ...hands }, n) =>
      crowd(
        n,
        40,
        (at) =>
          new Promise<void>((done) => {
            const headers = {
              authorization: `bearer ${world.keys.plain}`,
              'content-type': 'application/json',
            }
            const outgoing = request(`${world.url}/json/2/res.partner/search_read`, {
              method: 'POST',
              headers,
              agent: false,
              signal,
            })
            outgoing.on('error', () => done())
            outgoing.on('close', () => done())
            outgoing.end(long)
            setTimeout(() => outgoing.destroy(), (at % 10) * 15)
            void hands
          }),
      ),
  },
]

const columns = [
  'name',
  'email',
  'phone',
  'street',
  'street2',
  'zip',
  'city',
  'ref',
  'vat',
  'function',
  'color',
  'lang',
  'tz',
  'website',
  'barcode',
  'type',
  'is_company',
  'employee',
  'company_registry',
  'country_id',
] as const
/** Another choice of fields for every number. */
const chosen = (at: number) => columns.filter((_, bit) => ((at * 2654435761) >>> bit) & 1)

const shapes: Readonly<Record<string, (at: number) => readonly [string, string]>> = {
  fields: (at) => ['res.partner/search_read', JSON.stringify({ limit: 1, fields: chosen(at) })],
  conditions: (at) => [
    'res.partner/search',
    JSON.stringify({
      limit: 1,
      domain: chosen(at).map((name, i) => [
        name,
        ['=', '!=', 'in', 'not in'][(at >> i) & 3],
        ((at >> i) & 3) > 1 ? ['x', false] : 'x',
      ]),
    }),
  ],
  trees: (at) => [
    'res.partner/search',
    JSON.stringify({
      limit: 1,
      domain: [
        ...chosen(at)
          .slice(1)
          .map((_, i) => ((at >> i) & 1 ? '|' : '&')),
        ...chosen(at).map((name) => [name, '=', false]),
      ],
    }),
  ],
  orders: (at) => [
    'res.partner/search',
    JSON.stringify({
      limit: 1,
      order:
        chosen(at)
          .map((name, i) => `${name} ${(at >> i) & 1 ? 'desc' : 'asc'}`)
          .join(', ') || 'id',
    }),
  ],
  groups: (at) => [
    'res.partner/formatted_read_group',
    JSON.stringify({
      domain: [['id', '<', 0]],
      groupby: chosen(at).slice(0, 4),
      aggregates: ['__count', ...chosen(at >> 3).map((name) => `${name}:count_distinct`)],
    }),
  ],
  specifications: (at) => [
    'res.partner/web_search_read',
    JSON.stringify({
      limit: 1,
      domain: [],
      specification: {
        parent_id: { fields: Object.fromEntries(chosen(at).map((name) => [name, {}])) },
        child_ids: { fields: Object.fromEntries(chosen(at * 31).map((name) => [name, {}])) },
      },
    }),
  ],
  lists: (at) => [
    'res.partner/search',
    JSON.stringify({
      limit: 1,
      domain: [
        ['name', 'in', Array.from({ length: at % 3000 }, (_, i) => `n${i}`)],
        ...Array.from({ length: at % 40 }, (_, i) => ['id', '!=', i]),
      ],
    }),
  ],
  contexts: (at) => [
    'res.partner/search_read',
    JSON.stringify({
      limit: 1,
      fields: ['name'],
      context: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key_${at}_${i}`, 'v'.repeat(500)])),
    }),
  ],
  zones: (at) => [
    'res.partner/formatted_read_group',
    JSON.stringify({
      domain: [],
      groupby: ['create_date:day'],
      aggregates: ['__count'],
      context: { tz: `Etc/GMT${at % 2 ? '+' : '-'}${at % 14}`, lang: `xx_${at}` },
    }),
  ],
  writes: (at) => [
    'res.partner/create',
    JSON.stringify({
      vals_list: [
        {
          name: 'shape',
          ...Object.fromEntries(
            chosen(at)
              .filter((name) => !['lang', 'tz', 'type', 'country_id', 'color', 'barcode'].includes(name))
              .map((name) => [name, false]),
          ),
        },
      ],
    }),
  ],
  exports: (at) => [
    'res.partner/export_data',
    JSON.stringify({ ids: [1], fields_to_export: chosen(at).flatMap((name) => [name, `parent_id/${name}`]) }),
  ],
}

const plans: Attack[] = Object.entries(shapes).map(([name, shape], at) => ({
  name: `plans/${name}`,
  area: at % 2 ? 'A' : 'C',
  size: 4000,
  small: 60,
  run: ({ json2, crowd, random }, n) => {
    const from = random.below(1_000_000)
    return crowd(n, 12, (i) => {
      const [path, body] = shape(from + i)
      return json2(path.endsWith('create') ? 'maker' : 'plain', path, [body])
    })
  },
}))

const long_: Attack[] = [
  {
    name: 'plans/texts-of-megabytes',
    area: 'A',
    size: 300,
    small: 10,
    run: ({ json2, crowd }, n) =>
      crowd(n, 6, (at) =>
        json2('plain', 'res.partner/search', [
          '{"limit":1,"domain":[["name","=","',
          times(1_000_000, 't'),
          `${at}"]]}`,
        ]),
      ),
  },
  {
    name: 'plans/wide-domains',
    area: 'A',
    size: 300,
    small: 10,
    run: ({ json2, crowd }, n) =>
      crowd(n, 6, (at) =>
        json2('plain', 'res.partner/search', [
          `{"limit":1,"domain":[${Array.from({ length: 150 + (at % 300) }, (_, i) => `["${columns[(i + at) % 10]}","ilike","w${i}"]`)}]}`,
        ]),
      ),
  },
]

export const places: readonly Attack[] = [...readers, ...writers, ...plans, ...long_]
