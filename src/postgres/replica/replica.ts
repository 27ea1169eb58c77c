// A server that follows the primary one, as the calls of one database use it: connections, how far it was
// seen to have followed, and how old what it shows may be.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PeerHealth } from '../../kit/peer-health.ts'
import type { Connection } from '../connection.ts'
import { ofReplica } from '../hosts.ts'
import type { PoolOptions } from '../options.ts'
import { Pool } from '../pool.ts'
import { type Position, positionIn, positionOf, SYSTEM, tokenOf } from './position.ts'

export interface ReplicaOptions {
  readonly url: string
  /** Milliseconds by which what it shows may be old. */
  readonly lagMs: number
  /** One for all databases of the process. */
  readonly health: PeerHealth
}

/** Milliseconds that a call waits for it to follow, and between two looks. */
const REACH_MS = 50
const LOOK_MS = 2

/** Milliseconds in which calls do not wait for the replica after it was once too late. */
const PAUSE_MS = 500

/**
 * Milliseconds for a connection to it to come about, and that a call waits for one: busy is not the same as
 * silent.
 */
const CONNECT_MS = 3000
const ACQUIRE_MS = 500

const FOLLOWED = 'SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()::text'

export class Replica {
  readonly pool: Pool
  readonly #system: string
  readonly #options: ReplicaOptions
  /** Connections that were checked to lead to a replica of this server. */
  readonly #known = new WeakSet<Connection>()
  /** Last position that the replica was seen to have replayed. */
  #seen: Position = 0
  /** A moment at which the primary server was where this one is by now, and one that it may reach next. */
  #level = Number.NEGATIVE_INFINITY
  #mark: { readonly at: number; readonly position: Position } | null = null
  #looking: Promise<Position> | undefined
  #pausedUntil = 0

  /** `system`: the number of the server that it is to be a replica of; `pool`: as for the primary server. */
  constructor(system: string, pool: PoolOptions, options: ReplicaOptions) {
    this.#system = system
    this.#options = options
    const { health } = options
    const { makeRoom: _, host, port, user, password, pooler, ...others } = pool
    this.pool = new Pool({
      ...others,
      url: ofReplica(options.url),
      connectTimeout: Math.min(pool.connectTimeout ?? CONNECT_MS, CONNECT_MS),
      acquireTimeoutMs: ACQUIRE_MS,
      refusal: (error) => {
        health.failed(error)
        return error
      },
    })
  }

  /** Whether calls may go there now. One that failed is tried again meanwhile. */
  get isUsable(): boolean {
    const { health } = this.#options
    if (health.mayTry())
      this.#look().then(
        () => health.worked(),
        (error: unknown) => health.failed(error),
      )
    return health.isWell
  }

  /** It failed a call. */
  failed(reason: unknown): void {
    this.#options.health.failed(reason)
    this.pool.shed()
  }

  /** A position as callers carry it. */
  token(position: Position): string {
    return tokenOf(this.#system, position)
  }

  /** The position of a caller's token; null if it is not one of this server. */
  position(token: string): Position | null {
    return positionIn(token, this.#system)
  }

  /**
   * Reads over a connection how far the replica has replayed: before the snapshot of the statements that
   * follow. Rejects if the server is not a replica.
   */
  async followed(connection: Connection): Promise<Position> {
    const isKnown = this.#known.has(connection)
    const [row] = await connection.query(isKnown ? FOLLOWED : `${FOLLOWED}, ${SYSTEM}`)
    const [follows, position, system] = row ?? []
    if (follows !== true || (!isKnown && system !== this.#system)) {
      const reason = new Error('The configured replica is not a replica of this server.')
      this.failed(reason)
      throw reason
    }
    this.#known.add(connection)
    const followed = positionOf(position)
    if (followed > this.#seen) this.#seen = followed
    if (this.#mark && this.#mark.position <= this.#seen) {
      this.#level = this.#mark.at
      this.#mark = null
    }
    return followed
  }

  /** The primary server was at `position` at a moment (by `performance.now()`). */
  note(position: Position, at: number): void {
    if (position <= this.#seen) this.#level = at
    else this.#mark ??= { at, position }
  }

  /** Whether nothing of what it shows is older than it may be. */
  get isRecent(): boolean {
    return this.#level >= performance.now() - this.#options.lagMs
  }

  /** Whether it has followed to a position, now or in a moment. */
  async reaches(position: Position): Promise<boolean> {
    if (this.#seen >= position) return true
    const begun = performance.now()
    if (begun < this.#pausedUntil) return false
    for (;;) {
      await this.#look()
      if (this.#seen >= position) return true
      if (performance.now() > begun + REACH_MS) break
      await sleep(LOOK_MS)
    }
    this.#pausedUntil = performance.now() + PAUSE_MS
    return false
  }

  /** Concurrent callers share one answer. */
  #look(): Promise<Position> {
    this.#looking ??= this.pool
      .use((connection) => this.followed(connection))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }
}
