// What a database is made of, as statements that make it anew: tables, views and sequences before the data, keys and indexes after it.
import type { Copying } from '../../postgres/index.ts'

export interface Table {
  /** Quoted. */
  readonly name: string
  /** Quoted names of the columns that hold data, in order. */
  readonly columns: readonly string[]
}

export interface Objects {
  readonly tables: readonly Table[]
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const OURS = "relnamespace = 'public'::regnamespace"

const extensions = `SELECT format('CREATE EXTENSION IF NOT EXISTS %I;', extname) FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname`

/** Sequences of their own; those of identity columns come with their tables. */
const sequences = `SELECT format('CREATE SEQUENCE %I INCREMENT %s MINVALUE %s MAXVALUE %s START %s%s;',
    c.relname, s.seqincrement, s.seqmin, s.seqmax, s.seqstart, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END)
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
  WHERE ${OURS} AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'i')
  ORDER BY c.relname`

const tables = `SELECT format('CREATE TABLE %I (%s);', c.relname, string_agg(format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attidentity <> '' THEN format(' GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END)
        WHEN a.attgenerated = 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
        WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) ELSE '' END,
      CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY a.attnum)),
    quote_ident(c.relname), array_to_json(array_agg(quote_ident(a.attname) ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''))::text
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${OURS} AND c.relkind = 'r' GROUP BY c.oid, c.relname ORDER BY c.relname`

/** In the order in which they were made: each after those that it reads. */
const views = `SELECT format('CREATE VIEW %I AS %s', relname, pg_get_viewdef(oid)) FROM pg_class WHERE ${OURS} AND relkind = 'v' ORDER BY oid`

/** Where counting goes on. */
const counters = `SELECT format('SELECT pg_catalog.setval(%L, %s, true);', format('public.%I', sequencename), last_value)
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY sequencename`

/** Keys before indexes, foreign keys last. NOT NULL stands with the columns. */
const constraints = (
  kinds: string,
) => `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', t.relname_quoted, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN (SELECT oid, quote_ident(relname) AS relname_quoted FROM pg_class WHERE ${OURS} AND relkind = 'r') t ON t.oid = k.conrelid
  WHERE k.contype IN (${kinds}) ORDER BY t.relname_quoted, k.conname`

const indexes = `SELECT pg_get_indexdef(i.indexrelid) || ';' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE ${OURS} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) ORDER BY c.relname`

/** Comments tell the engine from which declaration an index was made. */
const comments = `SELECT format('COMMENT ON %s %I%s IS %L;', CASE WHEN d.objsubid > 0 THEN 'COLUMN' WHEN c.relkind = 'i' THEN 'INDEX'
      WHEN c.relkind = 'v' THEN 'VIEW' WHEN c.relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
    c.relname, CASE WHEN d.objsubid > 0 THEN format('.%I', a.attname) ELSE '' END, d.description)
  FROM pg_description d JOIN pg_class c ON c.oid = d.objoid LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid
  WHERE d.classoid = 'pg_class'::regclass AND ${OURS} ORDER BY c.relname, d.objsubid`

const constraintComments = `SELECT format('COMMENT ON CONSTRAINT %I ON %I IS %L;', k.conname, c.relname, d.description)
  FROM pg_description d JOIN pg_constraint k ON k.oid = d.objoid JOIN pg_class c ON c.oid = k.conrelid
  WHERE d.classoid = 'pg_constraint'::regclass AND ${OURS} ORDER BY c.relname, k.conname`

/** Reads the objects as of the connection's transaction. */
export async function readObjects(connection: Copying): Promise<Objects> {
  const statements = async (...queries: string[]) => {
    const found: string[] = []
    for (const query of queries) for (const [statement] of await connection.query(query)) found.push(String(statement))
    return found
  }
  const rows = await connection.query(tables)
  return {
    tables: rows.map(([, name, columns]) => ({ name: String(name), columns: JSON.parse(String(columns)) as string[] })),
    before: [...(await statements(extensions, sequences)), ...rows.map(([statement]) => String(statement)), ...(await statements(views))],
    after: await statements(
      counters,
      constraints("'p', 'u', 'x'"),
      indexes,
      constraints("'c'"),
      constraints("'f'"),
      comments,
      constraintComments,
    ),
  }
}
