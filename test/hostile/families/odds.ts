// Keys that are narrowed absurdly, upserts of much, base64 in every form.
import type { Attack, Hands, Member } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

const headersOf = ({ world }: Hands, as: Member): Record<string, string> => ({
  authorization: `bearer ${world.keys[as]}`,
  'content-type': 'application/json',
  'x-service-database': world.database,
})

/** The keys of the sender: of all of them the ids, and the one that is used. */
interface Keys {
  readonly ids: readonly number[]
  readonly key: string
}

interface Shape {
  readonly size: number
  readonly small: number
  readonly path: string
  readonly as?: Member
  readonly body: (n: number, keys: Keys) => Body
}

const row = (length: number) => (at: number) =>
  `{"external_id":"odds.row${at}","name":"row ${at}","comment":"${'c'.repeat(length)}"}`
const upsert = '{"key":"external_id","vals_list":['
const narrow =
  (what: (n: number) => Body) =>
  (n: number, { ids }: Keys) => [`{"ids":[${ids}],`, ...what(n), '}']

const shapes: Readonly<Record<string, Shape>> = {
  'upsert/long-rows': {
    size: 1000,
    small: 30,
    path: 'res.partner/upsert',
    body: (n) => [upsert, many(n, row(30_000)), ']}'],
  },
  'upsert/many-rows': {
    size: 10_000,
    small: 100,
    path: 'res.partner/upsert',
    body: (n) => [upsert, many(n, row(10)), ']}'],
  },
  'upsert/same-row': {
    size: 10_000,
    small: 100,
    path: 'res.partner/upsert',
    body: (n) => [upsert, many(n, '{"external_id":"odds.same","name":"same"}'), ']}'],
  },
  'upsert/long-keys': {
    size: 1000,
    small: 20,
    path: 'res.partner/upsert',
    body: (n) => [
      upsert,
      many(n, (at) => `{"external_id":"odds.${at}${'x'.repeat(40_000)}","name":"n"}`),
      ']}',
    ],
  },
  'upsert/keys-of-lists': {
    size: 100_000,
    small: 100,
    path: 'res.partner/upsert',
    body: (n) => ['{"key":[', many(n, '"name"'), '],"vals_list":[{"name":"x"}]}'],
  },
  'upsert/lines': {
    size: 9000,
    small: 50,
    path: 'res.partner/upsert',
    body: (n) => [
      `${upsert}{"external_id":"odds.lines","name":"lines","child_ids":[`,
      many(n, (at) => `[0,0,{"name":"below ${at}","type":"other"}]`),
      ']}]}',
    ],
  },
  'keys/addresses': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"addresses":"', times(n / 11, '10.0.0.0/8 '), '"']),
  },
  'keys/addresses-of-colons': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"addresses":"', times(n, ':'), '"']),
  },
  'keys/scope-of-models': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"scope":"rpc', times(n / 23, ' model:res.partner:rwcd'), '"']),
  },
  'keys/scope-of-stars': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"scope":"rpc method:', times(n, '*'), '/', times(n / 10, '*a'), '"']),
  },
  'keys/scope-of-companies': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"scope":"rpc', times(n / 12, ' company:999'), '"']),
  },
  'keys/rate': {
    size: 40_000_000,
    small: 100_000,
    path: 'res.users.apikeys/restrict',
    body: narrow((n) => ['"rate":"', times(n, '9'), '/', times(n / 4, ' '), 's"']),
  },
  'keys/generated-with-a-long-scope': {
    size: 40_000_000,
    small: 100_000,
    as: 'admin',
    path: 'res.users.apikeys/generate',
    body: (n, { key }) => [
      `{"key":"${key}","name":"odd","expiration_date":"2099-01-01","scope":"rpc`,
      times(n / 12, ' company:999'),
      '"}',
    ],
  },
  'keys/generated-with-a-long-name': {
    size: 40_000_000,
    small: 100_000,
    as: 'admin',
    path: 'res.users.apikeys/generate',
    body: (n, { key }) => [
      `{"key":"${key}","scope":"rpc","expiration_date":"2099-01-01","name":"`,
      times(n, 'n'),
      '"}',
    ],
  },
  'keys/scopes-of-new-ones': {
    size: 20_000_000,
    small: 100_000,
    path: 'res.users.apikeys.description/create',
    body: (n) => ['{"vals_list":[{"name":"odd","scope":"rpc', times(n / 17, ' model:res.users:r'), '"}]}'],
  },
  'keys/policies': {
    size: 10_000,
    small: 50,
    as: 'admin',
    path: 'comptoir.key.policy/create',
    body: (n) => ['{"vals_list":[', many(n, (at) => `{"key_id":${1 + at},"rate":"${at}/1s"}`), ']}'],
  },
}

const shaped: Attack[] = Object.entries(shapes).map(([name, { size, small, path, as = 'maker', body }]) => ({
  name,
  area: 'C',
  size,
  small,
  run: async (hands, n) => {
    const { text } = await hands.json2(as, 'res.users.apikeys/search', ['{"domain":[]}'])
    await hands.send({
      path: `/json/2/${path}`,
      // A key that was narrowed would be of no use to those who come after.
      headers: { ...headersOf(hands, as), ...(name.startsWith('keys') ? { prefer: 'tx=rollback' } : {}) },
      body: body(n, {
        ids: /^\[[\d, ]*\]$/.test(text) ? (JSON.parse(text) as number[]) : [],
        key: hands.world.keys[as],
      }),
    })
  },
}))

/** Forms of base64, of so many signs. */
const forms: Readonly<Record<string, (n: number) => Body>> = {
  'a-blank-behind-each-sign': (n) => [times(n / 2, 'A ')],
  'lines-of-76': (n) => [times(n / 78, `${'QUJD'.repeat(19)}\\r\\n`)],
  'for-addresses': (n) => [times(n / 4, '-_-_')],
  'a-data-url': (n) => ['data:application/octet-stream;base64,', times(n / 4, 'QUJD')],
  'data-urls-in-data-urls': (n) => [times(n / 12, 'data:a;base64,')],
  'ends-in-the-middle': (n) => [times(n / 4, 'QQ==')],
  'nothing-but-ends': (n) => [times(n, '=')],
  'without-end': (n) => [times(n / 4, 'QUJD'), 'Q'],
  escaped: (n) => [times(n / 6, '\\u0041')],
  'foreign-signs': (n) => [times(n / 4, 'QUJD'), 'é'],
}

const encoded: Attack[] = Object.entries(forms).map(([name, base64], at) => ({
  name: `base64/${name}`,
  area: 'D',
  size: 45_000_000,
  small: 200_000,
  run: (hands, n) =>
    at % 2
      ? hands.json2('maker', 'ir.attachment/create', [
          '{"vals_list":[{"name":"odd","datas":"',
          ...base64(n),
          '"}]}',
        ])
      : hands.json2('maker', 'res.partner/write', [
          `{"ids":[${hands.world.partners[0]}],"vals":{"image_1920":"`,
          ...base64(n),
          '"}}',
        ]),
}))

export const odds: readonly Attack[] = [...shaped, ...encoded]
