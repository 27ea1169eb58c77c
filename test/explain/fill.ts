// Many contacts at once, made by the database itself: companies with people, tags, countries, references,
// e-mail addresses.

import type { Environment } from '../../src/models/index.ts'
import type { FieldDef, LinkTable } from '../../src/models/language/definitions.ts'
import { id, join, literal, raw, type Sql, sql } from '../../src/sql/index.ts'

/** Names of records that the cases ask about. */
export interface Filled {
  /** A company with ten people or so. */
  readonly company: number
  readonly person: number
  /** A tag that few contacts have, and one above it. */
  readonly tag: number
  readonly topTag: number
  /** A country that few contacts have. */
  readonly country: number
  readonly user: number
  /** Ids of contacts all over the table. */
  readonly ids: readonly number[]
}

/** Options of contacts that other modules require: the ends of a list of columns and of their values. */
function requiredOptions(env: Environment): { readonly names: Sql; readonly values: Sql } {
  const required = [...env.def('res.partner').fields.values()].flatMap(({ name, kind, column, options }) =>
    kind === 'selection' && column && options.required && name !== 'type'
      ? [[sql`, ${id(name)}`, sql`, ${literal(String(options.default))}`] as const]
      : [],
  )
  return {
    names: join(
      required.map(([name]) => name),
      '',
    ),
    values: join(
      required.map(([, value]) => value),
      '',
    ),
  }
}

/**
 * Makes `count` contacts: one in ten is a company, nine in ten work for one; each tenth is archived. Gathers
 * statistics.
 */
export async function fillContacts(env: Environment, count: number): Promise<Filled> {
  await env.query(raw('SET LOCAL statement_timeout = 0'))
  const [[start]] = (await env.query(sql`SELECT max("id") + 1 FROM res_partner`)) as [[number]]
  const countries = (await env.query(sql`SELECT "id" FROM res_country ORDER BY "id" LIMIT 50`)).map(
    (row) => row[0] as number,
  )
  const [[rare]] = (await env.query(sql`SELECT max("id") FROM res_country`)) as [[number]]
  const [[user]] = (await env.query(sql`SELECT max("id") FROM res_users`)) as [[number]]
  const top = await env.model('res.partner.category').create([{ name: 'Explained' }])
  const tags = await env
    .model('res.partner.category')
    .create([
      ...Array.from({ length: 20 }, (_, i) => ({ name: `Common ${i}` })),
      { name: 'Rarely given', parent_id: top.ids[0] as number },
    ])
  const more = requiredOptions(env)
  await env.query(sql`INSERT INTO res_partner ("id", name, complete_name, parent_id, commercial_partner_id, is_company, active, type, ref, email, vat, phone, city,
      country_id, user_id, color, partner_share, create_uid, write_uid, create_date, write_date${more.names})
    SELECT n, names.name, names.name, names.parent, COALESCE(names.parent, n), names.parent IS NULL, n % 10 <> 3, 'contact', 'R' || n, 'contact' || n || '@example.com',
      CASE WHEN names.parent IS NULL THEN 'BE' || lpad(n::text, 10, '0') END, '+32 81 ' || n, 'City ' || n % 500,
      CASE WHEN n % 5000 = 7 THEN ${rare}::int ELSE (${countries}::int[])[1 + n % 50] END, CASE WHEN n % 2000 = 0 THEN ${user}::int END, n % 12, true, 1, 1,
      timestamp '2020-01-01' + n * interval '1 minute', timestamp '2020-01-01' + n * interval '1 minute'${more.values}
    FROM generate_series(${start}::int, ${start + count - 1}::int) AS n,
      LATERAL (SELECT CASE WHEN n % 10 = 0 OR n - n % 10 < ${start}::int THEN NULL ELSE n - n % 10 END AS parent,
        initcap(substr(md5(n::text), 1, 6)) || ' ' || initcap(substr(md5((n / 7)::text), 1, 8)) AS name) AS names`)
  const { table, column, other } = (env.def('res.partner').fields.get('category_id') as FieldDef)
    .link as LinkTable
  await env.query(sql`INSERT INTO ${id(table)} (${id(other)}, ${id(column)})
    SELECT (${tags.ids.slice(0, 20)}::int[])[1 + n % 20], n FROM generate_series(${start}::int, ${start + count - 1}::int) AS n WHERE n % 3 = 0
    UNION ALL SELECT ${tags.ids[20]}::int, n FROM generate_series(${start}::int, ${start + count - 1}::int) AS n WHERE n % 4000 = 9`)
  // Autovacuum does the same after such a load: empty the pending lists of trigram indexes, gather
  // statistics.
  await env.query(
    sql`SELECT gin_clean_pending_list(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'gin'`,
  )
  await env.query(raw('ANALYZE'))
  const company = Math.ceil(start / 10) * 10 + Math.floor(count / 30) * 10
  const ids = Array.from({ length: 80 }, (_, i) => start + Math.floor((i * count) / 80))
  return {
    company,
    person: company + 4,
    tag: tags.ids[20] as number,
    topTag: top.ids[0] as number,
    country: rare,
    user,
    ids,
  }
}
