// Wakes readers that wait for changes of a database: on commits of this process, on announcements of others,
// and by a poll every second. One poll serves all readers.
import type { Database, Databases } from '../../databases/index.ts'
import { outsideTrace } from '../../kit/watch/index.ts'
import { horizonOf, horizonStatement } from './horizon.ts'

/** Least milliseconds between two polls, two announcements to other processes, and two wake-ups of readers. */
const [POLL, ANNOUNCE, GATHER] = [1000, 100, 10]
/** Milliseconds until the next poll while others are committing: a failed commit is not announced. */
export const HELD = 25

interface Patience {
  readonly milliseconds: number
  readonly signal: AbortSignal
  readonly beat: number
}

/** Wakes the readers of one database; `beat` counts possible changes. */
export class Pulse {
  readonly #database: Database
  readonly #announce: () => void
  #waiting = new Set<() => void>()
  #seen = 0
  #beat = 0
  #timer: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined
  #announcedAt = 0
  #wokeAt = 0
  #announcing: NodeJS.Timeout | undefined

  constructor(database: Database, announce: () => void) {
    this.#database = database
    this.#announce = announce
  }

  /** Called after a commit of this process; announces it to the other processes too. */
  committed(): void {
    this.wake()
    const wait = Math.max(0, this.#announcedAt + ANNOUNCE - performance.now())
    this.#announcing ??= setTimeout(() => {
      this.#announcing = undefined
      this.#announcedAt = performance.now()
      this.#announce()
    }, wait).unref()
  }

  /**
   * Counter of possible changes. Take it before a read and pass it to `next`, so that no change is missed.
   */
  get beat(): number {
    return this.#beat
  }

  wake(): void {
    this.#beat++
    if (this.#waiting.size === 0) return
    const wait = Math.max(0, this.#wokeAt + GATHER - performance.now())
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      this.#wokeAt = performance.now()
      const woken = this.#waiting
      this.#waiting = new Set()
      for (const wakeReader of woken) wakeReader()
    }, wait).unref()
  }

  /** Resolves when there may be changes since a beat, when the time is over, or when the reader aborts. */
  next({ milliseconds, signal, beat }: Patience): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, beat === this.#beat ? milliseconds : GATHER)
      signal.addEventListener('abort', done)
      this.#waiting.add(done)
      if (signal.aborted) done()
      this.#timer ??= outsideTrace(() => setInterval(() => void this.#poll(), POLL).unref())
    })
  }

  async #poll(): Promise<void> {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    try {
      const { at } = horizonOf(
        await this.#database.pool.use((connection) =>
          connection.query(horizonStatement.text, horizonStatement.values),
        ),
      )
      if (at !== this.#seen) this.wake()
      this.#seen = at
    } catch {
      // The next poll finds the changes; readers notice by themselves that the database is away.
    }
  }
}

const pulses = new WeakMap<Database, Pulse>()
const listening = new WeakSet<Databases>()

/** The pulse of a database; from now on it beats with commits here and elsewhere. */
export function pulseOf(server: Databases, database: Database): Pulse {
  const current = pulses.get(database)
  if (current) return current
  if (!listening.has(server)) {
    listening.add(server)
    void outsideTrace(() => server.announcements.listen())
    server.announcements.on('changes', (name) => {
      const other = server.handles.known(name)
      if (other) pulses.get(other)?.wake()
    })
  }
  const pulse = new Pulse(database, () => void server.announcements.say('changes', database.name))
  pulses.set(database, pulse)
  database.wake = () => pulse.committed()
  return pulse
}
