// Other common reads compared with the leanest handlers by hand: records by ids, lists with related
// records, searches by name, groups, an export. The benchmark first checks that each handler returns
// the same as the engine.
import assert from 'node:assert/strict'
import { fill } from '../data.ts'
import { besideLeanest, openLean, type Rows, type Side } from './sides.ts'

const PARTNERS = 5000

/** The condition for contacts that a user of the first company may access. */
const seen = '(t.partner_share IS NOT TRUE OR t.company_id = 1 OR t.company_id IS NULL)'
const listed = `t.active AND t.is_company IS NOT TRUE AND ${seen}`
const order = 'ORDER BY t.complete_name, t.id DESC'

interface Case {
  /** The method of `res.partner`, and its parameters. */
  readonly method: string
  asked(n: number): { readonly named: Record<string, unknown>; readonly ids?: readonly number[] }
  /** Statements by hand, and what they take. A text alone gives the answer as one. */
  readonly shapes: Readonly<Record<string, string | Shape>>
  values(n: number): readonly unknown[]
  /** Whether PostgreSQL plans them for their values each time, as it must for what is searched in texts. */
  readonly each?: boolean
}

/** A statement, and the answer that is made of its rows and of what a handler would keep of the countries. */
interface Shape {
  readonly text: string
  answer(rows: Rows, names: Names, asked: unknown): string
}

/** Names of countries by id, as JSON. */
type Names = ReadonlyMap<unknown, string>

/** Values of rows that come as an array of arrays. */
const valuesIn = (rows: Rows): unknown[][] => JSON.parse(rows[0]?.[0] as string)
/** The same as an array of columns. */
const columnsOf = (where: string) =>
  `SELECT json_build_array(json_agg(t.id), json_agg(t.name), json_agg(t.email), json_agg(t.city), json_agg(t.country_id))::text FROM res_partner t WHERE ${where}`

/** Records of such columns, in the order of ids. */
function inOrder(
  rows: Rows,
  ids: readonly number[],
  show: (id: number, values: readonly unknown[]) => string,
): string[] {
  const [idsRead = [], ...columns] = valuesIn(rows)
  const placeOf = new Map(idsRead.map((id, n) => [id, n]))
  return ids.flatMap((id) => {
    const n = placeOf.get(id)
    return n === undefined
      ? []
      : show(id, [columns[0]?.[n], columns[1]?.[n], columns[2]?.[n], columns[3]?.[n]])
  })
}
const json = (value: unknown): string => JSON.stringify(value ?? false)

const asJson = (row: string, from: string) => `SELECT COALESCE(json_agg(${row}), '[]')::text FROM ${from}`

function casesOf(ids: readonly number[]): Readonly<Record<string, Case>> {
  const some = (n: number) => ids.slice((n % 50) * 80, (n % 50) * 80 + 80)
  const pair = `CASE WHEN t.country_id IS NULL THEN 'false'::json ELSE json_build_array(t.country_id, c.name ->> 'en_US') END`
  const text = (name: string) => `COALESCE(to_json(t.${name}), 'false')`
  const land = 'LEFT JOIN res_country c ON c.id = t.country_id'
  const object = `json_build_object('id', t.id, 'name', ${text('name')}, 'email', ${text('email')}, 'city', ${text('city')}, 'country_id', ${pair})`
  const nested = `json_build_object('id', t.id, 'name', ${text('name')}, 'email', ${text('email')},
    'country_id', CASE WHEN t.country_id IS NULL THEN 'false'::json ELSE json_build_object('id', t.country_id, 'display_name', c.name ->> 'en_US') END)`
  return {
    'read of 80 by ids': {
      method: 'read',
      asked: (n) => ({ named: { fields: ['name', 'email', 'city', 'country_id'] }, ids: some(n) }),
      values: (n) => [some(n)],
      shapes: {
        'JSON, in the order of ids': asJson(
          `${object} ORDER BY u.ord`,
          `unnest($1::int[]) WITH ORDINALITY AS u(id, ord) JOIN res_partner t ON t.id = u.id ${land}`,
        ),
        'columns, order and names known': {
          text: columnsOf('t.id = ANY($1::int[])'),
          answer: (rows, names, ids) => {
            const records = inOrder(rows, ids as number[], (id, [name, email, city, country]) => {
              const land = country ? `[${country},${names.get(country)}]` : 'false'
              return `{"id":${id},"name":${json(name)},"email":${json(email)},"city":${json(city)},"country_id":${land}}`
            })
            return `[${records}]`
          },
        },
      },
    },
    'web_search_read of 80': {
      method: 'web_search_read',
      asked: (n) => ({
        named: {
          domain: [['is_company', '=', false]],
          specification: { name: {}, email: {}, country_id: { fields: { display_name: {} } } },
          limit: 80,
          offset: (n % 5) * 80,
        },
      }),
      values: (n) => [(n % 5) * 80],
      shapes: {
        'JSON, and a count': `SELECT json_build_object('length', (SELECT count(*) FROM res_partner t WHERE ${listed}), 'records',
          (SELECT json_agg(${nested}) FROM (SELECT t.* FROM res_partner t WHERE ${listed} ${order} LIMIT 80 OFFSET $1) AS t ${land}))::text`,
        'an array of arrays, names known': {
          text: `SELECT json_agg(json_build_array(t.id, t.name, t.email, t.country_id))::text, (SELECT count(*) FROM res_partner t WHERE ${listed})
            FROM (SELECT t.* FROM res_partner t WHERE ${listed} ${order} LIMIT 80 OFFSET $1) AS t`,
          answer: (rows, names) => {
            const records = valuesIn(rows).map(([id, name, email, country]) => {
              const land = country ? `{"id":${country},"display_name":${names.get(country)}}` : 'false'
              return `{"id":${id},"name":${json(name)},"email":${json(email)},"country_id":${land}}`
            })
            return `{"length":${rows[0]?.[1]},"records":[${records}]}`
          },
        },
      },
    },
    'name_search of 8': {
      method: 'name_search',
      asked: (n) => ({ named: { name: `partner 0${1000 + (n % 500)}`, limit: 8 } }),
      values: (n) => [`%partner 0${1000 + (n % 500)}%`],
      each: true,
      shapes: {
        'JSON of pairs': asJson(
          'json_build_array(t.id, t.complete_name)',
          `(SELECT t.id, t.complete_name FROM res_partner t WHERE t.active AND ${seen} AND (t.complete_name ILIKE $1 OR t.email ILIKE $1 OR t.ref ILIKE $1 OR t.vat ILIKE $1 OR t.company_registry ILIKE $1) ${order} LIMIT 8) AS t`,
        ),
      },
    },
    'formatted_read_group by country': {
      method: 'formatted_read_group',
      asked: () => ({
        named: { domain: [['is_company', '=', false]], groupby: ['country_id'], aggregates: ['__count'] },
      }),
      values: () => [],
      shapes: {
        'JSON, one join': `SELECT json_agg(json_build_object('country_id', CASE WHEN g.id IS NULL THEN 'false'::json ELSE json_build_array(g.id, c.name ->> 'en_US') END,
          '__extra_domain', json_build_array(json_build_array('country_id', '=', COALESCE(to_json(g.id), 'false'))), '__count', g.n) ORDER BY c.name ->> 'en_US', g.id)::text
          FROM (SELECT t.country_id AS id, count(*) AS n FROM res_partner t WHERE ${listed} GROUP BY 1) AS g LEFT JOIN res_country c ON c.id = g.id`,
        'rows of the driver': {
          text: `SELECT g.id, c.name ->> 'en_US', g.n FROM (SELECT t.country_id AS id, count(*) AS n FROM res_partner t WHERE ${listed} GROUP BY 1) AS g
            LEFT JOIN res_country c ON c.id = g.id ORDER BY 2, 1`,
          answer: (rows) => {
            const groups = rows.map(([id, name, n]) => {
              const pair = id === null ? 'false' : `[${id},${json(name)}]`
              return `{"country_id":${pair},"__extra_domain":[["country_id","=",${id ?? false}]],"__count":${n}}`
            })
            return `[${groups}]`
          },
        },
      },
    },
    'export_data of 80': {
      method: 'export_data',
      asked: (n) => ({ named: { fields_to_export: ['name', 'email', 'city', 'country_id'] }, ids: some(n) }),
      values: (n) => [some(n)],
      shapes: {
        'JSON, in the order of ids': `SELECT json_build_object('datas', json_agg(json_build_array(t.name, COALESCE(t.email, ''), COALESCE(t.city, ''), COALESCE(c.name ->> 'en_US', '')) ORDER BY u.ord))::text
          FROM unnest($1::int[]) WITH ORDINALITY AS u(id, ord) JOIN res_partner t ON t.id = u.id ${land}`,
        'an array of arrays, names known': {
          text: `SELECT json_agg(json_build_array(t.name, t.email, t.city, t.country_id) ORDER BY u.ord)::text
            FROM unnest($1::int[]) WITH ORDINALITY AS u(id, ord) JOIN res_partner t ON t.id = u.id`,
          answer: (rows, names) => {
            const datas = valuesIn(rows).map(
              ([name, email, city, country]) =>
                `[${json(name)},${json(email ?? '')},${json(city ?? '')},${names.get(country) ?? '""'}]`,
            )
            return `{"datas":[${datas}]}`
          },
        },
        'columns, order and names known': {
          text: columnsOf('t.id = ANY($1::int[])'),
          answer: (rows, names, ids) => {
            const datas = inOrder(
              rows,
              ids as number[],
              (_, [name, email, city, country]) =>
                `[${json(name)},${json(email ?? '')},${json(city ?? '')},${names.get(country) ?? '""'}]`,
            )
            return `{"datas":[${datas}]}`
          },
        },
      },
    },
  }
}

/** Measures them in turns with the engine; gives lines for people. */
export async function reads(): Promise<string[]> {
  const lean = await openLean(['base'])
  const { connection, ask } = lean
  try {
    const ids = await fill(
      async (model, method, named) => JSON.parse(await ask(model, method, named as never)),
      PARTNERS,
      () => undefined,
    )
    await connection.simple('VACUUM ANALYZE')
    const check = await lean.check()
    const lands = await connection.query(`SELECT id, to_json(name ->> 'en_US')::text FROM res_country`)
    const names: Names = new Map(lands.map(([id, name]) => [id, name as string]))
    const said: string[] = []
    for (const [name, { method, asked: operands, shapes, values, each }] of Object.entries(casesOf(ids))) {
      const engine: Side = (n) => {
        const { named, ids: about } = operands(n)
        return ask('res.partner', method, named, about)
      }
      const sides: Record<string, Side> = { engine }
      for (const [shape, shapeOrText] of Object.entries(shapes)) {
        const { text, answer }: Shape =
          typeof shapeOrText === 'string'
            ? { text: shapeOrText, answer: (rows) => rows[0]?.[0] as string }
            : shapeOrText
        const side: Side = async (n) => {
          const parameters = values(n)
          const answers = connection.flush([check, { text, values: parameters, each }])
          return answer((await answers[1]) as Rows, names, parameters[0])
        }
        const [ours, theirs] = [String(await engine(1)), String(await side(1))]
        assert.deepEqual(JSON.parse(theirs), JSON.parse(ours), `${name}: ${shape}`)
        sides[shape] = side
      }
      said.push(...(await besideLeanest(name, sides, { calls: 200, rounds: 7 })))
    }
    return said
  } finally {
    await lean.close()
  }
}
