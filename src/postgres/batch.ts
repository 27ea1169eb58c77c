// Batches: several statements sent as one piece of the extended protocol, with one Sync after them. A batch
// of two costs PostgreSQL one transaction and one answer, and prepared statements are not described again.
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { type Parser, types } from './values.ts'

/** One statement of a batch. */
export interface Item {
  readonly text: string
  /** As `encode` gives them (values.ts). */
  readonly values: readonly (string | Buffer | null)[]
  /** The name that it is prepared under; undefined for one that is not kept. */
  readonly name: string | undefined
  /** Whether the connection has it under that name. */
  readonly isPrepared: boolean
  /** Description of its columns. */
  readonly columns: Columns
  settle(error: unknown, rows: unknown[][]): void
}

export interface Columns {
  /**
   * Null until PostgreSQL has described them: a statement may be known already while its description is still
   * under way.
   */
  parsers: readonly Parser[] | null
  /** The messages that execute a known and described statement without values: they are always the same. */
  bytes?: Buffer
}

/**
 * A query object that the driver calls with PostgreSQL's answers. A failure rejects all statements that had
 * not finished: PostgreSQL does not run them. It replaces the driver's own queries, which cannot be
 * pipelined, as they may keep a portal open between two answers.
 */
export class Batch extends pg.Query {
  readonly #items: readonly Item[]
  /** Prepared statements to deallocate, before anything can fail. */
  readonly #closing: readonly string[]
  /** Receives PostgreSQL's errors: the batch is settled when PostgreSQL is ready for the next. */
  readonly #failed: (batch: Batch, error: unknown) => void
  readonly #answers: unknown[][][] = []
  /** Statements whose rows could not be read; null where all could. */
  #unread: Map<number, unknown> | null = null
  #rows: unknown[][] = []

  constructor(
    items: readonly Item[],
    closing: readonly string[],
    failed: (batch: Batch, error: unknown) => void,
  ) {
    super('')
    this.#items = items
    this.#closing = closing
    this.#failed = failed
  }

  /** Names under which it prepares something. */
  get fresh(): string[] {
    return this.#items.flatMap(({ name, isPrepared }) => (name === undefined || isPrepared ? [] : [name]))
  }

  override submit = (connection: { readonly stream: { write(bytes: Buffer): unknown } }): void => {
    const messages: Buffer[] = this.#closing.map((name) => serialize.close({ type: 'S', name }))
    for (const item of this.#items) {
      const { text, values, name, isPrepared, columns } = item
      if (columns.bytes && isPrepared) {
        messages.push(columns.bytes)
        continue
      }
      // Closes the name first: after a failure it is not known whether PostgreSQL has it.
      if (!isPrepared && name !== undefined) messages.push(serialize.close({ type: 'S', name }))
      if (!isPrepared) messages.push(serialize.parse({ name: name ?? '', text }))
      const bound = serialize.bind({ statement: name ?? '', values: values as (string | Buffer | null)[] })
      messages.push(bound)
      if (!columns.parsers) messages.push(serialize.describe({ type: 'P' }))
      else if (isPrepared && values.length === 0) columns.bytes = Buffer.concat([bound, serialize.execute()])
      messages.push(serialize.execute())
    }
    messages.push(serialize.sync())
    connection.stream.write(Buffer.concat(messages))
  }

  /** Those of the statement that PostgreSQL is answering. */
  get #columns(): Columns {
    const item = this.#items[this.#answers.length]
    if (!item) throw new Error('PostgreSQL answered more statements than were sent.')
    return item.columns
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    this.#columns.parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const at = this.#answers.length
    try {
      this.#rows.push(rowOf(fields, this.#columns.parsers ?? []))
    } catch (error) {
      // Thrown from here it would end the process.
      this.#unread ??= new Map()
      this.#unread.set(at, error)
    }
  }

  handleCommandComplete(): void {
    // No rows were announced: there are none to read.
    this.#columns.parsers ??= []
    this.#answers.push(this.#rows)
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleReadyForQuery(): void {
    this.finish(null)
  }

  handleError(error: unknown): void {
    if (error instanceof pg.DatabaseError) this.#failed(this, error)
    else this.finish(error)
  }

  /** Gives every statement its rows, or the failure. */
  finish(error: unknown): void {
    for (let i = 0; i < this.#items.length; i++) {
      const rows = this.#answers[i]
      if (rows) this.#items[i]?.settle(this.#unread?.get(i) ?? null, rows)
      else this.#items[i]?.settle(error ?? new Error('The statement gave no answer.'), [])
    }
  }
}

function rowOf(fields: readonly (string | null)[], parsers: readonly Parser[]): unknown[] {
  const row: unknown[] = new Array(fields.length)
  for (let i = 0; i < fields.length; i++) {
    const [text, parse] = [fields[i] as string | null, parsers[i]]
    if (text !== null && !parse) throw new Error('A column that PostgreSQL did not describe.')
    row[i] = text === null || !parse ? null : parse(text)
  }
  return row
}
