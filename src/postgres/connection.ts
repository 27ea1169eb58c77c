// One connection to PostgreSQL: pipelined, prepared, with the session settings that the rest of the project
// relies on.

import { connect } from 'node:net'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { present } from '../kit/present.ts'
import { flushing, watch } from '../kit/watch/index.ts'
import type { ConnectionOptions } from './address.ts'
import { mustLead, sessionSettings } from './address.ts'
import { Batch, type Item } from './batch.ts'
import { isDemoted, isStalePlan } from './errors.ts'
import { PreparedStatements, statementName } from './prepared.ts'
import { reach, tryOthersFirst } from './reach.ts'
import { TransactionPooling } from './transaction-pooling.ts'
import { encodeAll } from './values.ts'

export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether it is planned for its values each time, and so never prepared. */
  readonly each?: boolean | undefined
}

/** Milliseconds for a request to stop something to be taken. */
const CANCEL_MS = 3000

const nothing = (): void => undefined

/**
 * Lets code that awaits it go on between the promises of this turn; `queueMicrotask` does the same at a
 * higher price.
 */
const settled = Promise.resolve()

export class Connection {
  readonly #client: pg.Client
  readonly #prepared = new PreparedStatements()
  /** The batch that failed, until PostgreSQL is ready for the next. */
  #broken: { readonly batch: Batch; readonly error: unknown } | null = null
  #failure: Error | undefined
  #closing = false
  #inFlight = 0
  /**
   * Whether statements have no timeout at the moment; the code that sets it resets it before it releases the
   * connection.
   */
  patient = false
  #corked = false
  /** Key that PostgreSQL requires in a cancel request. */
  #key: { readonly processID: number; readonly secretKey: number } | undefined
  readonly #uncork = (): void => {
    this.#corked = false
    this.#socket.uncork()
  }
  readonly #uncorkSoon = (): void => process.nextTick(this.#uncork)
  /** Includes reads that are put together at the end of the turn (models/load/values.ts). */
  readonly #uncorkLater = (): void => process.nextTick(this.#uncorkSoon)

  /** Behind a pooler that lends connections to transactions. */
  readonly #lent: TransactionPooling | null

  private constructor(client: pg.Client, lent: TransactionPooling | null) {
    this.#client = client
    this.#lent = lent
  }

  /**
   * Connects and authenticates. Throws the driver's error when it cannot (`translate` makes it an answer).
   */
  static async connect(options: ConnectionOptions): Promise<Connection> {
    const lent =
      options.pooler === 'transaction'
        ? new TransactionPooling(sessionSettings(options), mustLead(options))
        : null
    let connection: Connection | undefined
    await reach(options, (client) => {
      // Each host that is tried has a client of its own; the last one is connected.
      const candidate = new Connection(client, lent)
      connection = candidate
      // Without a listener a lost connection would end the process; the queries in flight are rejected by
      // themselves.
      client.on('error', (error) => candidate.#lost(error))
      client.on('end', () => candidate.#lost(new Error('Connection terminated')))
      client.connection.on('readyForQuery', () => candidate.#settle())
      client.connection.on('backendKeyData', (key) => {
        candidate.#key = key
      })
    })
    return present(connection)
  }

  /** False once the connection is lost or closed: it takes no more statements. */
  get usable(): boolean {
    return this.#failure === undefined && !this.#closing
  }

  /** True when nothing is in flight and no transaction is open: the connection may be lent again. */
  get idle(): boolean {
    return this.#inFlight === 0 && this.#client.getTransactionStatus() === 'I'
  }

  /**
   * Answers that PostgreSQL owes. A patient connection's statements may take as long as they like: it owes
   * none.
   */
  get owed(): number {
    return this.patient ? 0 : this.#inFlight
  }

  /** Bytes that came so far. */
  get received(): number {
    const socket = this.#socket
    return 'bytesRead' in socket && typeof socket.bytesRead === 'number' ? socket.bytesRead : 0
  }

  /**
   * Sends one statement, prepared on repetition, and gives its rows as arrays. Statements sent without
   * awaiting leave together in one write, and PostgreSQL works on them in order. Throws the driver's
   * DatabaseError, or an error for which `isConnectionLost` holds. Inside a failed transaction later
   * statements fail with SQLSTATE 25P02.
   */
  query(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    return present(this.#send([{ text, values }])[0])
  }

  /**
   * Sends all statements as one batch; one promise of rows each, none of which has to be awaited. They share
   * a transaction unless they open one. If one fails, PostgreSQL skips those after it, and they fail with the
   * same error.
   */
  flush(queries: readonly Query[]): Promise<unknown[][]>[] {
    return this.#send(queries)
  }

  #send(requested: readonly Query[]): Promise<unknown[][]>[] {
    let values: Item['values'][]
    try {
      values = requested.map((query) => encodeAll(query.values))
    } catch (error) {
      // Of a batch that cannot leave whole nothing leaves.
      const refused = Promise.reject(error)
      refused.catch(() => undefined)
      return requested.map(() => refused)
    }
    const { queries, at, added } = this.#lent?.dress(requested, this.patient) ?? {
      queries: requested,
      at: 0,
      added: 0,
    }
    if (added) values.splice(at, 0, ...Array.from({ length: added }, () => []))
    this.#cork()
    if (this.#prepared.isStale && this.idle) this.#forgetPrepared()
    const items: Item[] = []
    const answers = queries.map(({ text, each }, i) =>
      this.#track<unknown[][]>((settle) => {
        const name = each || this.#lent ? undefined : statementName(text)
        items.push(this.#prepared.item(name, text, values[i] ?? [], settle))
      }),
    )
    this.#client.query(
      new Batch(items, this.#prepared.endBatch(), (batch, error) => this.#fail(batch, error)),
    )
    if (added) answers.splice(at, added)
    if (watch.isOn) {
      const landed = flushing(() => requested.map(({ text }) => text))
      answers.at(-1)?.then(
        () => landed(false),
        () => landed(true),
      )
    }
    return answers
  }

  /**
   * Runs a script of several statements without parameters (DDL) in one round trip, as one transaction unless
   * the script has its own.
   */
  simple(script: string): Promise<void> {
    this.#lent?.note(script)
    return this.#track((done) => this.#client.query(script, (error: Error | null) => done(error, undefined)))
  }

  /** Calls `handler` with the payload of every NOTIFY on `channel` from now on. */
  async listen(channel: string, handler: (payload: string) => void): Promise<void> {
    this.#client.on('notification', (message) => {
      if (message.channel === channel) handler(message.payload ?? '')
    })
    await this.simple(`LISTEN ${pg.escapeIdentifier(channel)}`)
  }

  /** Calls `handler` once when the connection is lost or closed. */
  onEnd(handler: () => void): void {
    if (this.#failure) handler()
    else this.#client.once('end', handler)
  }

  /** Closes the connection after the statements in flight; never throws. */
  async close(): Promise<void> {
    if (this.#closing) return
    this.#closing = true
    await this.#client.end()
  }

  /** Cuts the connection at once; statements in flight fail, the server rolls their transaction back. */
  destroy(): void {
    this.#closing = true
    this.#socket.destroy()
  }

  /**
   * Asks the server to cancel the running statement, which then fails as cancelled by its user. Uses a
   * connection of its own, and may come too late.
   */
  cancel(): void {
    if (this.#inFlight === 0 || !this.#key) return
    const { host, port } = this.#client
    const line = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    line.on('error', nothing)
    line.setTimeout(CANCEL_MS, () => line.destroy())
    line.end(serialize.cancel(this.#key.processID, this.#key.secretKey))
  }

  /**
   * Closes a connection that no longer receives anything; statements in flight fail as those of a lost
   * connection.
   */
  cut(): void {
    tryOthersFirst(this.#client)
    this.#socket.destroy(new Error('Connection terminated: the server gave no answer in time'))
  }

  get #socket() {
    return this.#client.connection.stream
  }

  #fail(batch: Batch, error: unknown): void {
    // It is not known whether it was prepared before it failed.
    this.#prepared.drop(batch.fresh)
    this.#broken = { batch, error }
    if (isDemoted(error)) this.#failure ??= error
  }

  /** Reports the failure from which PostgreSQL has recovered, or from which it never will. */
  #settle(): void {
    const broken = this.#broken
    this.#broken = null
    broken?.batch.finish(broken.error)
  }

  /**
   * Counts a statement in flight and marks its promise as handled: a caller that needs the failure awaits it.
   */
  #track<T>(start: (done: (error: unknown, result: T) => void) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#inFlight++
    start((error, result) => {
      this.#inFlight--
      if (!error) return resolve(result)
      if (isStalePlan(error)) this.#prepared.isStale = true
      // The caller of a pipelined batch awaits the first failure; the failures that follow from it must not
      // end the process.
      promise.catch(nothing)
      reject(error)
    })
    return promise
  }

  /**
   * Holds the socket's writes back until the current turn is over, promises that are settled already
   * included, so that statements of one turn leave as one packet: every packet is a call of the system and
   * wakes a process of the server.
   */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    this.#socket.cork()
    // A tick requested between two promises comes after the last of them.
    void settled.then(this.#uncorkLater)
  }

  /** Only between transactions: inside a failed one DEALLOCATE itself would fail. */
  #forgetPrepared(): void {
    this.#prepared.clear()
    void this.simple('DEALLOCATE ALL')
  }

  #lost(error: Error): void {
    this.#failure ??= error
    this.#settle()
  }
}
