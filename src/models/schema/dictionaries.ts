// Versions of tables with lookup caches on nodes (read/short/dictionary.ts). Every statement that
// changes such a table inserts a random mark in its transaction. The sum of the marks that a snapshot
// sees is the version: two snapshots with the same marks see the same rows. Marks are inserted and not
// updated, so that no transaction waits for another.
import { literal, quote, raw, sql } from '../../sql/index.ts'
import type { Registry } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

/** A mark is random instead of a counter: databases with different histories get different sums. */
const table = `CREATE TABLE IF NOT EXISTS dictionary_changes (
  table_name text NOT NULL,
  mark bigint NOT NULL DEFAULT 1 + floor(random() * 1e12)::bigint
)`
const index = 'CREATE INDEX IF NOT EXISTS dictionary_changes_table ON dictionary_changes (table_name, mark)'

/**
 * From time to time the marks of a table are merged into one with their sum, which keeps the version.
 * One transaction at a time tries, and gives up on a conflict.
 */
const note = `CREATE OR REPLACE FUNCTION comptoir_dictionary_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dictionary_changes (table_name) VALUES (TG_TABLE_NAME);
  IF random() < 0.02 AND pg_try_advisory_xact_lock(hashtextextended('dictionary_changes', 0)) THEN
    BEGIN
      WITH gone AS (DELETE FROM dictionary_changes WHERE table_name = TG_TABLE_NAME RETURNING mark)
      INSERT INTO dictionary_changes (table_name, mark) SELECT TG_TABLE_NAME, sum(mark) FROM gone;
    EXCEPTION WHEN serialization_failure THEN NULL;
    END;
  END IF;
  RETURN NULL;
END$$`

/**
 * Creates the missing parts for the models of a registry. Idempotent. Complete tables are not locked.
 */
export async function applyDictionaries(unit: Unit, { models }: Registry): Promise<void> {
  const rows = await unit.query<[string | null]>(
    sql`SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'dictionary_changed' UNION ALL SELECT to_regclass('dictionary_changes_table')::text`,
  )
  const existing = new Set(rows.map(([name]) => name))
  const statements = existing.has('dictionary_changes_table') ? [note] : [table, index, note]
  for (const model of models.values()) {
    if (!model.options.dictionary || !model.hasTable || existing.has(model.table)) continue
    const name = literal(model.table).compile().text
    statements.push(
      `INSERT INTO dictionary_changes (table_name) SELECT ${name} WHERE NOT EXISTS (SELECT FROM dictionary_changes WHERE table_name = ${name})`,
      `CREATE OR REPLACE TRIGGER dictionary_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${quote(model.table)}
        FOR EACH STATEMENT EXECUTE FUNCTION comptoir_dictionary_changed()`,
    )
  }
  for (const statement of statements) await unit.query(raw(statement))
}
