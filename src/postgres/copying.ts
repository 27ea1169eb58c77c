// A connection for whole tables: COPY in and out as streams, for backups. It waits as long as the other side
// takes.
import type { Readable, Writable } from 'node:stream'
import type pg from 'pg'
import { from, to } from 'pg-copy-streams'
import type { ConnectionOptions } from './address.ts'
import { reach } from './reach.ts'

export class Copying {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  /** Connects. Throws the driver's error when it cannot. */
  static async connect(options: ConnectionOptions): Promise<Copying> {
    // The statement in flight reports a lost connection; without a listener it would end the process.
    const prepare = (client: pg.Client) => client.on('error', () => undefined)
    // COPY needs the connection exclusively: nothing may be sent while it runs.
    return new Copying(
      await reach({ ...options, statementTimeout: 0, idleInTransactionTimeout: 0 }, prepare, {
        pipeline: false,
      }),
    )
  }

  /**
   * Runs exactly one statement without parameters: a text that holds several is refused by PostgreSQL. Rows
   * as arrays.
   */
  async query(text: string): Promise<unknown[][]> {
    const config: pg.QueryArrayConfig & { queryMode: 'extended' } = {
      text,
      rowMode: 'array',
      queryMode: 'extended',
    }
    return (await this.#client.query(config)).rows as unknown[][]
  }

  /** Runs trusted statements in one transaction, in one message. */
  async runAll(statements: readonly string[]): Promise<void> {
    await this.#client.query(statements.join('\n'))
  }

  /** The output of a `COPY … TO STDOUT`. */
  copyOut(statement: string): Readable {
    return this.#client.query(to(statement))
  }

  /** The input of a `COPY … FROM STDIN`; rows are in when it has finished. */
  copyIn(statement: string): Writable {
    return this.#client.query(from(statement))
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  /** Cuts the connection at once, whatever it was doing. */
  destroy(): void {
    ;(this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }
}
