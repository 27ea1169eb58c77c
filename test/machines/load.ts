// Writers that record outcomes: every call is acknowledged, undone, unknown or refused, and the
// database's contents afterwards must agree.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Databases } from '../../src/databases/index.ts'
import { sql } from '../../src/sql/index.ts'
import '../support/patience.ts'
import { until } from '../support/receiver.ts'

interface Tally {
  readonly acknowledged: Set<string>
  /** Reported as undone. */
  readonly undone: Set<string>
  /** Unknown outcome: a lost answer, or an answer that reports it. */
  readonly unknown: Set<string>
  /**
   * Calls with a key that were repeated because of an unknown outcome, by the outcome of the last
   * answer.
   */
  readonly decided: { done: number; anew: number }
  /** Acknowledged writes by node. */
  readonly byNode: Map<string, number>
  /** Answers of 5xx by status and message. */
  readonly failures: Map<string, number>
  /** By `performance.now()`. */
  lastAcknowledged: number
  longestGap: number
}

/**
 * The outcome of a call for its client: `lost` means a lost conflict, `not sent` a refused connection.
 */
type Heard = 'done' | 'undone' | 'unknown' | 'lost' | 'not sent'

interface Write {
  readonly name: string
  readonly isKeyed: boolean
  /** Whether an earlier attempt had an unknown outcome. */
  readonly isOpen: boolean
}

export class Load {
  readonly tally: Tally = {
    acknowledged: new Set(),
    undone: new Set(),
    unknown: new Set(),
    decided: { done: 0, anew: 0 },
    byNode: new Map(),
    failures: new Map(),
    lastAcknowledged: performance.now(),
    longestGap: 0,
  }
  readonly #urls: readonly string[]
  readonly #database: string
  readonly #headers: Readonly<Record<string, string>>
  #running = true
  #clients: Promise<void>[] = []
  #number = 0

  constructor(urls: readonly string[], database: string, key: string) {
    this.#urls = urls
    this.#database = database
    this.#headers = {
      authorization: `bearer ${key}`,
      'content-type': 'application/json',
      'x-service-database': database,
    }
  }

  start(clients: number): void {
    this.#clients = Array.from({ length: clients }, (_, i) => this.#client(i))
  }

  /** Names of acknowledged writes that started after the first `begun` ones. */
  acknowledgedAfter(begun: number): string[] {
    return [...this.tally.acknowledged].filter((name) => Number(name.slice('write '.length)) >= begun)
  }

  /** Number of started writes. */
  get begun(): number {
    return this.#number
  }

  /** Waits for so many more acknowledged writes. */
  async more(writes: number): Promise<void> {
    const wanted = this.tally.acknowledged.size + writes
    await until(() => this.tally.acknowledged.size >= wanted, 'writes are acknowledged')
  }

  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#clients)
  }

  /**
   * Writes to all nodes in turn. Every second client gives each write a key, and repeats it until it
   * gets the outcome.
   */
  async #client(i: number): Promise<void> {
    const { tally } = this
    const isKeyed = i % 2 === 1
    let at = i
    while (this.#running) {
      const name = `write ${this.#number++}`
      // A repeated call that was undone does not show the outcome of the first.
      let isOpen = false
      do {
        const outcome = await this.#write(this.#urls[at++ % this.#urls.length] as string, {
          name,
          isKeyed,
          isOpen,
        })
        if (outcome === 'undone' && !isOpen) tally.undone.add(name)
        if (outcome === 'lost' || outcome === 'unknown') isOpen = true
        if (outcome === 'done') isOpen = false
      } while (isKeyed && isOpen)
      if (isOpen) tally.unknown.add(name)
    }
  }

  async #write(url: string, { name, isKeyed, isOpen }: Write): Promise<Heard> {
    const { tally } = this
    const headers = { ...this.#headers, ...(isKeyed && { 'idempotency-key': name.replace(' ', '-') }) }
    const sent = { method: 'POST', headers, body: JSON.stringify({ vals_list: [{ name }] }) }
    let isSent = true
    const answer = await fetch(`${url}/json/2/res.partner/create`, sent).catch((error: unknown) => {
      isSent = !isRefused(error)
      return null
    })
    const body = answer ? await answer.text().catch(() => null) : null
    if (!answer || body === null) {
      await sleep(20)
      return isSent ? 'lost' : 'not sent'
    }
    if (answer.ok) {
      const now = performance.now()
      tally.longestGap = Math.max(tally.longestGap, now - tally.lastAcknowledged)
      tally.lastAcknowledged = now
      tally.acknowledged.add(name)
      tally.byNode.set(url, (tally.byNode.get(url) ?? 0) + 1)
      if (isOpen) tally.decided[answer.headers.has('idempotent-replayed') ? 'done' : 'anew']++
      return 'done'
    }
    const outcome = answer.headers.get('x-comptoir-outcome')
    const after = answer.headers.get('retry-after')
    const { message } = JSON.parse(body) as { message: string }
    const kind = `${answer.status} ${outcome ?? ''}${after ? '' : ' without Retry-After'} ${message.slice(0, 60)}`
    tally.failures.set(kind, (tally.failures.get(kind) ?? 0) + 1)
    await sleep(Math.min(Number(after ?? 0) * 100, 200))
    // A call with a key whose COMMIT was cut off, and whose outcome no server could report for a while.
    const isOpenStill = answer.headers.get('error-code') === 'idempotency_in_progress'
    return outcome === 'unknown' || isOpenStill ? 'unknown' : 'undone'
  }

  /** Compares the records of the database with the answers of its clients. */
  async judge(databases: Databases): Promise<Judgement> {
    const { acknowledged, undone, unknown, decided, failures } = this.tally
    const rows = await (await databases.database(this.#database)).system((env) =>
      env.query(sql`SELECT name FROM res_partner WHERE name LIKE 'write %'`),
    )
    const names = new Set(rows.map(([name]) => String(name)))
    return {
      acknowledged: acknowledged.size,
      lost: [...acknowledged].filter((name) => !names.has(name)).length,
      twice: rows.length - names.size,
      undoneButThere: [...undone].filter((name) => names.has(name)).length,
      unknown: unknown.size,
      decided,
      failures: Object.fromEntries(failures),
    }
  }
}

/** Counts of writes: none may be lost, doubled, or present although it was reported as undone. */
export interface Judgement {
  readonly acknowledged: number
  readonly lost: number
  readonly twice: number
  readonly undoneButThere: number
  readonly unknown: number
  /** Keyed calls with an unknown outcome: done the first time, or when they were repeated. */
  readonly decided: { readonly done: number; readonly anew: number }
  readonly failures: Readonly<Record<string, number>>
}

/** Whether the connection was refused, so that nothing was sent. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED'
}
