// Changes seen by PostgreSQL itself: triggers on every row of the tables of some fields, which record
// the record, the field and the transaction. Only tests have them, because they do not know about
// calls.
import type { Environment } from '../../src/models/language/environment.ts'
import { id, raw, sql } from '../../src/sql/index.ts'

const texts = (values: readonly string[]) =>
  raw(values.map((value) => `'${value.replaceAll("'", "''")}'`).join())

/** Notes from now on which records get other values of the fields. */
export function watchRows(env: Environment, fields: Readonly<Record<string, readonly string[]>>): void {
  env.unit.send(sql`CREATE TABLE seen_changed (tx bigint, model text, id int, field text)`)
  env.unit.send(sql`CREATE FUNCTION see_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO seen_changed SELECT pg_current_xact_id()::text::bigint, TG_ARGV[0], (one->>TG_ARGV[1])::int, TG_ARGV[2]
      FROM unnest(ARRAY[to_jsonb(OLD), to_jsonb(NEW)]) one WHERE one IS NOT NULL;
    RETURN NULL; END $$`)
  for (const [name, wanted] of Object.entries(fields)) {
    const model = env.def(name)
    let count = 0
    const see = (what: string, table: string, changed: readonly string[], column?: string) => {
      const when = column ? sql`WHEN (OLD.${id(column)} IS DISTINCT FROM NEW.${id(column)})` : sql``
      env.unit.send(
        sql`CREATE TRIGGER ${id(`see_${name}_${count++}`)} AFTER ${raw(what)} ON ${id(table)} FOR EACH ROW ${when} EXECUTE FUNCTION see_changed(${texts(changed)})`,
      )
    }
    see('INSERT OR DELETE', model.table, [name, 'id', ''])
    for (const field of wanted) {
      const { link, column, inherited } = model.fields.get(field) ?? {}
      if (link) see('INSERT OR DELETE', link.table, [name, link.column, field])
      else if (column && !inherited) see('UPDATE', model.table, [name, 'id', field], field)
    }
  }
}

/** The number of changes, and those that no row of the feed reports, as `model id field`. */
export async function untold(
  env: Environment,
): Promise<{ readonly seen: number; readonly untold: string[] }> {
  const [count] = await env.query(sql`SELECT count(*)::int FROM seen_changed`)
  const rows =
    await env.query(sql`SELECT DISTINCT s.model, s.id, s.field FROM seen_changed s WHERE NOT EXISTS (
    SELECT FROM comptoir_change c WHERE c.tx = s.tx AND c.model = s.model AND s.id = ANY(c.ids)
      AND (c.op <> 'u' OR s.field = ANY(c.fields)))`)
  return { seen: count?.[0] as number, untold: rows.map((row) => row.join(' ')) }
}
