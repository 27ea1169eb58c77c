// Copies a whole database to another PostgreSQL server while its tables are locked against changes: reading
// goes on. Uses several connections at a time, table by table, without a file.
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../errors.ts'
import { BELIEVED_BYTES, type ConnectionOptions, Copying, sqlState } from '../../postgres/index.ts'
import { type Item, type Objects, readObjects, type Table } from '../backup/objects.ts'

/** Tables, and later indexes, that are made at a time. */
const LINES = 4
/** Attempts to lock all tables while others write. */
const ATTEMPTS = 20

/** Tables that store transaction ids of the server, which start from the beginning on another one. */
const OF_TRANSACTIONS = ['comptoir_change', 'comptoir_change_before']

/** A database whose tables are locked against writes until `release`. */
export interface Held {
  readonly connection: Copying
  /** The session that holds it. */
  readonly pid: number
  release(): void
}

/**
 * Locks all tables for reading: writers wait. Throws PostgreSQL's errors, and UserError for objects that
 * would not be copied.
 */
export async function lockTables(address: ConnectionOptions): Promise<Held> {
  const connection = await Copying.connect(address)
  try {
    const [[pid] = []] = await connection.query('SELECT pg_backend_pid()')
    await lockAll(connection, 'SHARE')
    await assertOurs(connection)
    return { connection, pid: Number(pid), release: () => connection.destroy() }
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Objects that no module of Comptoir creates, and that a copy would lack. */
const STRANGE = `WITH own AS (SELECT objid FROM pg_depend WHERE deptype = 'e'),
    named AS (SELECT oid, nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema')
  SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN named n ON n.oid = c.relnamespace
    WHERE (n.nspname <> 'public' OR c.relkind NOT IN ('r', 'i', 'S', 'v') OR c.relrowsecurity) AND c.oid NOT IN (SELECT objid FROM own)
  UNION ALL SELECT format('type %I.%I', n.nspname, t.typname) FROM pg_type t JOIN named n ON n.oid = t.typnamespace
    WHERE t.typtype IN ('d', 'e', 'r') AND t.oid NOT IN (SELECT objid FROM own)
  UNION ALL SELECT format('large object %s', oid) FROM pg_largeobject_metadata LIMIT 1`

/** An object in the database that a copy would lack; null without one. */
export async function unknownObjectIn(connection: Copying): Promise<string | null> {
  const [strange] = await connection.query(STRANGE)
  return strange ? String(strange[0]) : null
}

async function assertOurs(connection: Copying): Promise<void> {
  const strange = await unknownObjectIn(connection)
  if (strange !== null)
    throw new UserError(
      `The database has objects that no module declares, so it cannot be moved: ${strange}. Remove them, or move the database with pg_dump and comptoir cluster add.`,
    )
}

const TABLES = `SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ' ORDER BY c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r'`

/** Locks all tables: against writes, or against changes of their columns. */
export async function lockAll(connection: Copying, mode: 'SHARE' | 'ACCESS SHARE'): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await connection.query('BEGIN')
    try {
      await connection.query("SET LOCAL lock_timeout = '3s'")
      const [before] = await connection.query(TABLES)
      await connection.query(`LOCK TABLE ${String(before?.[0])} IN ${mode} MODE`)
      const [after] = await connection.query(TABLES)
      if (after?.[0] === before?.[0]) return
      if (attempt >= ATTEMPTS)
        throw new UserError(
          'The tables of the database keep changing. Try again when no module is being installed or upgraded.',
        )
    } catch (error) {
      if (!['55P03', '40P01'].includes(sqlState(error) ?? '') || attempt >= ATTEMPTS) throw error
    }
    await connection.query('ROLLBACK')
  }
}

/** Tables, views and functions, made in an empty database while the other one is still written to. */
export interface Prepared {
  /** Statements that created them. */
  readonly statements: readonly string[]
}

export async function prepare(from: ConnectionOptions, to: ConnectionOptions): Promise<Prepared> {
  return withLines(1, from, to, async ([line]) => {
    const statements = (await readObjects(line.from, [])).before.map(({ statement }) => statement)
    await line.to.runAll(statements)
    return { statements }
  })
}

/**
 * Fills a prepared database with all contents of a held one, sessions and data kept for callers included;
 * only the change feed gets another name, as positions of the old one mean nothing on this server. Throws
 * UserError if tables changed since they were prepared.
 */
export async function copyDatabase(
  held: Held,
  from: ConnectionOptions,
  to: ConnectionOptions,
  { statements }: Prepared,
  tell?: (step: string, done: number) => void,
): Promise<void> {
  const objects = await readObjects(held.connection, [])
  if (objects.before.map(({ statement }) => statement).join() !== statements.join())
    throw new UserError('Tables were changed while the move began; try again.')
  await withLines(LINES, from, to, async (lines) => {
    const shift = await shiftOf(held.connection, objects.tables)
    await copyLines(lines, objects, { shift, ...(tell ? { tell } : {}) })
    for (const statement of renamedFeed(objects)) await lines[0].to.query(statement)
  })
}

export type Lines = readonly [Line, ...Line[]]

/** Runs work with so many connections to each of two databases. */
export async function withLines<T>(
  count: number,
  from: ConnectionOptions,
  to: ConnectionOptions,
  work: (lines: Lines) => Promise<T>,
): Promise<T> {
  const opened: Copying[] = []
  const open = async (address: ConnectionOptions) => {
    const connection = await Copying.connect(address)
    opened.push(connection)
    return connection
  }
  const line = async () => ({ from: await open(from), to: await open(to) })
  try {
    const lines: [Line, ...Line[]] = [await line()]
    while (lines.length < count) lines.push(await line())
    return await work(lines)
  } finally {
    for (const connection of opened) connection.destroy()
  }
}

interface Line {
  readonly from: Copying
  readonly to: Copying
}

interface Filling {
  /** Number that is subtracted from transaction ids, for another server. */
  readonly shift?: string
  /** Tables whose rows are left out. */
  readonly without?: readonly string[]
  readonly tell?: (step: string, done: number) => void
}

/** Copies the rows into existing tables, and creates the objects that come after them. */
export async function copyLines(lines: Lines, objects: Objects, filling: Filling): Promise<void> {
  // If the server crashes before the last statement, the copy is made again.
  for (const line of lines) await line.to.query('SET synchronous_commit = off')
  await copyRows(lines, objects, filling)
  await finish(lines, objects, filling.tell)
  await lines[0].to.query('SET synchronous_commit = on')
}

async function copyRows(
  lines: Lines,
  { tables }: Objects,
  { shift = '0', without = [], tell }: Filling,
): Promise<void> {
  const bySize = tables
    .filter(({ name, columns }) => columns.length > 0 && !without.includes(name))
    .sort((a, b) => b.bytes - a.bytes)
  const all = bySize.reduce((sum, { bytes }) => sum + bytes, 1)
  let done = 0
  await share(lines, bySize, async (line, { name, columns, bytes }) => {
    const list = columns.join(', ')
    const read = OF_TRANSACTIONS.includes(name)
      ? `(SELECT ${columns.map((column) => (column === 'tx' ? `tx - ${shift}` : column)).join(', ')} FROM ${name})`
      : `${name} (${list})`
    await pipeline(
      line.from.copyOut(`COPY ${read} TO STDOUT`),
      line.to.copyIn(`COPY ${name} (${list}) FROM STDIN`),
    )
    done += bytes
    tell?.('rows', (0.6 * done) / all)
  })
}

/**
 * The number to subtract, so that all copied transaction ids are below those that the other server will
 * assign.
 */
async function shiftOf(connection: Copying, tables: readonly Table[]): Promise<string> {
  const presentTables = OF_TRANSACTIONS.filter((name) => tables.some((table) => table.name === name))
  if (presentTables.length === 0) return '0'
  const [row] = await connection.query(
    `SELECT (1 + COALESCE(GREATEST(${presentTables.map((name) => `(SELECT max(tx) FROM ${name})`).join(', ')}), 0))::text`,
  )
  return String(row?.[0])
}

/** Counters; keys, indexes and statistics, table by table; then what refers to several tables. */
async function finish(lines: Lines, { tables, after }: Objects, tell: Filling['tell']): Promise<void> {
  const of = (...kinds: readonly Item['kind'][]) => after.filter(({ kind }) => kinds.includes(kind))
  const texts = (items: readonly Item[]) => items.map(({ statement }) => statement)
  await lines[0].to.runAll(texts(of('SEQUENCE SET')))
  const byTable = Map.groupBy(of('CONSTRAINT', 'INDEX', 'CHECK CONSTRAINT'), ({ table }) => table)
  const bySize = [...tables].sort((a, b) => b.bytes - a.bytes)
  let done = 0
  await share(lines, bySize, async (line, { name, bytes }) => {
    await line.to.runAll(texts(byTable.get(name) ?? []))
    if (bytes > BELIEVED_BYTES) await line.to.query(`ANALYZE ${name}`)
    tell?.('indexes', 0.6 + (0.3 * ++done) / tables.length)
  })
  tell?.('foreign keys', 0.95)
  await lines[0].to.runAll(texts(of('FK CONSTRAINT', 'TRIGGER', 'COMMENT')))
}

/** Followers of the feed begin again; webhooks, whose position the server keeps, go on where they are. */
function renamedFeed({ tables }: Objects): string[] {
  const has = (wanted: string) => tables.some(({ name }) => name === wanted)
  if (!has('comptoir_feed')) return []
  const rename = 'UPDATE comptoir_feed SET id = gen_random_uuid() RETURNING id'
  return [
    has('comptoir_webhook_position')
      ? `WITH renamed AS (${rename}) UPDATE comptoir_webhook_position SET feed = renamed.id FROM renamed, comptoir_feed old WHERE feed = old.id`
      : rename,
  ]
}

/** Each line takes the next one when it is done with one. */
async function share<T>(
  lines: readonly Line[],
  things: readonly T[],
  work: (line: Line, thing: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...things].reverse()
  let failed = false
  await Promise.all(
    lines.map(async (line) => {
      for (let next = waiting.pop(); next !== undefined && !failed; next = waiting.pop())
        await work(line, next).catch((error: unknown) => {
          failed = true
          throw error
        })
    }),
  )
}
