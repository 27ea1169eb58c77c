// Who waits for changes of a database is woken: by what this process committed, by what others say, and by a
// look every second. One look serves all who wait.
import type { Database, Databases } from '../../databases/index.ts'
import { apart } from '../../kit/watch/index.ts'
import { horizonOf, horizonStatement } from './horizon.ts'

/** Milliseconds between two looks, two words to the others, and two times that those who wait are woken. */
const [LOOK, SAY, GATHER] = [1000, 100, 10]
/** Milliseconds until it is looked again for what others are committing: nobody may tell that they failed. */
export const HELD = 25

interface Patience {
  readonly milliseconds: number
  readonly signal: AbortSignal
  readonly beat: number
}

export class Pulse {
  readonly #database: Database
  readonly #say: () => void
  #waiting = new Set<() => void>()
  #seen = 0
  #beat = 0
  #timer: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined
  #saidAt = 0
  #wokeAt = 0
  #saying: NodeJS.Timeout | undefined

  constructor(database: Database, say: () => void) {
    this.#database = database
    this.#say = say
  }

  /** Something was committed here: the others are told too. */
  committed(): void {
    this.wake()
    const wait = Math.max(0, this.#saidAt + SAY - performance.now())
    this.#saying ??= setTimeout(() => {
      this.#saying = undefined
      this.#saidAt = performance.now()
      this.#say()
    }, wait).unref()
  }

  /** Counts what may have changed: whoever reads keeps it from before, so that nothing falls in between. */
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
      for (const one of woken) one()
    }, wait).unref()
  }

  /**
   * Resolves when there may be something new since a beat, when the time is over, or when nobody wants to
   * know any more.
   */
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
      this.#timer ??= apart(() => setInterval(() => void this.#look(), LOOK).unref())
    })
  }

  async #look(): Promise<void> {
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
      // The next look tells; whoever waits finds out by themselves that the database is away.
    }
  }
}

const pulses = new WeakMap<Database, Pulse>()
const listening = new WeakSet<Databases>()

/** The pulse of a database; from now on it hears what is committed here and elsewhere. */
export function pulseOf(server: Databases, database: Database): Pulse {
  const known = pulses.get(database)
  if (known) return known
  if (!listening.has(server)) {
    listening.add(server)
    void apart(() => server.announcements.listen())
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
