// A table whose rows bring their transaction down at COMMIT, by their names: every other one that comes.
import { id, type Sql, sql } from '../../src/sql/index.ts'

/**
 * Makes the table do so: rows of names like `Lost 1` lose against others, those like `Dead 1` wait for each
 * other, with those like `Cut 1` the connection breaks. Those like `Late 1` are stopped, each of them.
 */
export async function loseOddTurns(run: (statement: Sql) => Promise<unknown>, table: string): Promise<void> {
  await run(sql`CREATE SEQUENCE odd_turns`)
  await run(sql`CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.name LIKE 'Lost %' AND nextval('odd_turns') % 2 = 1 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END IF;
    IF NEW.name LIKE 'Dead %' AND nextval('odd_turns') % 2 = 1 THEN RAISE EXCEPTION 'dead' USING ERRCODE = '40P01'; END IF;
    IF NEW.name LIKE 'Cut %' AND nextval('odd_turns') % 2 = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
    IF NEW.name LIKE 'Late %' THEN PERFORM pg_sleep(0); RAISE EXCEPTION 'late' USING ERRCODE = '57014'; END IF;
    RETURN NEW; END $$`)
  await run(
    sql`CREATE CONSTRAINT TRIGGER odd AFTER INSERT OR UPDATE ON ${id(table)} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION odd()`,
  )
}

/** The next row that comes is an odd one. */
export const oddComesNext = sql`SELECT setval('odd_turns', 100, true)`
