// Calls that are as large as one may be, many at a time and by several users: each by itself is within its
// limits, all of them together must not take more than the server has.
import type { Attack, Hands, Member } from '../attack.ts'
import { type Body, many } from '../bodies.ts'

interface Crowd {
  /** Calls at a time of each user. */
  readonly lanes: number
  readonly size: number
  readonly small: number
  readonly path: string
  readonly body: (n: number, partners: readonly number[]) => Body
}

const users: readonly Member[] = ['maker', 'plain', 'admin']
const ids = (n: number, partners: readonly number[]) => many(n, (at) => `${partners[at % partners.length]}`)

const crowds: Readonly<Record<string, Crowd>> = {
  creates: {
    lanes: 6,
    size: 10_000,
    small: 200,
    path: 'res.partner/create',
    body: (n) => [
      '{"vals_list":[',
      many(n, (at) => `{"name":"crowd ${at}","email":"c${at}@example.com","street":"Street ${at}"}`),
      ']}',
    ],
  },
  'lines-of-one': {
    lanes: 6,
    size: 9000,
    small: 200,
    path: 'res.partner/create',
    body: (n) => [
      '{"vals_list":[{"name":"crowd","child_ids":[',
      many(n, (at) => `[0,0,{"name":"below ${at}","type":"other"}]`),
      ']}]}',
    ],
  },
  loads: {
    lanes: 6,
    size: 10_000,
    small: 200,
    path: 'res.partner/load',
    body: (n) => [
      '{"fields":["name","email","city"],"data":[',
      many(n, (at) => `["crowd ${at}","c${at}@example.com","Namur"]`),
      ']}',
    ],
  },
  reads: {
    lanes: 6,
    size: 4000,
    small: 500,
    path: 'res.partner/read',
    body: (n, partners) => ['{"ids":[', ids(n, partners), ']}'],
  },
  searches: {
    lanes: 6,
    size: 90_000,
    small: 500,
    path: 'res.partner/search_read',
    body: (n) => ['{"fields":["name"],"domain":[["id","in",[', many(n, (at) => `${at}`), ']]]}'],
  },
  'whole-tables': {
    lanes: 6,
    size: 100_000,
    small: 500,
    path: 'res.partner/web_search_read',
    body: (n) => [
      `{"limit":${n},"domain":[],"specification":{`,
      many(
        12,
        (at) =>
          `"${['name', 'email', 'city', 'street', 'comment', 'complete_name', 'display_name', 'contact_address', 'child_ids', 'category_id', 'country_id', 'avatar_128'][at]}":{}`,
      ),
      '}}',
    ],
  },
  terms: {
    lanes: 6,
    size: 5000,
    small: 500,
    path: 'res.partner/search_count',
    body: (n) => ['{"domain":[', many(n - 1, '"|"'), ',', many(n, (at) => `["color","=",${at}]`), ']}'],
  },
  exports: {
    lanes: 6,
    size: 90_000,
    small: 500,
    path: 'res.partner/export_data',
    body: (n, partners) => [
      '{"fields_to_export":["name","email","city","country_id/name"],"ids":[',
      ids(n, partners),
      ']}',
    ],
  },
  writes: {
    lanes: 6,
    size: 90_000,
    small: 500,
    path: 'res.partner/write',
    body: (n, partners) => ['{"vals":{"comment":"crowd"},"ids":[', ids(n, partners), ']}'],
  },
  copies: {
    lanes: 6,
    size: 9000,
    small: 100,
    path: 'res.partner/copy',
    body: (n, partners) => ['{"ids":[', ids(n, partners), ']}'],
  },
}

async function together(hands: Hands, { lanes, path, body }: Crowd, n: number): Promise<void> {
  const total = lanes * users.length
  await hands.crowd(total, total, (at) =>
    hands.json2(users[at % users.length] as Member, path, body(n, hands.world.partners)),
  )
}

/** The same calls from all sides at once. */
const all = Object.values(crowds)

export const crowding: readonly Attack[] = [
  ...Object.entries(crowds).map(
    ([name, crowd]): Attack => ({
      name: `crowd/${name}`,
      area: 'C',
      size: crowd.size,
      small: crowd.small,
      many: true,
      run: (hands, n) => together(hands, crowd, n),
    }),
  ),
  {
    name: 'crowd/of-all-kinds',
    area: 'C',
    size: 100,
    small: 2,
    many: true,
    run: (hands, percent) =>
      Promise.all(
        all.map((crowd) =>
          together(hands, { ...crowd, lanes: 2 }, Math.max(1, Math.round((crowd.size * percent) / 100))),
        ),
      ),
  },
]
