// Detects dead connections: one that waits for an answer longer than its statements may take is cut, so that
// its caller gets an error and another connection takes its place. Idle connections are probed by the system
// (address.ts).
import type { Connection } from './connection.ts'

/** Milliseconds between two checks, and the time that an answer may take beyond the statement's own. */
export interface Patience {
  readonly everyMs: number
  readonly graceMs: number
}

export const PATIENCE: Patience = { everyMs: 5000, graceMs: 10_000 }

/** Statements of a batch that may take as long as one may: of more the others are quick. */
const MOST_SLOW = 3

interface Received {
  bytes: number
  at: number
}

/** Checks connections on a timer while there are any; calls do no work for it. */
export class DeadConnections {
  readonly #connections: ReadonlySet<Connection>
  readonly #free: readonly { readonly connection: Connection }[]
  readonly #statementMs: number
  readonly #patience: Patience
  readonly #lastReceived = new WeakMap<Connection, Received>()
  #timer: NodeJS.Timeout | undefined

  /**
   * Watches the connections of a live set, whose statements take `statementMs` at most; 0: without limit, and
   * nothing is watched. `free`: those of them that are idle at the moment.
   */
  constructor(
    connections: ReadonlySet<Connection>,
    free: readonly { readonly connection: Connection }[],
    statementMs: number,
    patience: Patience = PATIENCE,
  ) {
    this.#connections = connections
    this.#free = free
    this.#statementMs = statementMs
    this.#patience = patience
  }

  /** To be called when a connection was added. */
  start(): void {
    if (this.#statementMs > 0) this.#timer ??= setInterval(() => this.#look(), this.#patience.everyMs).unref()
  }

  #look(): void {
    if (this.#connections.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const now = performance.now()
    const silent = [...this.#connections].filter((connection) => this.#isOverdue(connection, now))
    for (const connection of silent) connection.cut()
    // The free ones lead to the same server: the next ones may find another. A goodbye would wait for it, and
    // keep their places.
    if (silent.length) for (const { connection } of this.#free) connection.destroy()
  }

  #isOverdue(connection: Connection, now: number): boolean {
    const { owed, received } = connection
    const last = this.#lastReceived.get(connection)
    if (owed === 0 || last?.bytes !== received) {
      this.#lastReceived.set(connection, { bytes: received, at: now })
      return false
    }
    return now - last.at > this.#statementMs * Math.min(owed, MOST_SLOW) + this.#patience.graceMs
  }
}
