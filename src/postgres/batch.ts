// Batches: several statements sent as one piece of the extended protocol, with one Sync behind them. A batch of two costs PostgreSQL one
// transaction and one answer, and statements that are prepared already are not described again.
import pg from 'pg'
import { Messages } from './messages.ts'
import { type Parser, types } from './values.ts'

/** One statement of a batch. */
export interface Item {
  readonly text: string
  readonly values: readonly unknown[]
  /** The name that it is prepared under; undefined for one that is not kept. */
  readonly name: string | undefined
  /** Whether the connection has it under that name. */
  readonly known: boolean
  /** How its columns are read: filled in when PostgreSQL describes them, before the first row. */
  readonly columns: Columns
  settle(error: unknown, rows: unknown[][]): void
}

export interface Columns {
  parsers: readonly Parser[]
}

/** What the driver calls with PostgreSQL's answers. A failure is told to all statements that had not finished: they are not run. */
export class Batch {
  readonly #items: readonly Item[]
  /** Takes what goes wrong in PostgreSQL: the batch is settled when PostgreSQL is ready for the next. */
  readonly #failed: (batch: Batch, error: unknown) => void
  readonly #answers: unknown[][][] = []
  #rows: unknown[][] = []

  constructor(items: readonly Item[], failed: (batch: Batch, error: unknown) => void) {
    this.#items = items
    this.#failed = failed
  }

  /** Names under which it prepares something. */
  get fresh(): string[] {
    return this.#items.flatMap(({ name, known }) => (name === undefined || known ? [] : [name]))
  }

  submit(connection: { stream: { write(bytes: Buffer): unknown } }): void {
    const messages = new Messages()
    for (const { text, values, name, known } of this.#items) {
      if (!known) messages.parse(name ?? '', text)
      messages.bind(name ?? '', values)
      if (!known) messages.describe()
      messages.execute()
    }
    connection.stream.write(messages.sync())
  }

  handleRowDescription({ fields }: { fields: readonly { dataTypeID: number }[] }): void {
    const item = this.#items[this.#answers.length] as Item
    item.columns.parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { parsers } = (this.#items[this.#answers.length] as Item).columns
    const row: unknown[] = new Array(fields.length)
    for (let i = 0; i < fields.length; i++) {
      const text = fields[i] as string | null
      row[i] = text === null ? null : (parsers[i] as Parser)(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete(): void {
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
    for (const [i, item] of this.#items.entries()) {
      const rows = this.#answers[i]
      if (rows) item.settle(null, rows)
      else item.settle(error ?? new Error('The statement gave no answer.'), [])
    }
  }
}

// The driver lets nothing but queries of its own into a pipeline, for what others do between two answers. A batch sends all it has at once.
Object.setPrototypeOf(Batch.prototype, pg.Query.prototype)
