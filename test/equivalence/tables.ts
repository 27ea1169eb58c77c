// Compares the contents of all tables, row by row, and says which request wrote the rows that differ.
import type pg from 'pg'
import type { Finding } from './answers.ts'
import { describeRequest, type Exchange } from './exchange.ts'
import type { Values } from './values.ts'

/** Tables that are not compared, and why. */
const IGNORED_TABLES: Readonly<Record<string, string>> = {
  comptoir_key_use: 'counts uses of keys by the clock',
  comptoir_node: 'lists running processes',
  comptoir_webhook_position: 'moves by the clock',
  comptoir_webhook_lease: 'held by running processes',
  comptoir_job_lease: 'held by running processes',
  dictionary_changes: 'tells processes by transaction ids when to read lookup tables again',
  comptoir_audit_seal: 'written by the clock, over moments',
  comptoir_audit_open: 'emptied by the clock',
  comptoir_audit_head: 'moves by the clock',
  comptoir_audit_shipped: 'moves by the clock',
  comptoir_upgrade: 'names the build that made the tables',
}

/** Columns of transaction ids, which differ by what else runs: their rank is compared. */
const TRANSACTION_COLUMNS: Readonly<Record<string, string>> = {
  comptoir_change: 'tx',
  comptoir_change_before: 'tx',
}

/** Tables that are written after the answers, in an order of chance: their rows are compared without ids. */
const UNORDERED_TABLES = new Set(['comptoir_audit'])

export interface Row {
  /** The primary key as JSON; the whole row if the table has no primary key. */
  readonly key: string
  readonly text: string
  /** The transaction that wrote it. */
  readonly xid: number
}

export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

export type Tables = ReadonlyMap<string, Table>

interface Shape {
  readonly columns: string[]
  readonly key: string[]
}

const SHAPES = `SELECT c.relname::text AS name,
    array_agg(a.attname::text ORDER BY a.attname) AS columns,
    COALESCE((SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_index i
      JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = ANY (i.indkey)
      WHERE i.indrelid = c.oid AND i.indisprimary), '{}') AS key
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
  GROUP BY c.oid, c.relname ORDER BY c.relname`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export async function shapesOf(db: pg.Client): Promise<Map<string, Shape>> {
  const { rows } = await db.query<Shape & { name: string }>(SHAPES)
  return new Map(rows.filter(({ name }) => !(name in IGNORED_TABLES)).map((row) => [row.name, row]))
}

/** Reads all tables that are compared; only columns named in `shared`, where it is given. */
export async function readTables(
  db: pg.Client,
  shared?: ReadonlyMap<string, readonly string[]>,
): Promise<Tables> {
  const tables = new Map<string, Table>()
  for (const [name, shape] of await shapesOf(db)) {
    const isUnordered = UNORDERED_TABLES.has(name)
    const all = shared ? (shared.get(name) ?? []) : shape.columns
    const columns = isUnordered ? all.filter((column) => column !== 'id') : all
    if (columns.length === 0) continue
    const list = columns.map((column) => `t.${quoted(column)}`).join()
    const rank = 'row_number() OVER (ORDER BY (to_jsonb(r) - \'time\')::text, r."time")'
    const key = isUnordered ? rank : shape.key.map((column) => `t.${quoted(column)}`).join()
    const source = sourceOf(name, shape.columns)
    const { rows } = await db.query<Row>(
      `SELECT ${key ? `json_build_array(${key})` : 'row_to_json(r)'}::text AS key, row_to_json(r)::text AS text, t.xid
       FROM ${source} t CROSS JOIN LATERAL (SELECT ${list}) r ORDER BY ${key || 'row_to_json(r)::text'}`,
    )
    tables.set(name, { name, columns, rows })
  }
  return tables
}

/** A table with the transaction that wrote each row, and with ranks in the place of transaction ids. */
function sourceOf(name: string, columns: readonly string[]): string {
  const transaction = TRANSACTION_COLUMNS[name]
  const list = columns.map((column) =>
    column === transaction
      ? `dense_rank() OVER (ORDER BY ${quoted(column)}) AS ${quoted(column)}`
      : quoted(column),
  )
  return `(SELECT xmin::text::float8 AS xid, ${list.join()} FROM ${quoted(name)})`
}

/** Columns that both databases have, by table; and what only one of them has, as lines for people. */
export async function sharedColumns(
  old: pg.Client,
  other: pg.Client,
): Promise<{ readonly shared: Map<string, string[]>; readonly notes: string[] }> {
  const [ones, others] = [await shapesOf(old), await shapesOf(other)]
  const shared = new Map<string, string[]>()
  const notes: string[] = []
  for (const name of new Set([...ones.keys(), ...others.keys()])) {
    const [oldColumns, two] = [ones.get(name)?.columns, others.get(name)?.columns]
    if (!oldColumns || !two) {
      notes.push(`table ${name} is only in the ${oldColumns ? 'old' : 'new'} database`)
      continue
    }
    const both = oldColumns.filter((column) => two.includes(column))
    shared.set(name, both)
    for (const [side, columns] of [['old', oldColumns] as const, ['new', two] as const])
      for (const column of columns)
        if (!both.includes(column)) notes.push(`column ${name}.${column} is only in the ${side} database`)
  }
  return { shared, notes }
}

/** Finds the request during which a transaction began. */
export function requestOf(exchanges: readonly Exchange[], xid: number): Exchange | undefined {
  const sorted = exchanges.filter(({ nextXid }) => nextXid > 0)
  // The first answer after which the transaction was known.
  return sorted.find(({ nextXid }) => nextXid > xid)
}

export interface Written {
  readonly old: readonly Exchange[]
  readonly new: readonly Exchange[]
}

/** Differences of two states, at most one a table; those of `known` are left out. */
export function compareTables(
  values: Values,
  [old, other]: readonly [Tables, Tables],
  written: Written,
  knownMarks: ReadonlySet<string>,
): Finding[] {
  const findings: (Finding & { readonly xid: number })[] = []
  for (const [name, table] of old) {
    const counterpart = other.get(name)
    if (!counterpart) continue
    const [first, ...more] = differencesOf(values, table, counterpart).filter(
      ({ mark }) => !knownMarks.has(mark),
    )
    if (!first) continue
    const exchanges = first.side === 'old' ? written.old : written.new
    const request = requestOf(exchanges, first.xid)
    findings.push({
      what: `table ${name} differs`,
      request: request ? describeRequest(request) : 'unknown: before the first request of the phase',
      detail: `${first.text}${more.length ? `\n  and ${more.length} more differences in this table` : ''}`,
      xid: first.xid,
    })
  }
  return findings.sort((finding, two) => finding.xid - two.xid)
}

interface RowDifference {
  /** Names the difference, so that it can be known again. */
  readonly mark: string
  readonly text: string
  readonly side: 'old' | 'new'
  readonly xid: number
}

/** Marks of all differences of two states. */
export function marksOf(values: Values, [old, other]: readonly [Tables, Tables]): Set<string> {
  const marks = new Set<string>()
  for (const [name, table] of old) {
    const counterpart = other.get(name)
    if (counterpart) for (const { mark } of differencesOf(values, table, counterpart)) marks.add(mark)
  }
  return marks
}

function differencesOf(values: Values, old: Table, other: Table): RowDifference[] {
  const counterparts = new Map(other.rows.map((row) => [row.key, row]))
  const differences: RowDifference[] = []
  for (const row of old.rows) {
    const counterpart = counterparts.get(row.key)
    counterparts.delete(row.key)
    if (!counterpart) {
      const text = `row ${row.key} is missing on the new side: ${row.text.slice(0, 800)}`
      differences.push({ mark: `${old.name} ${row.key} -`, text, side: 'old', xid: row.xid })
      continue
    }
    const differs = values.ofTexts(row.text, counterpart.text)
    if (!differs) continue
    differences.push({
      mark: `${old.name} ${row.key} ${differs.path} ${differs.old} ${differs.new}`,
      text: `row ${row.key}, column ${differs.path}\n  old: ${differs.old}\n  new: ${differs.new}`,
      side: 'old',
      xid: row.xid,
    })
  }
  for (const row of counterparts.values()) {
    const text = `row ${row.key} is only on the new side: ${row.text.slice(0, 800)}`
    differences.push({ mark: `${old.name} ${row.key} +`, text, side: 'new', xid: row.xid })
  }
  return differences.sort((difference, two) => difference.xid - two.xid)
}
