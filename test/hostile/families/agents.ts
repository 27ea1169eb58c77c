// The endpoint for agents: deep and wide arguments, many expensive calls, invalid plans, streams of
// many records.
import { setTimeout as sleep } from 'node:timers/promises'
import { message } from '../../support/mcp.ts'
import type { Attack, Hands, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly small: number
  readonly as?: Who
  readonly method?: string
  readonly tool?: string
  /** Replaces the arguments, or the parameters if there is no tool. */
  readonly body: (n: number) => Body
  readonly atOnce?: number
}

const MARK = '"@here"'

/** A message with a text in its middle that may be long. */
function said({ method = 'tools/call', tool }: Shape, body: Body) {
  const params = tool === undefined ? { notifications: '@here' } : { name: tool, arguments: '@here' }
  const { body: whole, headers } = message(method, params)
  const [before = '', after = ''] = JSON.stringify(whole).split(MARK)
  return { headers, body: [before, ...body, after] }
}

function send({ world, send: put }: Hands, shape: Shape, n: number) {
  const { as = 'maker' } = shape
  const { headers, body } = said(shape, shape.body(n))
  return put({
    path: '/x/1/mcp',
    headers: {
      authorization: `bearer ${as === 'stranger' ? '0'.repeat(40) : world.keys[as]}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
      ...headers,
    },
    body,
  })
}

const partners = (more: Body): Body => ['{"model":"res.partner",', ...more, '}']

const shapes: Readonly<Record<string, Shape>> = {
  'deep-arguments': {
    size: 400_000,
    small: 2000,
    tool: 'search_records',
    body: (n) => partners(['"domain":', times(n, '['), times(n, ']')]),
  },
  'wide-arguments': {
    size: 100_000,
    small: 2000,
    tool: 'search_records',
    body: (n) => ['{', many(n, (at) => `"m${at}":1`), '}'],
  },
  'body-of-strangers': {
    size: 4_000_000,
    small: 20_000,
    as: 'stranger',
    tool: 'search_records',
    body: (n) => ['{"model":"', times(n, 'x'), '"}'],
  },
  'everything-of-many': {
    size: 200,
    small: 50,
    tool: 'read_records',
    body: (n) => partners(['"fields":["*"],"ids":[', many(n, (at) => `${at + 1}`), ']']),
    atOnce: 4,
  },
  'dry-runs-of-much': {
    size: 1000,
    small: 20,
    tool: 'create_records',
    body: (n) => partners(['"values":[', many(n, (at) => `{"name":"a${at}"}`), ']']),
    atOnce: 4,
  },
  'plans-that-are-none': {
    size: 900_000,
    small: 5000,
    tool: 'update_records',
    body: (n) => partners(['"ids":[1],"values":{},"plan":"p2.', times(n, 'A'), '.AAAA"']),
  },
  'models-that-are-none': {
    size: 900_000,
    small: 5000,
    tool: 'describe_model',
    body: (n) => ['{"model":"', times(n, 'res.partnr'), '"}'],
  },
  'fields-that-are-none': {
    size: 500,
    small: 100,
    tool: 'describe_model',
    body: (n) => partners(['"fields":[', many(n, (at) => `"nam${at}"`), ']']),
  },
  'searches-of-words': {
    size: 200_000,
    small: 2000,
    tool: 'list_models',
    body: (n) => ['{"search":"', times(n, 'a '), '"}'],
  },
  'many-messages': {
    size: 15_000,
    small: 300,
    method: 'tools/list',
    body: (n) => ['[', many(n, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'), ']'],
  },
  'subscriptions-to-much': {
    size: 15_000,
    small: 500,
    as: 'stranger',
    method: 'subscriptions/listen',
    body: (n) => [
      '{"resourceSubscriptions":[',
      many(n, (at) => `"comptoir://records/res.partner/${at}"`),
      ']}',
    ],
  },
}

/** Messages that are short, by the thousand. */
const floods: Readonly<Record<string, (at: number) => ReturnType<typeof message>>> = {
  'lists-of-tools-by-the-thousand': () => message('tools/list'),
  'lists-of-resources-by-the-thousand': (at) => message('resources/list', { cursor: `${at}`.repeat(50) }),
  'sessions-by-the-thousand': (at) =>
    message('initialize', {
      protocolVersion: at % 2 ? '2025-06-18' : '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'n'.repeat(at % 5000), version: '1' },
    }),
  'tools-that-are-none': (at) => message('tools/call', { name: `t${at}`, arguments: {} }),
  'methods-that-are-none': (at) => message(`m/${at}`, {}),
}

const flooding: Attack[] = Object.entries(floods).map(([name, make]) => ({
  name: `agents/${name}`,
  area: 'C',
  size: 2000,
  small: 30,
  run: ({ crowd, send: put, world }, n) =>
    crowd(n, 16, (at) => {
      const { body, headers } = make(at)
      return put({
        path: '/x/1/mcp',
        headers: {
          authorization: `bearer ${world.keys.plain}`,
          'content-type': 'application/json',
          'x-service-database': world.database,
          ...headers,
        },
        body: [JSON.stringify(body)],
      })
    }),
}))

/** Streams of subscriptions that the client does not read. */
const listening: Attack = {
  name: 'agents/streams-that-nobody-reads',
  area: 'C',
  size: 300,
  small: 20,
  run: async ({ socket, world, json2, crowd }, n) => {
    const { body, headers } = message('subscriptions/listen', {
      notifications: { resourceSubscriptions: ['comptoir://records/res.partner/1'] },
    })
    const text = JSON.stringify(body)
    const all = {
      authorization: `bearer ${world.keys.plain}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    for (let at = 0; at < n; at++)
      (await socket())
        .pause()
        .write(
          `POST /x/1/mcp HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n${lines.join('')}\r\n${text}`,
        )
    await crowd(Math.min(50, n), 4, (at) =>
      json2('maker', 'res.partner/write', [`{"ids":[1],"vals":{"ref":"${at}"}}`]),
    )
    await sleep(Math.min(4000, 20 * n))
  },
}

const shaped: Attack[] = Object.entries(shapes).map(([name, shape]) => ({
  name: `agents/${name}`,
  area: 'C',
  open: shape.as === 'stranger',
  size: shape.size,
  small: shape.small,
  run: (hands, n) => hands.crowd(shape.atOnce ?? 1, shape.atOnce ?? 1, () => send(hands, shape, n)),
}))

export const agents: readonly Attack[] = [...shaped, ...flooding, listening]
