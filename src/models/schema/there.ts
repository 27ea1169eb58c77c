// What a database's tables are by now: columns, indexes, constraints, and what the reflection says of those
// that modules once made.
import { sql } from '../../sql/index.ts'
import type { Unit } from '../language/unit.ts'

export interface ColumnThere {
  readonly type: string
  readonly notNull: boolean
  /** Given by the table itself where an INSERT does not name it: while two builds write. */
  readonly hasDefault: boolean
}

/** Columns by table and name. */
export type ColumnsThere = ReadonlyMap<string, ReadonlyMap<string, ColumnThere>>

export async function columnsThere(unit: Unit): Promise<ColumnsThere> {
  const rows =
    await unit.query(sql`SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`)
  const tables = new Map<string, Map<string, ColumnThere>>()
  for (const [table, column, type, notNull, hasDefault] of rows as readonly (readonly [
    string,
    string,
    string,
    boolean,
    boolean,
  ])[]) {
    const columns = tables.get(table) ?? new Map<string, ColumnThere>()
    columns.set(column, { type, notNull, hasDefault })
    tables.set(table, columns)
  }
  return tables
}

/** Indexes and constraints by name: their definition, which is their comment, and null where none is whole. */
export async function thingsThere(unit: Unit): Promise<Map<string, string | null>> {
  const rows =
    await unit.query(sql`SELECT c.relname, CASE WHEN i.indisvalid THEN obj_description(c.oid, 'pg_class') END FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'i'
    UNION ALL SELECT o.conname, obj_description(o.oid, 'pg_constraint') FROM pg_constraint o JOIN pg_namespace n ON n.oid = o.connamespace WHERE n.nspname = current_schema() AND o.contype IN ('c', 'f', 'p')`)
  const there = new Map<string, string | null>()
  for (const [name, comment] of rows as readonly (readonly [string, string | null])[])
    there.set(name, comment ?? there.get(name) ?? null)
  return there
}

/** How PostgreSQL prints the types that fields ask for. */
const printed: Readonly<Record<string, string>> = {
  int4: 'integer',
  bool: 'boolean',
  float8: 'double precision',
  timestamp: 'timestamp without time zone',
}

/** A type as `columnsThere` has it. */
export const printedType = (type: string): string => printed[type] ?? type
