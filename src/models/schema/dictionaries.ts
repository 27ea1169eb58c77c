// Versions of tables that nodes keep dictionaries of (read/short/dictionary.ts). Every statement that
// changes such a table leaves a mark with its transaction, and the sum of the marks that a snapshot sees
// is the version: two snapshots with the same marks hold the same rows. Marks are added and never
// changed, so that no transaction waits for another.
import { literal, quote, raw, sql } from '../../sql/index.ts'
import type { Registry } from '../language/definitions.ts'
import type { Unit } from '../language/unit.ts'

/** A mark is drawn, not counted: databases that went different ways come to different sums. */
const table = `CREATE TABLE IF NOT EXISTS dictionary_changes (
  table_name text NOT NULL,
  mark bigint NOT NULL DEFAULT 1 + floor(random() * 1e12)::bigint
)`
const index = 'CREATE INDEX IF NOT EXISTS dictionary_changes_table ON dictionary_changes (table_name, mark)'

/**
 * Now and then marks become one, which has their sum: nobody notices. One transaction at a time tries, and
 * leaves it where another was quicker.
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

/** Makes what is missing, for the models of a registry; may run again. Tables that have it are not locked. */
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
