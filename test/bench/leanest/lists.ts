// A list of 80 contacts with a many2one and a many2many compared with the leanest possible handlers by
// hand, in several shapes of SQL.
import assert from 'node:assert/strict'
import { fill } from '../data.ts'
import { besideLeanest, openLean, type Rows, type Side } from './sides.ts'

const PARTNERS = 5000

const page = `(SELECT t.id, t.name, t.email, t.country_id FROM res_partner t
  WHERE t.active AND t.is_company IS NOT TRUE AND (t.partner_share IS NOT TRUE OR t.company_id = 1 OR t.company_id IS NULL)
  ORDER BY t.complete_name, t.id DESC LIMIT 80 OFFSET $1) AS t`
/** Of few columns, and within few rows, so that PostgreSQL need not plan anew for each offset. */
const few = `(SELECT * FROM (SELECT t.id, t.name, t.email, t.country_id FROM res_partner t
  WHERE t.active AND t.is_company IS NOT TRUE AND (t.partner_share IS NOT TRUE OR t.company_id = 1 OR t.company_id IS NULL)
  ORDER BY t.complete_name, t.id DESC LIMIT 512) AS w LIMIT 80 OFFSET $1) AS t`
const links =
  'ARRAY(SELECT res_partner_category_id FROM res_partner_res_partner_category_rel WHERE res_partner_id = t.id)'
const named = `json_build_array(t.country_id, c.name ->> 'en_US')`

interface Shape {
  readonly text: string
  /** The answer's text. `names` and `places` stand for what a handler would keep of the small tables. */
  answer(rows: Rows, names: ReadonlyMap<number, string>, places: ReadonlyMap<number, number>): string
}

/** Rows that come as columns of JSON: ids, names, mail addresses, countries, and pairs of contact and tag. */
function rowsOfColumns(rows: Rows): Row[] {
  const [ids = [], names = [], emails = [], countries = [], owners = [], tags = []] = (rows[0] ?? []).map(
    (column) => JSON.parse((column as string | null) ?? '[]') as never[],
  )
  const tagsOf = new Map<number, number[]>(ids.map((id) => [id, []]))
  for (const [n, owner] of owners.entries()) tagsOf.get(owner)?.push(tags[n] as never)
  return ids.map((id, n) => [
    id,
    names[n] ?? null,
    emails[n] ?? null,
    countries[n] ?? null,
    tagsOf.get(id) ?? [],
  ])
}

type Row = readonly [number, string | null, string | null, number | null, number[]]

const written: (
  rows: readonly Row[],
  ...known: [ReadonlyMap<number, string>, ReadonlyMap<number, number>]
) => string = (rows, names, places) =>
  `[${rows
    .map(([id, name, email, country, tags]) => {
      tags.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
      const land = country === null ? 'false' : names.get(country)
      return `{"id":${id},"name":${JSON.stringify(name ?? false)},"email":${JSON.stringify(email ?? false)},"country_id":${land},"category_id":[${tags}]}`
    })
    .join(',')}]`
const asItCame = (rows: Rows): string => rows[0]?.[0] as string

const shapes: Readonly<Record<string, Shape>> = {
  'JSON, a sub-select a row': {
    text: `SELECT json_agg(r)::text FROM (SELECT t.id, t.name, t.email, ${named} AS country_id, array_to_json(ARRAY(SELECT g.id
      FROM res_partner_res_partner_category_rel l JOIN res_partner_category g ON g.id = l.res_partner_category_id AND g.active
      WHERE l.res_partner_id = t.id ORDER BY g.name ->> 'en_US', g.id)) AS category_id FROM ${page} LEFT JOIN res_country c ON c.id = t.country_id) AS r`,
    answer: asItCame,
  },
  'JSON, one join a page': {
    text: `WITH t AS MATERIALIZED (SELECT *, row_number() OVER () AS ord FROM ${page}) SELECT json_agg(json_build_object('id', t.id, 'name', t.name,
      'email', t.email, 'country_id', ${named}, 'category_id', COALESCE(to_json(l.ids), '[]')) ORDER BY t.ord)::text FROM t LEFT JOIN res_country c ON c.id = t.country_id
      LEFT JOIN (SELECT l.res_partner_id, array_agg(g.id ORDER BY g.name ->> 'en_US', g.id) AS ids FROM t JOIN res_partner_res_partner_category_rel l ON l.res_partner_id = t.id
        JOIN res_partner_category g ON g.id = l.res_partner_category_id AND g.active GROUP BY 1) AS l ON l.res_partner_id = t.id`,
    answer: asItCame,
  },
  'rows of the driver, names known': {
    text: `SELECT t.id, t.name, t.email, t.country_id, ${links} FROM ${page}`,
    answer: (rows, ...names) => written(rows as unknown as Row[], ...names),
  },
  'an array of arrays, names known': {
    text: `SELECT json_agg(json_build_array(t.id, t.name, t.email, t.country_id, ${links}))::text FROM ${page}`,
    answer: (rows, ...names) => written(JSON.parse(asItCame(rows)) as Row[], ...names),
  },
  'columns, tags of the page at once, names known': {
    text: `SELECT p.a, p.b, p.c, p.d, k.* FROM (SELECT json_agg(t.id)::text AS a, json_agg(t.name)::text AS b, json_agg(t.email)::text AS c,
        json_agg(t.country_id)::text AS d, array_agg(t.id) AS ids FROM ${few}) AS p
      CROSS JOIN LATERAL (SELECT json_agg(l.res_partner_id)::text, json_agg(l.res_partner_category_id)::text
        FROM res_partner_res_partner_category_rel l WHERE l.res_partner_id = ANY(p.ids)) AS k`,
    answer: (rows, ...names) => written(rowsOfColumns(rows), ...names),
  },
}

/** A list's records; handlers may say `null` where the engine says `false`. */
const dressed = (json: string): unknown =>
  JSON.parse(json, (_, value: unknown) => (value === null ? false : value))

/** Measures them in turns with the engine; gives lines for people. */
export async function lists(): Promise<string[]> {
  const lean = await openLean(['base'])
  const { connection } = lean
  const fields = ['name', 'email', 'country_id', 'category_id']
  const list: Side = (n) =>
    lean.ask('res.partner', 'search_read', {
      ...{ domain: [['is_company', '=', false]], fields, limit: 80, offset: (n % 5) * 80 },
    })
  try {
    await fill(
      async (model, method, named) => JSON.parse(await lean.ask(model, method, named as never)),
      PARTNERS,
      () => undefined,
    )
    await connection.simple('VACUUM ANALYZE')
    const texts = await connection.query(
      `SELECT id, json_build_array(id, name ->> 'en_US')::text FROM res_country`,
    )
    const names = new Map(texts.map(([id, text]) => [id as number, text as string]))
    const tags = await connection.query(`SELECT id FROM res_partner_category ORDER BY name ->> 'en_US', id`)
    const places = new Map(tags.map(([id], place) => [id as number, place]))
    const check = await lean.check()
    const sides: Record<string, Side> = { engine: list }
    for (const [name, { text, answer }] of Object.entries(shapes)) {
      const side = async (n: number) => {
        const answers = connection.flush([check, { text, values: [(n % 5) * 80] }])
        return answer((await answers[1]) as Rows, names, places)
      }
      assert.deepEqual(dressed(await side(1)), dressed(String(await list(1))), name)
      sides[name] = side
    }
    return await besideLeanest('a list of 80 contacts', sides, { calls: 300, rounds: 7 })
  } finally {
    await lean.close()
  }
}
