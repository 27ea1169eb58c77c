// Judges the statements of a backup that somebody else may have made. They run with the rights of the server's own role, so that a default
// or a check could read files or start programs: what calls functions with effects, or reads PostgreSQL's own tables, is refused.
import type { Copying } from '../../postgres/index.ts'

/** Functions that give another value each time and do nothing else. */
const HARMLESS = new Set(['nextval', 'currval', 'random', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'clock_timestamp', 'timeofday'])

/**
 * Names of functions with effects, and of those that tell of the server or read what a text names (`pg_stat_get_activity`, `table_to_xml`, `current_setting`); names of
 * PostgreSQL's own tables and views; extensions that need no trust.
 */
const NAMES = `SELECT 'function', proname::text FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (provolatile = 'v' OR provolatile = 's' AND (proname ~ '^pg_|_to_xml' OR proname = 'current_setting'))
  UNION SELECT 'table', relname::text FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind IN ('r', 'v')
  UNION SELECT 'extension', name::text FROM pg_available_extension_versions WHERE trusted`

/** Texts, with and without backslashes; quoted names; names; every other sign. */
const TOKEN =
  /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*'|'[^']*'|"((?:[^"]|"")+)"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|--|\/\*|[\s\S]/g
/** Signs that begin what is not read here: comments, texts with marks of their own, texts without an end. No backup has them. */
const STRANGE = new Set(['--', '/*', '$', "'", '"'])

const EXTENSION = /^CREATE EXTENSION IF NOT EXISTS "?([\w-]+)"?(?: WITH SCHEMA public)?;$/
/** Extensions that databases of this kind use. Others that need no trust bring languages, or functions that run the text they are given (`tablefunc`). */
const EXTENSIONS = new Set(['btree_gin', 'btree_gist', 'citext', 'fuzzystrmatch', 'hstore', 'intarray', 'ltree', 'pg_trgm', 'unaccent'])
/** Schemas that hold PostgreSQL's own data under names that are no names of tables. */
const CLOSED = new Set(['pg_toast', 'pg_temp'])

/** Why a statement has no place in a backup, or null. */
export type Judge = (statement: string) => string | null

/** A judge who knows the functions, tables and extensions of the connection's server. */
export async function judgeOf(connection: Copying): Promise<Judge> {
  const known = await connection.query(NAMES)
  const named = (kind: string) => new Set(known.filter((row) => row[0] === kind).map((row) => String(row[1])))
  const [functions, tables, extensions] = [named('function'), named('table'), named('extension')]
  return (statement) => {
    if (statement.startsWith('CREATE EXTENSION ')) {
      const name = EXTENSION.exec(statement)?.[1]
      return name !== undefined && EXTENSIONS.has(name) && extensions.has(name)
        ? null
        : `the extension ${name ?? ''} is not there or not for everybody`
    }
    if (statement.startsWith('COMMENT ON ') || statement.startsWith('SELECT pg_catalog.setval(')) return null
    return strangeness(statement, functions, tables)
  }
}

function strangeness(statement: string, functions: ReadonlySet<string>, tables: ReadonlySet<string>): string | null {
  const isView = statement.startsWith('CREATE VIEW ')
  for (const { 0: token, 1: quoted, 2: plain, index } of statement.matchAll(TOKEN)) {
    if (STRANGE.has(token)) return `it holds ${token}`
    const name = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase()
    if (name === undefined) continue
    const rest = statement.slice(index + token.length, index + token.length + 100)
    if (plain && name === 'u' && /^&['"]/.test(rest)) return 'it spells names by numbers'
    if (plain && name === 'select' && !isView) return 'it selects'
    if (tables.has(name) || CLOSED.has(name)) return `it reads ${name}`
    if (functions.has(name) && !HARMLESS.has(name) && /^\s*(\(|$)/.test(rest)) return `it calls ${name}`
  }
  return null
}
