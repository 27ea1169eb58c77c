// The clock of a test inside PostgreSQL: functions that hide its own, so that what the engine and modules ask
// by SQL is the same moment.

/**
 * SQL that fixes the time of a database at the moment `at`, or changes it: `now()` and its kin in the schema
 * `public`, which sessions with a clock search first (postgres/address.ts). The keywords CURRENT_TIMESTAMP
 * and CURRENT_DATE cannot be replaced; Comptoir does not use them.
 */
export function clockScript(at: Date): string {
  const moment = `'${at.toISOString()}'::timestamptz`
  return ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']
    .map(
      (name) =>
        `CREATE OR REPLACE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT ${moment} $$;`,
    )
    .join('\n')
}
