// The whole of a database as one text for each table, to compare before and after.
import { raw } from '../../src/sql/index.ts'
import type { TestDatabase } from './databases.ts'

/** Written for every key that is used, and by processes that say that they are there. */
const BESIDE = ['comptoir_key_use', 'comptoir_node', 'comptoir_webhook_position']

/** Table → fingerprint of all its rows. */
export async function wholeOf({ run }: Pick<TestDatabase, 'run'>): Promise<Readonly<Record<string, string>>> {
  const tables = await run(({ unit }) =>
    unit.query(raw("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")),
  )
  const names = tables.map(([name]) => name as string).filter((name) => !BESIDE.includes(name))
  const each = names.map(
    (name) =>
      `SELECT '${name}', md5(string_agg(x, ' ' ORDER BY x)) FROM (SELECT t::text AS x FROM "${name}" t) AS rows`,
  )
  const rows = await run(({ unit }) => unit.query(raw(each.join(' UNION ALL '))))
  return Object.fromEntries(rows as unknown as readonly [string, string][])
}
