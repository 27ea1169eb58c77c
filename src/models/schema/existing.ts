// The existing tables of a database: columns, indexes, constraints, and what the catalogue says about
// those that modules created.
import { sql } from '../../sql/index.ts'
import type { Unit } from '../language/unit.ts'

export interface ExistingColumn {
  readonly type: string
  readonly notNull: boolean
  /** Has a DEFAULT for INSERTs that do not name it: while two builds write. */
  readonly hasDefault: boolean
}

/** Columns by table and name. */
export type ExistingColumns = ReadonlyMap<string, ReadonlyMap<string, ExistingColumn>>

export async function readColumns(unit: Unit): Promise<ExistingColumns> {
  const rows =
    await unit.query(sql`SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`)
  const tables = new Map<string, Map<string, ExistingColumn>>()
  for (const [table, column, type, notNull, hasDefault] of rows as readonly (readonly [
    string,
    string,
    string,
    boolean,
    boolean,
  ])[]) {
    const columns = tables.get(table) ?? new Map<string, ExistingColumn>()
    columns.set(column, { type, notNull, hasDefault })
    tables.set(table, columns)
  }
  return tables
}

/**
 * Indexes and constraints by name: their definition, which is their comment; null if they are incomplete
 * or have none.
 */
export async function readThings(unit: Unit): Promise<Map<string, string | null>> {
  const rows =
    await unit.query(sql`SELECT c.relname, CASE WHEN i.indisvalid THEN obj_description(c.oid, 'pg_class') END FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'i'
    UNION ALL SELECT o.conname, obj_description(o.oid, 'pg_constraint') FROM pg_constraint o JOIN pg_namespace n ON n.oid = o.connamespace WHERE n.nspname = current_schema() AND o.contype IN ('c', 'f', 'p')`)
  const definitions = new Map<string, string | null>()
  for (const [name, comment] of rows as readonly (readonly [string, string | null])[])
    definitions.set(name, comment ?? definitions.get(name) ?? null)
  return definitions
}

/** The types of fields as PostgreSQL prints them. */
const printed: Readonly<Record<string, string>> = {
  int4: 'integer',
  bool: 'boolean',
  float8: 'double precision',
  timestamp: 'timestamp without time zone',
}

/** A type as in `readColumns`. */
export const printedType = (type: string): string => printed[type] ?? type
