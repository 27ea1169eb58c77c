// The script of a backup, `dump.sql`: statements and table contents that psql runs too. Written from one
// snapshot, read back statement by statement.
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UserError } from '../../errors.ts'
import { assertWithin } from '../../limits.ts'
import type { Copying } from '../../postgres/index.ts'
import type { Meter } from './meter.ts'
import { type Objects, readObjects } from './objects.ts'
import { type StatementCheck, statementCheckOf } from './statement-check.ts'

/** The first line of Comptoir's scripts. */
export const FIRST_LINE = '-- Comptoir database dump 1\n'
/** Stands between two statements, as a statement may have many lines. */
const MARK = '\n-- %\n'
/** The last line: without it the script was cut. */
const LAST_LINE = '-- end of dump\n'
/** Ends the rows of a table; no row looks like it. */
const END_OF_ROWS = '\n\\.\n'

/** Tables whose rows are left out: sessions of one database must not be valid in a copy. */
const TRANSIENT = new Set(['browser_session', 'failed_login'])

/** Lists the objects of a backup as of one snapshot, which this function begins. */
export async function beginSnapshot(connection: Copying): Promise<Objects> {
  await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const { tables, ...rest } = await readObjects(connection)
  return { ...rest, tables: tables.filter(({ name, columns }) => !TRANSIENT.has(name) && columns.length > 0) }
}

/** The weight of all rows, for a meter. */
export const weightOf = ({ tables }: Objects): number => tables.reduce((sum, { bytes }) => sum + bytes, 0)

/** The rows of a table as COPY writes them; `meter` counts them. */
export async function* rowsOf(
  connection: Copying,
  { name, columns, bytes }: Objects['tables'][number],
  meter: Meter,
): AsyncGenerator<Buffer> {
  meter.begin(name, bytes)
  for await (const rows of connection.copyOut(`COPY ${name} (${columns.join(', ')}) TO STDOUT`)) {
    meter.add((rows as Buffer).length)
    yield rows as Buffer
  }
}

/** The script, piece by piece: never more in memory than the reader takes. */
export async function* writeScript(
  connection: Copying,
  objects: Objects,
  meter: Meter,
): AsyncGenerator<string | Buffer> {
  yield FIRST_LINE
  for (const { statement } of objects.before) yield `${statement}${MARK}`
  for (const table of objects.tables) {
    yield `COPY ${table.name} (${table.columns.join(', ')}) FROM stdin;\n`
    yield* rowsOf(connection, table, meter)
    yield `\\.${MARK}`
  }
  for (const { statement } of objects.after) yield `${statement}${MARK}`
  yield LAST_LINE
}

/** Views, functions and triggers are created by their modules, never by an uploaded file. */
const MADE_BY_MODULES = /^(?:COMMENT ON|CREATE(?: OR REPLACE)?) (?:FUNCTION|(?:CONSTRAINT )?TRIGGER|VIEW) /
const VIEW = /^CREATE VIEW (?:public\.)?(\w+|"(?:[^"]|"")+") /
/**
 * COPY for a table of the schema `public`: without the schema, PostgreSQL would take one of its own tables
 * first.
 */
const COPY = /^COPY (?:public\.)?(\w+|"(?:[^"]|"")+") (\([^()]*\)) FROM stdin;$/
/** No statement is longer: what has no end must not fill the memory, and judging one must not take long. */
const LONGEST = 256 * 1024

/**
 * Cost of a statement in time and locks, relative to one that only writes a catalogue row: an index or a key
 * creates files, a table also creates a table for long values.
 */
function costOf(statement: string): number {
  if (/^CREATE TABLE /.test(statement)) return 8
  return /^CREATE |^ALTER TABLE .*\b(?:KEY|UNIQUE|EXCLUDE|ADD GENERATED)\b/s.test(statement) ? 4 : 1
}

/** The statements of a backup, each judged and run in the connection's transaction. */
export class Script {
  readonly connection: Copying
  readonly #check: StatementCheck
  /** Names of views that were left to the modules. */
  readonly views: string[] = []
  /** Cost of the statements run so far. */
  #cost = 0

  private constructor(connection: Copying, check: StatementCheck) {
    this.connection = connection
    this.#check = check
  }

  static async begin(connection: Copying): Promise<Script> {
    // As the judge reads texts, whatever else is set for the role or the server.
    await connection.query('SET standard_conforming_strings = on')
    await connection.query('SET search_path = public')
    return new Script(connection, await statementCheckOf(connection))
  }

  /** Runs one statement. Throws UserError for what the judge objects to. */
  async run(statement: string): Promise<void> {
    const text = statement.trim()
    if (MADE_BY_MODULES.test(text)) {
      const view = VIEW.exec(text)?.[1]
      if (view) this.views.push(view.startsWith('"') ? view.slice(1, -1).replaceAll('""', '"') : view)
      return
    }
    const objection = text.length <= LONGEST ? this.#check(text) : 'it is too long'
    if (objection) throw refusedStatement(text, objection)
    this.#cost += costOf(text)
    assertWithin('backup-objects', this.#cost)
    await this.connection.query(text)
  }

  /** The input of a table's rows. Throws UserError for another statement than COPY. */
  rows(statement: string): Writable {
    const [, table, columns] = COPY.exec(statement.trim()) ?? []
    if (!table || !columns) throw refusedStatement(statement, 'it is not a plain COPY from the file')
    return this.connection.copyIn(`COPY public.${table} ${columns} FROM stdin`)
  }
}

/** Runs a script. Throws UserError for a script that is incomplete or not Comptoir's. */
export async function runScript(script: Script, content: Readable): Promise<void> {
  const reader = new ScriptReader(content)
  if ((await reader.upTo('\n')) !== FIRST_LINE.trimEnd()) throw foreignScriptError()
  for (;;) {
    const line = await reader.peekLine()
    if (line === LAST_LINE.trimEnd()) return
    if (line.startsWith('COPY ')) {
      const statement = await reader.upTo('\n')
      await reader.rowsInto(script.rows(statement))
      await reader.upTo(MARK)
    } else {
      await script.run(await reader.upTo(MARK))
    }
  }
}

/** The refusal of a backup with content that no Comptoir backup has, and the reason. */
export function refusedContent(reason: string): UserError {
  return new UserError(
    `The backup has contents that this server never writes, so nothing was restored: ${reason}.`,
  )
}

/** Letters and signs of a statement that is refused: enough to find it, on one line. */
const SHOWN = 120

function refusedStatement(statement: string, objection: string): UserError {
  const start = statement.slice(0, SHOWN).replace(/\s+/g, ' ').trim()
  return refusedContent(`${objection}, in “${start}${statement.length > SHOWN ? '…' : ''}”`)
}

export function foreignScriptError(): UserError {
  return new UserError('This file is not a Comptoir backup, or it is damaged.')
}

/** Reads a stream by marks, with a bounded look ahead. */
class ScriptReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** The text before the next `mark`, which is skipped. */
  async upTo(mark: string): Promise<string> {
    for (let from = 0; ; ) {
      const at = this.#rest.indexOf(mark, from)
      if (at >= 0) {
        const text = this.#rest.toString('utf8', 0, at)
        this.#rest = this.#rest.subarray(at + mark.length)
        return text
      }
      if (this.#rest.length > LONGEST + mark.length) throw foreignScriptError()
      from = Math.max(0, this.#rest.length - mark.length)
      await this.#more()
    }
  }

  /** The next line, which stays to be read. */
  async peekLine(): Promise<string> {
    while (!this.#rest.includes('\n')) {
      if (this.#rest.length > LONGEST) throw foreignScriptError()
      await this.#more()
    }
    return this.#rest.toString('utf8', 0, this.#rest.indexOf('\n'))
  }

  /** Passes rows on to a table until their end. */
  async rowsInto(table: Writable): Promise<void> {
    await pipeline(this.#rows(), table)
  }

  async *#rows(): AsyncGenerator<Buffer> {
    // The line feed before the end belongs to the last row; a table without rows ends at once.
    while (this.#rest.length < END_OF_ROWS.length - 1) await this.#more()
    if (this.#rest.subarray(0, 3).toString() === END_OF_ROWS.slice(1)) {
      this.#rest = this.#rest.subarray(2)
      return
    }
    for (;;) {
      const at = this.#rest.indexOf(END_OF_ROWS)
      if (at >= 0) {
        yield this.#rest.subarray(0, at + 1)
        // The line feed stays: it begins the mark.
        this.#rest = this.#rest.subarray(at + END_OF_ROWS.length - 1)
        return
      }
      const sure = this.#rest.length - (END_OF_ROWS.length - 1)
      if (sure > 0) yield this.#rest.subarray(0, sure)
      this.#rest = this.#rest.subarray(Math.max(0, sure))
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next()
    if (done) throw foreignScriptError()
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, value]) : value
  }
}
