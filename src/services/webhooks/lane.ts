// Sends what is due to one endpoint, while this process has it: records in their order, several at a time,
// less where the receiver asks for less.
import type { Database } from '../../databases/index.ts'
import { forWebhook, unsealed } from '../../kit/seal.ts'
import { watch } from '../../kit/watch/index.ts'
import type { Asker } from './attempt-slots.ts'
import { type Due, due, firstWaiting, postponeLater } from './due-deliveries.ts'
import { allowedDeliveries } from './read-access.ts'
import { Round } from './round.ts'
import { type Ended, type Target, target } from './rows.ts'
import { pauseAfter, retryAfter } from './schedule.ts'
import { type Sender, WHOLE } from './send.ts'

/** Deliveries per query: usually, and for a receiver that has not answered yet. */
const [AT_ONCE, AT_FIRST] = [50, 4]
/** Concurrent attempts to a receiver that has not answered yet, so that one that hangs blocks little. */
const UNPROVEN = 2
/**
 * Milliseconds for which an overloaded receiver gets fewer attempts, and the longest pause for one that
 * cannot be reached.
 */
const [EASY, MOST_REST] = [60_000, 60_000]
const busy = new Set([429, 502, 504])

/** Services of the worker that a lane uses. */
export interface Surroundings {
  readonly database: Database
  readonly holder: string
  readonly sender: Sender
  /** Until when, by `performance`, this process surely has the endpoint. */
  readonly mine: () => number
  readonly closing: AbortSignal
  /** A place among all attempts of this process; gives it back. */
  readonly place: (asker: Asker) => Promise<() => void>
  /** Has lookups of many endpoints come a few at a time. */
  readonly look: <T>(user: string, work: () => Promise<T>) => Promise<T>
  readonly end: (ended: Ended) => Promise<void>
  readonly disable: (id: number, reason: string) => Promise<void>
}

interface Looked {
  readonly to: Target
  readonly dues: readonly Due[]
  /** Whether anything was due, even if all of it was cancelled. */
  readonly hadSome: boolean
  /** Whether as many were found as were looked for. */
  readonly isFull: boolean
}

/** The sending to one endpoint, while this process has its lease. */
export class EndpointSender {
  readonly #id: number
  readonly #asker: Asker
  readonly #around: Surroundings
  #easyUntil = 0
  /** Whether the receiver answered the last time; what it said counts elsewhere. */
  #isProven = false
  /** Looks in a row in which nothing arrived. */
  #failures = 0
  #round: Round | null = null
  /** Whether anything was due so far. */
  hadSome = false

  /** Of an endpoint, whose `user` stands for a user of a database. */
  constructor(id: number, user: string, around: Surroundings) {
    this.#id = id
    this.#asker = { user, endpoint: id, isProven: () => this.#isProven }
    this.#around = around
  }

  /** Sends until nothing is due, or the endpoint is another's. */
  async run(): Promise<void> {
    while (this.#goesOn) {
      const looked = await this.#look()
      if (!looked?.hadSome) return
      this.hadSome = true
      // Deliveries that may not be sent any more were cancelled: look for the ones after them.
      if (looked.dues.length === 0) continue
      const arrived = await this.#sendAll(looked)
      this.#failures = arrived ? 0 : this.#failures + 1
      // One that takes nothing is not asked about all that waits.
      if (!arrived) await this.#rest()
    }
  }

  /** More may be due. */
  again(): void {
    this.#round?.again()
  }

  /** Whether there is time for one more attempt before the lease expires. */
  get #isMine(): boolean {
    return performance.now() + WHOLE + 1000 < this.#around.mine()
  }

  get #goesOn(): boolean {
    return !this.#around.closing.aborted && this.#isMine
  }

  #look(taken: readonly Due[] = []): Promise<Looked | null> {
    return this.#around.look(this.#asker.user, () => this.#lookUp(taken))
  }

  async #lookUp(taken: readonly Due[]): Promise<Looked | null> {
    const { database, holder, end } = this.#around
    const most = this.#failures ? 1 : this.#isProven ? AT_ONCE : AT_FIRST
    const [[row], rows] = await database.pool.use(async (connection) => {
      const [targetQuery, many] = [target(holder, this.#id).compile(), due(this.#id, most, taken).compile()]
      return Promise.all([
        connection.query(targetQuery.text, targetQuery.values),
        connection.query(many.text, many.values),
      ])
    })
    if (!row) return null
    const kept = JSON.parse(row[0] as string) as Target
    const about = forWebhook(this.#id)
    const to = { ...kept, secrets: kept.secrets.flatMap((secret) => unsealed(secret, about) ?? []) }
    if (to.secrets.length === 0) {
      await this.#around.disable(
        this.#id,
        'The endpoint has no secret to sign with: create one with rotate_secret.',
      )
      return null
    }
    const all = rows.map((dueRow) => JSON.parse(dueRow[0] as string) as Due)
    const holders = all.filter(({ isDue }) => !isDue)
    // In order: what is not due yet holds the rest.
    const held = to.ordered ? holders[0] : undefined
    const onTime = all.filter(({ id, isDue }) => isDue && (!held || id < held.id))
    const dues = onTime.length || !to.isProbed || taken.length ? onTime : await this.#probe()
    if (holders.length && !to.ordered) {
      const { text, values } = postponeLater(this.#id, holders).compile()
      await database.pool.use((connection) => connection.query(text, values))
      // The postponed deliveries may have hidden due ones.
      if (dues.length === 0) return this.#lookUp(taken)
    }
    const isAllowed = await allowedDeliveries(database, to.user, dues)
    for (const delivery of dues.filter((each) => !isAllowed(each)))
      await end(endedOf(delivery, this.#id, 'cancelled', { error: 'The user may not read this any more.' }))
    return { to, dues: dues.filter(isAllowed), hadSome: dues.length > 0, isFull: rows.length >= most }
  }

  async #probe(): Promise<readonly Due[]> {
    const { text, values } = firstWaiting(this.#id).compile()
    const rows = await this.#around.database.pool.use((connection) => connection.query(text, values))
    return rows.map((row) => JSON.parse(row[0] as string) as Due)
  }

  /** Sends what is due, and what comes meanwhile; whether something arrived. */
  async #sendAll({ to, dues, isFull }: Looked): Promise<boolean> {
    let target = to
    const { ordered } = to
    this.#round = new Round({
      ordered,
      atOnce: () => (ordered ? 1 : this.#eased(target.concurrency)),
      goesOn: () => this.#goesOn,
      send: (delivery) => this.#attempt(target, delivery),
      look: async (taken) => {
        const looked = await this.#look(taken)
        target = looked?.to ?? target
        // An order that was asked for meanwhile is kept from the next round on.
        return looked && !looked.to.ordered ? looked.dues : []
      },
    })
    if (isFull) this.#round.again()
    try {
      return await this.#round.run(dues)
    } finally {
      this.#round = null
    }
  }

  #eased(concurrency: number): number {
    if (!this.#isProven) return Math.min(UNPROVEN, concurrency)
    return performance.now() < this.#easyUntil ? Math.max(1, Math.floor(concurrency / 2)) : concurrency
  }

  /** Whether it arrived; null: nothing more is to be sent to this endpoint. */
  async #attempt(to: Target, delivery: Due): Promise<boolean | null> {
    const leave = await this.#around.place(this.#asker)
    // Others may have had it while a place was waited for.
    if (!this.#goesOn) {
      leave()
      return null
    }
    const began = performance.now()
    // Below the call that made the change, which may be days ago: so it is a link as well.
    const span = watch.trace?.('webhook', { kind: 'client', parent: delivery.trace, link: delivery.trace })
    const {
      status,
      error,
      reply,
      retryAfter: retryHeader,
    } = await this.#around.sender.send({
      url: to.url,
      id: delivery.event,
      body: delivery.body,
      secrets: to.secrets,
      trace: span?.context ?? delivery.trace,
    })
    this.#isProven = status !== null
    leave()
    span?.set({ 'http.request.method': 'POST', ...(status && { 'http.response.status_code': status }) })
    // The stopping server cut this attempt off: another server repeats it.
    if (status === null && this.#around.closing.aborted) return null
    const ms = Math.round(performance.now() - began)
    const isDone = status !== null && status >= 200 && status < 300
    span?.end(!isDone)
    if (status !== null && busy.has(status)) this.#easyUntil = performance.now() + EASY
    const isProbe = !delivery.isDue
    const rest = retryAfter(retryHeader)
    const pause = isDone ? 0 : pauseAfter(delivery.attempts + 1, rest)
    const state = isDone ? 'done' : pause === null && !isProbe ? 'dead' : 'waiting'
    watch.sink?.count('comptoir_webhook_deliveries_total', {
      outcome: isDone ? 'done' : state === 'dead' ? 'dead' : 'failed',
    })
    const facts = { pause: pause ?? 0, rest: rest ?? 0, status, reply, ms, attempted: true, isProbe }
    await this.#around.end(
      endedOf(delivery, this.#id, state, { ...facts, error: error ?? redirected(status) }),
    )
    if (status !== 410) return isDone
    await this.#around.disable(this.#id, 'The receiver answered 410 Gone.')
    return null
  }

  async #rest(): Promise<void> {
    const until = performance.now() + Math.min(MOST_REST, 250 * 2 ** Math.min(this.#failures, 10))
    while (performance.now() < until && this.#goesOn) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, Math.max(1, Math.min(250, until - performance.now())))
      await promise
      clearTimeout(timer)
    }
  }
}

const redirected = (status: number | null) =>
  status !== null && status >= 300 && status < 400
    ? 'The receiver answered with a redirect, which is not followed.'
    : null

const endedOf = ({ id }: Due, webhook: number, state: Ended['state'], facts: Partial<Ended>): Ended => ({
  id,
  webhook,
  state,
  pause: 0,
  rest: 0,
  status: null,
  error: null,
  reply: null,
  ms: 0,
  attempted: false,
  isProbe: false,
  ...facts,
})
