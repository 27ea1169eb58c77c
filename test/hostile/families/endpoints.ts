// Extensions of the documented API: batches, idempotency keys, versions, preferences, printing.
import type { Attack, Hands, Reply, Who } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly small?: number
  readonly as?: Who
  readonly path?: string
  readonly headers?: (n: number) => Readonly<Record<string, string>>
  readonly body: (n: number) => Body
  /** Concurrent requests. */
  readonly atOnce?: number
}

function ask({ world, send }: Hands, who: Who, path: string, headers: object, body: Body): Promise<Reply> {
  return send({
    path,
    headers: {
      authorization: `bearer ${who === 'stranger' ? '0'.repeat(40) : world.keys[who]}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
      ...headers,
    },
    body,
  })
}

const BATCH = '/x/1/batch'
const call = (body: string, id = '') =>
  `{${id && `"id":"${id}",`}"model":"res.partner","method":"search_read","body":${body}}`
const all = (limit: number) => `{"domain":[],"fields":["name","email"],"limit":${limit}}`
const create = (n: number) => [
  '{"model":"res.partner","method":"create","body":{"vals_list":[',
  many(n, (at) => `{"name":"b${at}"}`),
  ']}}',
]
const calls = (...inner: Body): Body => ['{"calls":[', ...inner, ']}']

const batches: Readonly<Record<string, Shape>> = {
  calls: { size: 400_000, small: 5000, body: (n) => calls(many(n, '{}')) },
  'calls-of-strangers': { size: 4_000_000, as: 'stranger', body: (n) => calls(many(n, '{}')) },
  members: { size: 240_000, small: 5000, body: (n) => ['{', many(n, (at) => `"m${at}":1`), '}'] },
  'heavy-searches': {
    size: 100,
    small: 10,
    body: (n) => calls(many(n, (at) => call(`{"domain":[["child_ids.name","ilike","${at}a"]],"limit":200}`))),
  },
  'heavy-searches-one-by-one': {
    size: 100,
    small: 10,
    body: (n) => [
      '{"atomic":false,"calls":[',
      many(n, (at) => call(`{"domain":[["child_ids.name","ilike","${at}a"]],"limit":200}`)),
      ']}',
    ],
  },
  'many-rows': { size: 100, small: 5, body: (n) => calls(many(n, call(all(2000)))) },
  creates: {
    size: 95,
    small: 5,
    as: 'maker',
    body: (n) => calls(...Array.from({ length: n }, (_, at) => [at ? ',' : '', ...create(100)]).flat()),
  },
  'rehearsed-creates': {
    size: 95,
    small: 5,
    as: 'maker',
    headers: () => ({ prefer: 'tx=rollback' }),
    body: (n) => calls(...Array.from({ length: n }, (_, at) => [at ? ',' : '', ...create(100)]).flat()),
  },
  references: {
    size: 200_000,
    small: 3000,
    body: (n) =>
      calls(
        call(all(1), 'a'),
        ',{"model":"res.partner","method":"read","body":{"ids":[',
        many(n, '{"$ref":"/a/0/id"}'),
        ']}}',
      ),
  },
  'references-to-much': {
    size: 40_000,
    small: 300,
    body: (n) =>
      calls(
        call(all(2000), 'a'),
        ',{"model":"res.partner","method":"read","body":{"ids":[',
        many(n, '{"$ref":"/a"}'),
        ']}}',
      ),
  },
  'long-pointer': {
    size: 5_000_000,
    small: 20_000,
    body: (n) =>
      calls(
        call(all(1), 'a'),
        ',',
        '{"model":"res.partner","method":"read","body":{"ids":{"$ref":"/a',
        times(n, '/0'),
        '"}}}',
      ),
  },
  'pointer-of-tildes': {
    size: 10_000_000,
    small: 20_000,
    body: (n) =>
      calls(
        call(all(1), 'a'),
        ',',
        '{"model":"res.partner","method":"read","body":{"ids":{"$ref":"/',
        times(n, '~0~1'),
        '"}}}',
      ),
  },
  literals: {
    size: 450_000,
    small: 5000,
    body: (n) =>
      calls('{"model":"res.partner","method":"read","body":{"ids":{"$literal":[', many(n, '1'), ']}}}'),
  },
  'literals-in-literals': {
    size: 80_000,
    small: 3000,
    body: (n) =>
      calls(
        '{"model":"res.partner","method":"read","body":{"ids":[',
        many(n, '{"$literal":{"$literal":[]}}'),
        ']}}',
      ),
  },
  deep: {
    size: 470,
    small: 400,
    body: (n) =>
      calls(
        '{"model":"res.partner","method":"read","body":{"ids":',
        times(n, '{"$ref":'),
        '1',
        times(n, '}'),
        '}}',
      ),
  },
  'context-for-all': {
    size: 900,
    small: 100,
    body: (n) => [
      '{"context":{',
      many(n, (at) => `"k${at}":"${'x'.repeat(1000)}"`),
      '},"calls":[',
      many(100, call(all(1))),
      ']}',
    ],
  },
  'failures-one-by-one': {
    size: 100,
    small: 20,
    body: (n) => [
      '{"atomic":false,"calls":[',
      many(n, '{"model":"res.partner","method":"write","body":{"ids":[1],"vals":{"x":1}}}'),
      ']}',
    ],
  },
  'locked-out': {
    size: 100,
    small: 10,
    as: 'maker',
    atOnce: 10,
    body: (n) =>
      calls(many(n, '{"model":"res.partner","method":"write","body":{"ids":[1],"vals":{"comment":"x"}}}')),
  },
}

const keyOf = (n: number) => ({ 'idempotency-key': `"k${n}-${process.hrtime.bigint()}"` })
const write = '/json/2/res.partner/create'
const shapes: Readonly<Record<string, Shape>> = {
  'keyed/values': {
    size: 160_000,
    small: 3000,
    as: 'maker',
    path: write,
    headers: keyOf,
    body: (n) => ['{"vals_list":[{"name":"k","category_id":[', many(n, (at) => `[4,${at}]`), ']}]}'],
  },
  'keyed/members': {
    size: 240_000,
    small: 3000,
    as: 'maker',
    path: write,
    headers: keyOf,
    body: (n) => ['{"vals_list":[{', many(n, (at) => `"k${(at * 7919) % n}":1`), '}]}'],
  },
  'keyed/text': {
    size: 60_000_000,
    small: 100_000,
    as: 'maker',
    path: write,
    headers: keyOf,
    body: (n) => ['{"vals_list":[{"name":"', times(n, 'x'), '"}]}'],
  },
  'keyed/batch': {
    size: 140_000,
    small: 3000,
    headers: keyOf,
    body: (n) =>
      calls(
        '{"model":"res.partner","method":"create","body":{"vals_list":[{"name":"k","category_id":[',
        many(n, (at) => `[4,${at}]`),
        ']}]}}',
      ),
    as: 'maker',
  },
  'keyed/long-key': {
    size: 14_000,
    small: 1000,
    as: 'portal',
    path: write,
    headers: (n) => ({ 'idempotency-key': `"${'\\"'.repeat(n / 2)}` }),
    body: () => ['{}'],
  },
  'versions/ids': {
    size: 100_000,
    small: 1000,
    path: '/json/2/res.partner/write',
    headers: () => ({ 'if-match': '"v1-0"' }),
    body: (n) => ['{"vals":{"color":1},"ids":[', many(n, (at) => String(at + 1)), ']}'],
  },
  'versions/rows': {
    size: 10_000,
    small: 200,
    path: '/json/2/res.partner/search_read',
    headers: () => ({ prefer: 'etag' }),
    body: (n) => [`{"domain":[],"fields":["name"],"limit":${n}}`],
    atOnce: 4,
  },
  'rehearsed/creates': {
    size: 9500,
    small: 200,
    as: 'maker',
    path: write,
    headers: () => ({ prefer: 'tx=rollback' }),
    body: (n) => ['{"vals_list":[', many(n, (at) => `{"name":"r${at}"}`), ']}'],
  },
  ...Object.fromEntries(
    ['a=\u0001"', '"\\', 'a;\u0001"', 'a,', 'a\u0001=', '=', '\u0001'].map((piece, at) => [
      `preferences/of-strangers-${at}`,
      {
        size: 15_000,
        small: 15_000,
        as: 'stranger',
        path: write,
        headers: (n) => ({
          prefer: piece.includes('\u0001')
            ? piece.replace('\u0001', ' '.repeat(n))
            : piece.repeat(Math.floor(n / piece.length)),
        }),
        body: () => ['{}'],
      } satisfies Shape,
    ]),
  ),
}

const attackOf = (
  name: string,
  { size, small, as = 'plain', path = BATCH, headers, body, atOnce = 1 }: Shape,
): Attack => ({
  name,
  area: 'C',
  open: as === 'stranger',
  size,
  ...(small === undefined ? {} : { small }),
  run: (hands, n) => hands.crowd(atOnce, atOnce, () => ask(hands, as, path, headers?.(n) ?? {}, body(n))),
})

const prints: readonly Attack[] = [
  {
    name: 'print/odd-names',
    area: 'D',
    open: true,
    size: 300,
    small: 30,
    run: (hands, n) =>
      hands.crowd(n, 10, (at) =>
        ask(
          hands,
          at % 2 ? 'stranger' : 'portal',
          `/report/${at % 3 ? 'pdf' : 'html'}/${['account.report_invoice', '__proto__', '%00', 'x'.repeat(9000), '..%2f..'][at % 5]}/${['1', '0', '9'.repeat(5000), '1,'.repeat(4000), 'x'][at % 4]}`,
          {},
          [],
        ),
      ),
  },
  {
    name: 'keyed/answers-that-are-kept',
    area: 'E',
    size: 60,
    small: 3,
    run: (hands, n) =>
      hands.crowd(n, 6, (at) =>
        ask(hands, 'plain', '/json/2/res.users/web_save', keyOf(at), [
          `{"ids":[${hands.world.uids.plain}],"vals":{"signature":"${at}"},"specification":{"signature":{}}}`,
        ]),
      ),
  },
]

export const endpointAttacks: readonly Attack[] = [
  ...Object.entries(batches).map(([name, shape]) => attackOf(`batch/${name}`, shape)),
  ...Object.entries(shapes).map(([name, shape]) => attackOf(name, shape)),
  ...prints,
]
