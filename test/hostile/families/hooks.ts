// Webhooks: addresses that lead inside, endpoints by the thousand, filters without end, and receivers that
// answer nothing, too slowly or too much. Only one address of the machine is open to them.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Hands, Reply } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'
import { OPEN_ADDRESS } from '../setting.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

function ask({ send, world }: Hands, path: string, body: Body, method = 'POST'): Promise<Reply> {
  return send({
    path: `/x/1/webhooks${path}`,
    method,
    headers: {
      authorization: `bearer ${world.keys.maker}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
    },
    body,
  })
}

/** Runs a receiver during `work`, which gets its address; returns the number of requests it got. */
async function received(
  address: string,
  answer: Answer,
  work: (port: number, reached: () => number) => Promise<unknown>,
): Promise<void> {
  const sockets = new Set<Socket>()
  let count = 0
  const server: Server = createServer((request, response) => {
    count++
    request.resume()
    response.on('error', () => undefined)
    answer(request, response)
  })
  server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, address, done))
  try {
    await work((server.address() as AddressInfo).port, () => count)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

const settings = (url: string, more = ''): string =>
  `{"url":"${url}","events":["res.partner.created"]${more}}`

/** The id of an endpoint that was made; null where it was refused. */
async function createHook(hands: Hands, body: Body): Promise<number | null> {
  const { status, text } = await ask(hands, '', body)
  // Not parsed: of long answers only the beginning is kept.
  return status === 201 ? Number(/"id":(\d+)/.exec(text)?.[1]) : null
}

/** Endpoints that an attack left which found no end. */
async function cleared(hands: Hands): Promise<void> {
  const { text } = await ask(hands, '', [], 'GET')
  await unmade(
    hands,
    [...text.matchAll(/"id":(\d+),"url"/g)].map(([, id]) => Number(id)),
  )
}

async function unmade(hands: Hands, ids: readonly (number | null)[]): Promise<void> {
  for (const id of ids) if (id !== null) await ask(hands, `/${id}`, [], 'DELETE')
}

/** Spellings of loopback and private addresses. */
const inside = (port: number): string[] =>
  [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0', '0.0.0.0', '127.0.0.1.'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]'],
    ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]', '[fc00::1]', '[::127.0.0.1]'],
    ...['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', '１２７.０.０.１', '①②⑦.⓪.⓪.①'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[`${OPEN_ADDRESS}@127.0.0.1`, `127.0.0.1%2f${OPEN_ADDRESS}`, `${OPEN_ADDRESS}%00.localhost`],
  ].flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`])

const canary: Answer = (_, response) => void response.end('reached')

/** Makes an endpoint of every address, pings it, and looks whether anybody came. */
async function pinged(hands: Hands, urls: readonly string[], reached: () => number): Promise<void> {
  for (const url of urls) {
    const id = await createHook(hands, [settings(url)])
    if (id === null) continue
    await ask(hands, `/${id}/ping`, ['{}'])
    await unmade(hands, [id])
    if (reached()) hands.complain(`a webhook reached the inside by ${url}`)
  }
}

const slowly = (response: ServerResponse, ms: number, write: () => boolean | undefined) => {
  const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : write()), ms)
  response.on('close', () => clearInterval(timer))
}

const block = Buffer.alloc(256 * 1024, 'g')

const receivers: Readonly<Record<string, Answer>> = {
  silent: () => undefined,
  'that-say-a-byte-a-second': (_, response) => {
    response.writeHead(200)
    slowly(response, 1000, () => response.write('x'))
  },
  'of-gigabytes': (_, response) => {
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write(block));
    }
    response.on('drain', pour)
    pour()
  },
  'of-headers': (request) => {
    const lines = `HTTP/1.1 200 OK\r\n${Array.from({ length: 100_000 }, (_, at) => `h${at}: ${at}\r\n`).join('')}`
    request.socket.write(lines)
  },
  'of-headers-without-end': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nlong: ')
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(block)), 5)
  },
  'of-chunks-of-one-byte': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const bytes = '1\r\nx\r\n'.repeat(10_000)
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(bytes)), 5)
  },
  'of-early-hints': ({ socket }) => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000)
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(hints)), 5)
  },
  'that-break-off': ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx'),
  'that-ask-to-wait': (_, response) =>
    void response.writeHead(503, { 'retry-after': '9'.repeat(300) }).end('\u0000\ud800'),
}

const answering: Attack[] = Object.entries(receivers).map(([name, answer]) => ({
  name: `webhooks/receivers-${name}`,
  area: 'B',
  size: 300,
  small: 5,
  run: (hands, n) =>
    received(OPEN_ADDRESS, answer, async (port, reached) => {
      await cleared(hands)
      const ids: (number | null)[] = []
      for (let at = 0; at < 10; at++)
        ids.push(
          await createHook(hands, [settings(`http://${OPEN_ADDRESS}:${port}/${at}`, ',"concurrency":16')]),
        )
      await hands.crowd(n, 8, (at) =>
        hands.json2('maker', 'res.partner/create', [`{"vals_list":[{"name":"hook ${at}"}]}`]),
      )
      for (let wait = 0; wait < 40 && !reached(); wait++) await sleep(250)
      // Another attack of a random run may have cleared these away.
      const { text } = await ask(hands, '', [], 'GET')
      if (!reached() && ids.every((id) => text.includes(`"id":${id},`)))
        hands.complain('nothing was sent to a receiver that is open')
      await sleep(Math.min(6000, 20 * n))
      await unmade(hands, ids)
    }),
}))

/** Endpoints that a user may have. */
const MOST = 20

/** Endpoints with values of contacts, and contacts whose notes are so long, in so many calls at a time. */
async function valued(hands: Hands, contacts: number, length: number, calls: number): Promise<void> {
  await cleared(hands)
  const ids: (number | null)[] = []
  for (let at = 0; at < MOST; at++)
    ids.push(await createHook(hands, [settings(`${nowhere}${at}`, ',"fields":{"res.partner":["comment"]}')]))
  await hands.crowd(calls, calls, () =>
    hands.json2('maker', 'res.partner/create', [
      '{"vals_list":[',
      many(contacts, `{"name":"noted","comment":"<p>${'n'.repeat(length)}</p>"}`),
      ']}',
    ]),
  )
  await sleep(Math.min(15_000, 50 * contacts * calls))
  const { text } = await ask(hands, '', [], 'GET')
  if (text.includes('The payload cannot be created'))
    hands.complain('what others wrote has disabled an endpoint')
  await unmade(hands, ids)
}

interface Shape {
  readonly size: number
  readonly small: number
  readonly body: (n: number) => Body
}

/** No endpoint: a name that is looked up would leave the machine. */
const nowhere = `http://${OPEN_ADDRESS}:9999/`
const filter = (member: string, before: string, body: Body, after: string): Body => [
  settings(nowhere, `,"${member}":${before}`).slice(0, -1),
  ...body,
  `${after}}`,
]

const shapes: Readonly<Record<string, Shape>> = {
  'wide-filters': {
    size: 240_000,
    small: 2000,
    body: (n) => filter('model_domain', '{"res.partner":[["id","in",[', [many(n, (at) => `${at}`)], ']]]}'),
  },
  'filters-of-terms': {
    size: 200_000,
    small: 6000,
    body: (n) => filter('model_domain', '{"res.partner":[', [many(n, '["name","ilike","a"]')], ']}'),
  },
  'deep-filters': {
    size: 400,
    small: 100,
    body: (n) =>
      filter(
        'model_domain',
        '{"res.partner":',
        [times(n, '[["child_ids","any",'), '[]', times(n, ']]')],
        '}',
      ),
  },
  'filters-of-text': {
    size: 50_000_000,
    small: 2_000_000,
    body: (n) => filter('model_domain', '{"res.partner":[["name","=","', [times(n, 't')], '"]]}'),
  },
  'models-of-filters': {
    size: 200_000,
    small: 2000,
    body: (n) => filter('fields', '{', [many(n, (at) => `"m${at}":[]`)], '}'),
  },
  'fields-of-filters': {
    size: 240_000,
    small: 2000,
    body: (n) => filter('fields', '{"res.partner":[', [many(n, '"name"')], ']}'),
  },
  patterns: {
    size: 240_000,
    small: 2000,
    body: (n) => [`{"url":"${nowhere}","events":[`, many(n, '"res.partner.*"'), ']}'],
  },
  'patterns-of-stars': {
    size: 50,
    small: 50,
    body: (n) => [`{"url":"${nowhere}","events":[`, many(n, `"${'*a'.repeat(90)}"`), ']}'],
  },
  urls: {
    size: 50_000_000,
    small: 2_000_000,
    body: (n) => ['{"events":["*"],"url":"https://a/', times(n, '%61'), '"}'],
  },
  'unknown-members': {
    size: 200_000,
    small: 2000,
    body: (n) => [settings(nowhere, ',').slice(0, -1), many(n, (at) => `"h${at}":"x"`), '}'],
  },
}

const settled: Attack[] = Object.entries(shapes).map(([name, { size, small, body }]) => ({
  name: `webhooks/${name}`,
  area: 'C',
  size,
  small,
  run: async (hands, n) => unmade(hands, [await createHook(hands, body(n))]),
}))

export const hooks: readonly Attack[] = [
  {
    name: 'webhooks/addresses-inside',
    area: 'E',
    size: 1,
    small: 1,
    run: (hands) => received('127.0.0.1', canary, (port, reached) => pinged(hands, inside(port), reached)),
  },
  {
    name: 'webhooks/redirects-inside',
    area: 'E',
    size: 1,
    small: 1,
    run: (hands) =>
      received('127.0.0.1', canary, (port, reached) =>
        received(
          OPEN_ADDRESS,
          ({ url }, response) =>
            void response.writeHead(Number(url?.slice(1)), { location: `http://127.0.0.1:${port}/` }).end(),
          (open) =>
            pinged(
              hands,
              [301, 302, 303, 307, 308, 305].map((status) => `http://${OPEN_ADDRESS}:${open}/${status}`),
              reached,
            ),
        ),
      ),
  },
  {
    name: 'webhooks/endpoints-by-the-thousand',
    area: 'E',
    size: 1000,
    small: 30,
    run: async (hands, n) => {
      const ids: (number | null)[] = []
      await hands.crowd(n, 8, async (at) => ids.push(await createHook(hands, [settings(`${nowhere}${at}`)])))
      await unmade(hands, ids)
    },
  },
  {
    name: 'webhooks/odd-places',
    area: 'C',
    size: 300,
    small: 20,
    run: (hands, n) => {
      const ids = ['0', '-1', '1e9', '9'.repeat(400), '%00', '1;2', 'NaN', '2147483647']
      const tails = ['', '/deliveries?limit=1e9', '/deliveries?before=%00&state=%00', '/deliveries?state[]=a']
      return hands.crowd(n, 8, (at) =>
        ask(hands, `/${ids[at % ids.length]}${tails[at % tails.length]}`, [], at % 3 ? 'GET' : 'DELETE'),
      )
    },
  },
  {
    name: 'webhooks/values-for-many-endpoints',
    area: 'E',
    size: 500,
    small: 5,
    run: (hands, n) => valued(hands, n, 18_000, 1),
  },
  {
    name: 'webhooks/values-too-long-to-be-sent',
    area: 'E',
    many: true,
    size: 27,
    small: 2,
    run: (hands, n) => valued(hands, n, 1_900_000, 3),
  },
  ...answering,
  ...settled,
]
