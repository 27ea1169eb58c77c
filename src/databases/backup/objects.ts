// The objects of a database, as statements that create them: tables, views and sequences before the data,
// keys and indexes after it.
import { passingTables } from '../../models/changes/tables.ts'
import type { Copying } from '../../postgres/index.ts'

export interface Table {
  /** Quoted. */
  readonly name: string
  /** Quoted names of the columns that hold data, in order. */
  readonly columns: readonly string[]
  /** Size of its rows on disk, in bytes: its share of the work. */
  readonly bytes: number
}

/** A statement, and what it makes. */
export interface Item {
  readonly kind: Kind
  /** Unquoted; of what belongs to a table, the table's name first. */
  readonly tag: string
  readonly statement: string
  /** Quoted name of the table that it belongs to or is. */
  readonly table: string | null
  /** Of a foreign key: the key that it refers to, by its tag. */
  readonly needs: string | null
}

/** Named as in PostgreSQL's archives. */
export type Kind =
  | 'EXTENSION'
  | 'SEQUENCE'
  | 'TABLE'
  | 'VIEW'
  | 'FUNCTION'
  | 'SEQUENCE SET'
  | 'CONSTRAINT'
  | 'INDEX'
  | 'CHECK CONSTRAINT'
  | 'FK CONSTRAINT'
  | 'TRIGGER'
  | 'COMMENT'

export interface Objects {
  readonly tables: readonly Table[]
  /** Made before the rows come. */
  readonly before: readonly Item[]
  /** Made when the rows are in. */
  readonly after: readonly Item[]
}

const OURS = "relnamespace = 'public'::regnamespace"

/**
 * Each query gives statement, tag, quoted table and the tag of what is needed; the last two may be missing.
 */
const extensions = `SELECT format('CREATE EXTENSION IF NOT EXISTS %I;', extname), extname::text FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname`

/** Sequences of their own; those of identity columns come with their tables. */
const sequences = `SELECT format('CREATE SEQUENCE %I INCREMENT %s MINVALUE %s MAXVALUE %s START %s%s;',
    c.relname, s.seqincrement, s.seqmin, s.seqmax, s.seqstart, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END), c.relname::text
  FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
  WHERE ${OURS} AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'i')
  ORDER BY c.relname`

const tables = `SELECT format('CREATE TABLE %I (%s);', c.relname, string_agg(format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attidentity <> '' THEN format(' GENERATED %s AS IDENTITY', CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END)
        WHEN a.attgenerated = 's' THEN format(' GENERATED ALWAYS AS (%s) STORED', pg_get_expr(d.adbin, d.adrelid))
        WHEN d.adbin IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) ELSE '' END,
      CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY a.attnum)),
    c.relname::text, quote_ident(c.relname), NULL,
    array_to_json(array_agg(quote_ident(a.attname) ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''))::text, pg_table_size(c.oid)::float8
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE ${OURS} AND c.relkind = 'r' GROUP BY c.oid, c.relname ORDER BY c.relname`

/** In the order in which they were made: each after those that it reads. */
const views = `SELECT format('CREATE VIEW %I AS %s', relname, pg_get_viewdef(oid)), relname::text FROM pg_class WHERE ${OURS} AND relkind = 'v' ORDER BY oid`

/** Current values of sequences. */
const counters = `SELECT format('SELECT pg_catalog.setval(%L, %s, true);', format('public.%I', sequencename), last_value), sequencename::text
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY sequencename`

/** Functions of modules, which triggers call; those of extensions come with them. */
const functions = `SELECT pg_get_functiondef(p.oid) || ';', format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) FROM pg_proc p
  WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e')
  ORDER BY p.proname`

const triggers = `SELECT pg_get_triggerdef(g.oid) || ';', format('%s %s', c.relname, g.tgname), quote_ident(c.relname) FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
  WHERE ${OURS} AND NOT g.tgisinternal ORDER BY c.relname, g.tgname`

/** Keys before indexes, foreign keys last. NOT NULL stands with the columns. */
const constraints = (
  kinds: string,
) => `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', t.quoted, k.conname, pg_get_constraintdef(k.oid)),
    format('%s %s', t.relname, k.conname), t.quoted, CASE WHEN k.contype = 'f' THEN format('%s %s', o.relname, r.conname) END
  FROM pg_constraint k JOIN (SELECT oid, relname, quote_ident(relname) AS quoted FROM pg_class WHERE ${OURS} AND relkind = 'r') t ON t.oid = k.conrelid
  LEFT JOIN pg_class o ON o.oid = k.confrelid
  LEFT JOIN pg_constraint r ON k.contype = 'f' AND r.conindid = k.conindid AND r.contype IN ('p', 'u', 'x')
  WHERE k.contype IN (${kinds}) ORDER BY t.quoted, k.conname`

const indexes = `SELECT pg_get_indexdef(i.indexrelid) || ';', c.relname::text, quote_ident(c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  JOIN pg_class x ON x.oid = i.indexrelid
  WHERE c.${OURS} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')) ORDER BY x.relname`

/** Comments name the declaration that an index was made from. */
const comments = `SELECT format('COMMENT ON %s %I%s IS %L;', CASE WHEN d.objsubid > 0 THEN 'COLUMN' WHEN c.relkind = 'i' THEN 'INDEX'
      WHEN c.relkind = 'v' THEN 'VIEW' WHEN c.relkind = 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
    c.relname, CASE WHEN d.objsubid > 0 THEN format('.%I', a.attname) ELSE '' END, d.description), c.relname::text
  FROM pg_description d JOIN pg_class c ON c.oid = d.objoid LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid
  WHERE d.classoid = 'pg_class'::regclass AND ${OURS} ORDER BY c.relname, d.objsubid`

const constraintComments = `SELECT format('COMMENT ON CONSTRAINT %I ON %I IS %L;', k.conname, c.relname, d.description), c.relname::text
  FROM pg_description d JOIN pg_constraint k ON k.oid = d.objoid JOIN pg_class c ON c.oid = k.conrelid
  WHERE d.classoid = 'pg_constraint'::regclass AND ${OURS} ORDER BY c.relname, k.conname`

const itemOf = (kind: Kind, [statement, tag, table, needs]: readonly unknown[]): Item => ({
  kind,
  tag: String(tag),
  statement: String(statement).trimEnd(),
  table: (table ?? null) as string | null,
  needs: (needs ?? null) as string | null,
})

/**
 * Reads the objects as of the connection's transaction; rows of `without` are left out, their tables are not.
 */
export async function readObjects(
  connection: Copying,
  without: readonly string[] = passingTables,
): Promise<Objects> {
  const items = async (...queries: readonly (readonly [Kind, string])[]) => {
    const collected: Item[] = []
    for (const [kind, query] of queries)
      for (const row of await connection.query(query)) collected.push(itemOf(kind, row))
    return collected
  }
  const rows = await connection.query(tables)
  return {
    tables: rows
      .filter(([, tag]) => !without.includes(String(tag)))
      .map(([, , name, , columns, bytes]) => ({
        name: String(name),
        columns: JSON.parse(String(columns)) as string[],
        bytes: Number(bytes),
      })),
    before: [
      ...(await items(['EXTENSION', extensions], ['SEQUENCE', sequences])),
      ...rows.map((row) => itemOf('TABLE', row)),
      ...(await items(['VIEW', views], ['FUNCTION', functions])),
    ],
    after: await items(
      ['SEQUENCE SET', counters],
      ['CONSTRAINT', constraints("'p', 'u', 'x'")],
      ['INDEX', indexes],
      ['CHECK CONSTRAINT', constraints("'c'")],
      ['FK CONSTRAINT', constraints("'f'")],
      ['TRIGGER', triggers],
      ['COMMENT', comments],
      ['COMMENT', constraintComments],
    ),
  }
}
