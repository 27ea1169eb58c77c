// Webhooks of a process: changes of every database with endpoints are taken up and sent, by whichever
// process comes first (docs/decisions/0044).
import { randomUUID } from 'node:crypto'
import type { Database, Databases } from '../../databases/index.ts'
import { Gate } from '../../kit/gate.ts'
import { outsideTrace, watch } from '../../kit/watch/index.ts'
import type { Sql } from '../../sql/index.ts'
import { HELD, pulse } from '../changes/index.ts'
import type { Taker } from '../orphaned-work.ts'
import { Places } from './attempt-slots.ts'
import { releaseFirst } from './due-deliveries.ts'
import { fanOut } from './fan-out.ts'
import { EndpointSender } from './lane.ts'
import { Outcomes } from './outcomes.ts'
import {
  disable,
  hasEndpoints,
  keepRoom,
  LEASE,
  leaveLeases,
  oldest,
  pauseCopies,
  renewLeases,
  takeLeases,
} from './rows.ts'
import { Sender } from './send.ts'

/** Milliseconds between two looks without a wake-up, two renewals, and two rounds of upkeep. */
const [LOOK, RENEW, UPKEEP] = [1000, 5000, 60_000]
/**
 * Attempts of this process at a time, and lookups of what is due. Endpoints of a database that it sends to
 * are bounded by what a database may have: none waits until another's receiver has answered.
 */
const [AT_ONCE, LOOKUPS, LANES] = [64, 4, 250]

interface WorkerOptions {
  readonly log: { error(message: string, facts?: object): void }
  readonly sender?: Sender
}

/** Runs one statement by itself; `R` says what its columns hold. */
export async function run<R extends unknown[] = unknown[]>(database: Database, statement: Sql): Promise<R[]> {
  const { text, values } = statement.compile()
  return database.pool.use((connection) => connection.query(text, values)) as Promise<R[]>
}

/** Sends the webhooks of all databases in this process. */
export class WebhookWorker implements Taker {
  readonly #databases: Databases
  readonly #options: WorkerOptions
  readonly #sender: Sender
  readonly #closing = new AbortController()
  readonly #watched = new Map<string, Watched>()
  readonly #places = new Places(AT_ONCE)
  readonly #lookups = new Gate({
    places: LOOKUPS,
    queue: Number.POSITIVE_INFINITY,
    patienceMs: 60_000,
    refusal: 'Too many endpoints have due deliveries. Please try again.',
  })

  constructor(databases: Databases, options: WorkerOptions) {
    this.#databases = databases
    this.#options = options
    this.#sender = options.sender ?? new Sender()
    databases.onDeed = (name, event) => {
      if (event.startsWith('webhook.')) this.wake(name)
    }
    databases.announcements.on('webhook', (name) => this.wake(name, false))
    watch.sink?.ask('comptoir_webhook_oldest_seconds', () => [
      [Math.max(0, ...[...this.#watched.values()].map((watched) => watched.oldest)), {}],
    ])
  }

  /** Called when endpoints of a database changed; announces it to other processes too. */
  wake(name: string, tell = true): void {
    if (this.#closing.signal.aborted) return
    const watched = this.#watched.get(name)
    if (watched) watched.wake()
    else this.#watch(name)
    if (tell) void this.#databases.announcements.say('webhook', name)
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  has(name: string): boolean {
    return this.#watched.has(name)
  }

  /** Whether a database has endpoints. */
  async finds(database: Database): Promise<boolean> {
    return (await run(database, hasEndpoints))[0]?.[0] === true
  }

  /** Takes up and sends all that is due in a database, once. */
  async settle(name: string): Promise<void> {
    const watched = this.#make(name)
    await watched.settle(await this.#databases.database(name))
  }

  /** Begins nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#sender.close()
    await Promise.all([...this.#watched.values()].map((watched) => watched.ended))
  }

  #make(name: string): Watched {
    return new Watched(this.#databases, name, {
      sender: this.#sender,
      places: this.#places,
      lookups: this.#lookups,
      closing: this.#closing.signal,
      log: this.#options.log,
    })
  }

  #watch(name: string): void {
    const watched = this.#make(name)
    this.#watched.set(name, watched)
    watched.ended = outsideTrace(() => watched.follow()).finally(() => this.#watched.delete(name))
  }
}

interface Shared {
  readonly sender: Sender
  readonly places: Places
  readonly lookups: Gate
  readonly closing: AbortSignal
  readonly log: WorkerOptions['log']
}

/** A database with endpoints. */
class Watched {
  readonly #databases: Databases
  readonly #name: string
  readonly #shared: Shared
  /** By which leases are this process's. */
  readonly #holder = randomUUID()
  /** Endpoints that this process has, with until when; by `performance`. */
  readonly #mine = new Map<number, number>()
  readonly #lanes = new Map<number, { readonly lane: EndpointSender; readonly ended: Promise<void> }>()
  /**
   * Endpoints whose due deliveries all wait for ones that are not due, and the time until which they are left
   * alone: leasing them again at once would repeat without end.
   */
  readonly #held = new Map<number, number>()
  #woken = new AbortController()
  #upkeepAt = 0
  /** Seconds that what waits longest waits. */
  oldest = 0
  ended: Promise<void> = Promise.resolve()

  constructor(databases: Databases, name: string, shared: Shared) {
    this.#databases = databases
    this.#name = name
    this.#shared = shared
  }

  wake(): void {
    this.#woken.abort()
  }

  /** Runs until the server stops or the database has lost its last endpoint. */
  async follow(): Promise<void> {
    const { closing, log } = this.#shared
    const renewing = setInterval(() => void this.#renew().catch(() => undefined), RENEW)
    while (!closing.aborted) {
      this.#woken = new AbortController()
      try {
        const heart = await pulse(this.#databases, this.#name)
        const { beat } = heart
        const database = await this.#databases.database(this.#name)
        if (!(await this.#keep(database))) break
        const held = await this.#takeUp(database)
        await this.#begin(database)
        const signal = AbortSignal.any([closing, this.#woken.signal])
        await heart.next({ milliseconds: held ? HELD : LOOK, signal, beat })
      } catch (error) {
        if (!(await this.#databases.exists(this.#name).catch(() => true))) break
        if (!closing.aborted)
          log.error('Webhooks could not be sent', { database: this.#name, error: String(error) })
        await new Promise((resolve) => setTimeout(resolve, LOOK).unref())
      }
    }
    clearInterval(renewing)
    await this.#allEnded()
  }

  async settle(database: Database): Promise<void> {
    await this.#takeUp(database)
    for (;;) {
      await this.#begin(database)
      if (this.#lanes.size === 0) return
      await this.#allEnded()
    }
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ ended }) => ended))
  }

  /** Fans out all committed changes; returns whether the next ones are being committed. */
  async #takeUp(database: Database): Promise<boolean> {
    if (!database.offers('changes')) return false
    let taken: Awaited<ReturnType<typeof fanOut>>
    do {
      taken = await fanOut(database)
      // However much there is to take up, what has been is sent.
      if (taken?.more && taken.deliveries) await this.#begin(database)
    } while (taken?.more && !this.#shared.closing.aborted)
    return taken?.held ?? false
  }

  /**
   * Upkeep at intervals: limits, deliveries that wait for no other any more, and the age of the oldest. False
   * where the database has no endpoints.
   */
  async #keep(database: Database): Promise<boolean> {
    if (performance.now() < this.#upkeepAt) return true
    this.#upkeepAt = performance.now() + UPKEEP
    for (const upkeep of [pauseCopies, keepRoom, releaseFirst]) await run(database, upkeep)
    this.oldest = Number((await run(database, oldest))[0]?.[0] ?? 0)
    return (await run(database, hasEndpoints))[0]?.[0] === true
  }

  async #renew(): Promise<void> {
    const ids = [...this.#mine.keys()]
    if (ids.length === 0) return
    const database = await this.#databases.database(this.#name)
    const until = performance.now() + LEASE * 1000
    const kept = new Set((await run<[number]>(database, renewLeases(this.#holder, ids))).map((row) => row[0]))
    for (const id of ids) this.#mine.set(id, kept.has(id) ? until : 0)
  }

  /** Begins to send to free endpoints with something due; running lanes look for more themselves. */
  async #begin(database: Database): Promise<void> {
    for (const { lane } of this.#lanes.values()) lane.again()
    const room = LANES - this.#lanes.size
    if (room <= 0 || this.#shared.closing.aborted) return
    const until = performance.now() + LEASE * 1000
    for (const [id, held] of this.#held) if (held <= performance.now()) this.#held.delete(id)
    const taking = takeLeases(this.#holder, room, [...this.#held.keys()])
    for (const [id, user] of await run<[number, number]>(database, taking)) {
      this.#mine.set(id, until)
      const lane = this.#lane(database, id, `${this.#name} ${user}`)
      const ended = this.#send(database, id, lane).finally(() => {
        this.#lanes.delete(id)
        if (lane.hadSome) this.wake()
        else this.#held.set(id, performance.now() + LOOK)
      })
      this.#lanes.set(id, { lane, ended })
    }
  }

  #lane(database: Database, id: number, user: string): EndpointSender {
    const { sender, places, lookups, closing } = this.#shared
    const outcomes = new Outcomes(database, this.#holder)
    return new EndpointSender(id, user, {
      database,
      holder: this.#holder,
      sender,
      closing,
      mine: () => this.#mine.get(id) ?? 0,
      place: (asker) => places.take(asker),
      look: async (who, work) => {
        const leave = await lookups.enter(who)
        return work().finally(leave)
      },
      end: (ended) => outcomes.add(ended),
      disable: async (webhook, reason) => void (await run(database, disable(webhook, reason))),
    })
  }

  async #send(database: Database, id: number, lane: EndpointSender): Promise<void> {
    try {
      database.enter()
      await lane.run()
    } catch (error) {
      this.#shared.log.error('Webhooks could not be sent', {
        database: this.#name,
        webhook: id,
        error: String(error),
      })
    } finally {
      this.#mine.delete(id)
      await run(database, leaveLeases(this.#holder, [id])).catch(() => undefined)
      database.leave()
    }
  }
}
