// Calls that only read, done on a replica: checked to show what the caller must see, under rights as they are
// now, and done on the primary server where anything at all is wrong with that (docs/decisions/0041).
import type { Caller } from '../../access/index.ts'
import type { Database } from '../../databases/index.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { watch } from '../../kit/watch/index.ts'
import {
  type Connection,
  isConnectionLost,
  POSITION,
  type Pool,
  type Position,
  positionOf,
  type Replica,
} from '../../postgres/index.ts'
import { causeOf } from '../failures.ts'
import type { Answer, Call, RequestPreferences } from '../request.ts'
import type { Standing } from './caller.ts'

/** Where a call is done in the place of the primary server. */
export interface Elsewhere {
  readonly pool: Pool
  readonly opened: (connection: Connection) => void
}

/** Milliseconds until a replica must have said how far it has followed; then the call goes elsewhere. */
const PATIENCE_MS = 1000

/**
 * Why a replica will not do: it has not followed to where the caller must see, it says nothing, or the
 * primary server does not say that the caller's key holds as it is remembered. Never reaches a client.
 */
class Unfit extends Error {
  readonly reason: 'behind' | 'silent' | 'unproven'

  constructor(reason: Unfit['reason'], options?: ErrorOptions) {
    super(`The replica is ${reason}.`, options)
    this.name = 'Unfit'
    this.reason = reason
  }
}

type Work<T> = (request: Call, standing: Standing & { readonly elsewhere?: Elsewhere }) => Promise<T>

interface Place {
  readonly database: Database
  readonly caller: Caller
  readonly request: Call
  readonly standing: Standing
}

/**
 * Does a call on the replica, where it may be done there and that one will do; else on the primary server.
 */
export async function readFromReplica<T extends Answer>(place: Place, work: Work<T>): Promise<T> {
  const { request, standing } = place
  const replica = replicaFor(place)
  if (!replica) return work(request, standing)
  const trip = new Trip(replica, place)
  try {
    const result = await trip.make(work)
    counted('served')
    return result
  } catch (error) {
    // An answer that is too large for the replica is too large here, at the same cost.
    if (error instanceof PayloadTooLarge || request.gone?.()) throw error
    const reason = error instanceof Unfit ? error.reason : null
    counted(reason === 'behind' ? 'behind' : 'failed')
    if (reason === 'silent' || isConnectionLost(causeOf(error))) replica.failed(error)
    return work(request, standing)
  }
}

const counted = (outcome: string): void => watch.sink?.count('comptoir_replica_calls_total', { outcome })

/** The replica of a caller who wants it, for a method that only reads. */
function replicaFor({ database, caller, request }: Place): Replica | null {
  const { replica } = database
  if (!replica || !(request.asks?.replica?.isWanted || caller.policy?.replica)) return null
  const { keyHash, rights } = caller
  if (!keyHash || request.job || request.asks?.dryRun) return null
  const method = rights.registry.get(request.model)?.methods.get(request.method)
  return method?.readonly && replica.isUsable ? replica : null
}

/** One call's way to a replica. */
class Trip {
  readonly #replica: Replica
  readonly #place: Place
  /** Replay positions of the replica when each of the call's connections began. */
  readonly #followed: Promise<Position>[] = []
  readonly #begun = Promise.withResolvers<void>()
  /** Headers of the call's answer. */
  readonly #headers: Parameters<RequestPreferences['tell']>[] = []
  #isOver = false

  constructor(replica: Replica, place: Place) {
    this.#replica = replica
    this.#place = place
  }

  /** Throws any failure; no header is sent before the answer is certain. */
  async make<T extends Answer>(work: Work<T>): Promise<T> {
    const now = this.#now()
    const least = await this.#least(now)
    const doing = this.#do(work)
    try {
      await this.#inTime(Promise.race([this.#begun.promise, doing]))
      if ((await this.#inTime(this.#position())) < least) throw new Unfit('behind')
      const [result] = await Promise.all([doing, now])
      const followed = await this.#position()
      if (followed < least) throw new Unfit('behind')
      this.#tell(followed)
      return result
    } catch (error) {
      this.#isOver = true
      // The started answer has lost its reader.
      doing.then(closed, () => undefined)
      // Strangers learn nothing.
      if (error instanceof PayloadTooLarge) await now
      throw error
    }
  }

  #do<T>(work: Work<T>): Promise<T> {
    const { request, standing } = this.#place
    const { asks } = request
    const tell: RequestPreferences['tell'] = (...header) => this.#headers.push(header)
    const doing = work(
      {
        ...request,
        asks: asks && { ...asks, tell },
        tell,
        gone: () => this.#isOver || request.gone?.() === true,
      },
      {
        ...standing,
        elsewhere: { pool: this.#replica.pool, opened: (connection) => this.#opened(connection) },
      },
    )
    doing.catch(() => undefined)
    return doing
  }

  #tell(followed: Position): void {
    const { asks } = this.#place.request
    for (const header of this.#headers) asks?.tell(...header)
    asks?.tell('preference-applied', 'replica')
    if (asks?.replica) asks.tell('comptoir-position', this.#replica.token(followed))
  }

  /** The primary server's position, once it said that the caller's key holds as remembered. */
  #now(): Promise<Position> {
    const { database, caller } = this.#place
    const sentAt = performance.now()
    const now = database.callers.present.of(caller).then(
      (position) => {
        this.#replica.note(position, sentAt)
        return position
      },
      (cause: unknown) => {
        throw new Unfit('unproven', { cause })
      },
    )
    now.catch(() => undefined)
    return now
  }

  /**
   * Position that the replica must have replayed: the one that the caller sent; without one, or where it may
   * be too old, the current position of the primary server.
   */
  async #least(now: Promise<Position>): Promise<Position> {
    const { caller, request } = this.#place
    const tokens = request.asks?.replica?.positions ?? []
    const shown = tokens.map((token) => this.#replica.position(token)).filter((position) => position !== null)
    // Keys that only read have nothing of their own to see.
    const isKnown = shown.length === tokens.length && (tokens.length > 0 || caller.scope?.read === true)
    if (isKnown && this.#replica.isRecent) return Math.max(0, ...shown)
    const all = await now
    if (!(await this.#inTime(this.#replica.reaches(all)))) throw new Unfit('behind')
    return all
  }

  /** The replica's answer. Throws Unfit where it does not come in time. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Unfit('silent')), PATIENCE_MS)
    try {
      return await Promise.race([answer, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #opened(connection: Connection): void {
    const followed = this.#replica.followed(connection)
    followed.catch(() => undefined)
    this.#followed.push(followed)
    this.#begun.resolve()
  }

  /** Where the least of its connections was. */
  async #position(): Promise<Position> {
    return Math.min(...(await Promise.all(this.#followed)))
  }
}

const closed = ({ more, rows }: Answer): void => {
  more?.return().catch(() => undefined)
  rows?.return().catch(() => undefined)
}

/** Reports the position that a changing call's caller must see from now on; null where no caller needs it. */
export function endingOf({ replica, pool }: Database, asks: RequestPreferences | null | undefined) {
  if (!replica || !asks?.replica) return null
  let position: Promise<unknown[][]> | undefined
  return {
    committed: (connection: Connection): void => {
      position = connection.query(`SELECT ${POSITION}`)
    },
    tell: async (): Promise<void> => {
      // If the connection broke after COMMIT, another one has a position that is as good. Without any, no
      // position is sent, and the caller reads from the current one.
      const rows = await position
        ?.catch(() => pool.use((connection) => connection.query(`SELECT ${POSITION}`)))
        .catch(() => [])
      if (rows?.[0]) asks.tell('comptoir-position', replica.token(positionOf(rows[0][0])))
    },
  }
}
