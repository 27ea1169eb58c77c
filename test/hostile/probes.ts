// Others who use the server meanwhile: a health check and a small keyed call every fifty milliseconds, and
// how long they waited.
import { Agent, request } from 'node:http'
import type { World } from './attack.ts'

const EVERY = 50
/** Probes open at a time: if answers take seconds, more of them would only lengthen the queue. */
const MOST_OPEN = 400

/** Milliseconds so far in which processes worked, and in which they were ready and got no processor. */
export interface Toil {
  readonly worked: number
  readonly starved: number
}

/** One question: how many milliseconds the answer took, and what the server did and lacked meanwhile. */
export interface Wait extends Toil {
  readonly kind: 'health' | 'keyed'
  /** Milliseconds of the epoch when it was asked. */
  readonly at: number
  readonly ms: number
}

interface Asked extends Toil {
  readonly kind: Wait['kind']
  readonly since: number
}

export interface Waits {
  /** The shortest first. */
  readonly all: readonly Wait[]
  /** Error answers that other callers got. */
  readonly refusals: readonly string[]
}

export class Probes {
  readonly #world: World
  readonly #agent = new Agent({ keepAlive: true })
  readonly #open = new Set<Asked>()
  readonly #toil: () => Toil
  readonly #timer: NodeJS.Timeout
  #waits: Wait[] = []
  #refusals: string[] = []

  /** `toil`: of the server and of this process. */
  constructor(world: World, toil: () => Toil) {
    this.#world = world
    this.#toil = toil
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

  /** Waits since the last call; probes still open count with their time so far. */
  take(): Waits {
    const waiting = [...this.#open].map((probe) => this.#waited(probe))
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

  #waited({ kind, since, worked, starved }: Asked): Wait {
    const now = this.#toil()
    return {
      kind,
      at: performance.timeOrigin + since,
      ms: performance.now() - since,
      worked: now.worked - worked,
      starved: now.starved - starved,
    }
  }

  #ask(method: string, path: string, headers: Record<string, string>): void {
    if (this.#open.size > MOST_OPEN) return
    const probe: Asked = {
      kind: method === 'GET' ? 'health' : 'keyed',
      since: performance.now(),
      ...this.#toil(),
    }
    this.#open.add(probe)
    const end = (refusal: string | null) => {
      if (!this.#open.delete(probe)) return
      this.#waits.push(this.#waited(probe))
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
