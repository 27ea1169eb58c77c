// Others who use the server meanwhile: a health check and a small keyed call every fifty milliseconds, and how long they waited.
import { Agent, request } from 'node:http'
import type { World } from './attack.ts'

const EVERY = 50
/** Who waits for seconds is not asked to wait in a longer queue. */
const MOST_OPEN = 400

/** One question: when it was asked, and how many milliseconds the answer took. */
export interface Wait {
  readonly since: number
  readonly ms: number
}

export interface Waits {
  /** The shortest first. */
  readonly all: readonly Wait[]
  /** What others were told in place of an answer. */
  readonly refusals: readonly string[]
}

export class Probes {
  readonly #world: World
  readonly #agent = new Agent({ keepAlive: true })
  readonly #open = new Set<{ readonly since: number }>()
  readonly #timer: NodeJS.Timeout
  #waits: Wait[] = []
  #refusals: string[] = []

  constructor(world: World) {
    this.#world = world
    const headers = {
      authorization: `bearer ${world.keys.probe}`,
      'content-type': 'application/json',
      'x-service-database': world.database,
    }
    this.#timer = setInterval(() => {
      this.#ask('GET', '/web/health', {})
      this.#ask('POST', '/json/2/res.users/context_get', headers)
    }, EVERY)
  }

  /** What came since the last time; those who still wait count with what they waited so far. */
  take(): Waits {
    const now = performance.now()
    const waiting = [...this.#open].map(({ since }) => ({ since, ms: now - since }))
    const all = [...this.#waits, ...waiting.filter(({ ms }) => ms > EVERY)].sort((a, b) => a.ms - b.ms)
    const waits = { all, refusals: this.#refusals }
    this.#waits = []
    this.#refusals = []
    return waits
  }

  close(): void {
    clearInterval(this.#timer)
    this.#agent.destroy()
  }

  #ask(method: string, path: string, headers: Record<string, string>): void {
    if (this.#open.size > MOST_OPEN) return
    const asked = { since: performance.now() }
    this.#open.add(asked)
    const end = (refusal: string | null) => {
      if (!this.#open.delete(asked)) return
      this.#waits.push({ since: asked.since, ms: performance.now() - asked.since })
      if (refusal) this.#refusals.push(`${path}: ${refusal}`)
    }
    const asking = request(this.#world.url + path, {
      method,
      headers: { ...headers, 'x-forwarded-for': '10.255.0.1' },
      agent: this.#agent,
    })
    asking.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => end(answer.statusCode === 200 ? null : String(answer.statusCode)))
      answer.on('close', () => end('closed'))
    })
    asking.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    asking.end(method === 'POST' ? '{}' : undefined)
  }
}
