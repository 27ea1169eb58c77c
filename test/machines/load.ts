// Writers that keep count: every call is acknowledged, undone, unknown or refused, and what the database
// holds afterwards must agree.
import type { Databases } from '../../src/databases/index.ts'
import { sql } from '../../src/sql/index.ts'

interface Tally {
  readonly acknowledged: Set<string>
  /** Said to be undone, and nothing but that. */
  readonly undone: Set<string>
  /** Nobody knows: a lost answer, or one that says so. */
  readonly unknown: Set<string>
  /** Answers of 5xx by status and message. */
  readonly failures: Map<string, number>
  /** By `performance.now()`. */
  lastAcknowledged: number
  longestGap: number
}

export class Load {
  readonly tally: Tally = {
    acknowledged: new Set(),
    undone: new Set(),
    unknown: new Set(),
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

  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#clients)
  }

  async #client(i: number): Promise<void> {
    let at = i
    while (this.#running) {
      const name = `write ${this.#number++}`
      const url = this.#urls[at % this.#urls.length] as string
      // Like a balancer, past a node that is not there.
      if (!(await this.#write(url, name))) at++
    }
  }

  /** False where no answer came. */
  async #write(url: string, name: string): Promise<boolean> {
    const { tally } = this
    const sent = { method: 'POST', headers: this.#headers, body: JSON.stringify({ vals_list: [{ name }] }) }
    let isSent = true
    const answer = await fetch(`${url}/json/2/res.partner/create`, sent).catch((error: unknown) => {
      isSent = !isRefused(error)
      return null
    })
    const body = answer ? await answer.text().catch(() => null) : null
    if (!answer || body === null) {
      if (isSent) tally.unknown.add(name)
      else await new Promise((resolve) => setTimeout(resolve, 20))
      return false
    }
    if (answer.ok) {
      const now = performance.now()
      tally.longestGap = Math.max(tally.longestGap, now - tally.lastAcknowledged)
      tally.lastAcknowledged = now
      tally.acknowledged.add(name)
      return true
    }
    const outcome = answer.headers.get('x-comptoir-outcome')
    const kind = `${answer.status} ${outcome ?? ''} ${(JSON.parse(body) as { message: string }).message.slice(0, 60)}`
    tally.failures.set(kind, (tally.failures.get(kind) ?? 0) + 1)
    if (outcome === 'unknown') tally.unknown.add(name)
    else tally.undone.add(name)
    const wait = Number(answer.headers.get('retry-after') ?? 0)
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait * 100, 200)))
    return true
  }

  /** What the database holds, beside what its clients were told. */
  async judge(databases: Databases): Promise<Judgement> {
    const { acknowledged, undone, unknown, failures } = this.tally
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
      failures: Object.fromEntries(failures),
    }
  }
}

/** Counts of writes; nothing may be lost, twice, or there though it was said to be undone. */
export interface Judgement {
  readonly acknowledged: number
  readonly lost: number
  readonly twice: number
  readonly undoneButThere: number
  readonly unknown: number
  readonly failures: Readonly<Record<string, number>>
}

/** Whether nothing left: there was nobody to connect to. */
function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED'
}
