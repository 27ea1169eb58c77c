// Messages between processes on one database server: that a database was made, dropped, renamed or replaced,
// so that no process keeps using the old one; progress of long work; guesses at the master password. They use
// LISTEN and NOTIFY in the maintenance database.
import { randomUUID } from 'node:crypto'
import { outsideTrace } from '../kit/watch/index.ts'
import type { Admin, Connection } from '../postgres/index.ts'
import { lineName, type Presence, processPresence } from './upgrade/presence.ts'

const CHANNEL = 'comptoir_databases'
const DATABASE = 'database'
/** Milliseconds until a lost line is taken up again: at first, and at most. */
const AGAIN_MS = 500
const AGAIN_MOST_MS = 30_000
/** Milliseconds between two messages to this process, and until they must have come back. */
const PROBE_MS = 20_000
const ECHO_MS = 5000

/** Topics besides changed databases. */
export type Topic = 'progress' | 'guess' | 'node' | 'job' | 'changes' | 'webhook' | 'moving' | 'clusters'
/** Message to this process: its return shows that messages of others arrive too. */
const ECHO = 'echo'

/** The listening connection, and the presences that it holds. */
interface Line {
  readonly connection: Connection
  readonly held: Set<Presence>
}

/** Texts are short: PostgreSQL takes 8,000 bytes. */
const LONGEST = 2000

const HOLD = 'SELECT pg_advisory_lock_shared($1::int4, $2::int4)'
const RELEASE = 'SELECT pg_advisory_unlock_shared($1::int4, $2::int4)'

async function hold({ connection, held }: Line, presence: Presence): Promise<void> {
  if (held.has(presence) || !connection.usable) return
  held.add(presence)
  await connection.query(HOLD, [presence.what, presence.build])
}

export class Announcements {
  readonly #admin: Admin
  readonly #hear: (name: string | null) => void
  /** Marks messages of this process, which come back to it and are ignored. */
  readonly #own = randomUUID()
  readonly #handlers = new Map<string, (text: string) => void>()
  #line: Promise<Connection | undefined> | undefined
  #current: Line | undefined
  readonly #presences = new Set<Presence>([processPresence()])
  #listening = false
  #again: NodeJS.Timeout | undefined
  #wait = AGAIN_MS
  #closed = false
  #probe: NodeJS.Timeout | undefined
  #echo: NodeJS.Timeout | undefined
  readonly #probes: { readonly everyMs: number; readonly echoMs: number }

  /**
   * `hear` is called with the name of a database that others changed; with null when something may have been
   * missed.
   */
  constructor(
    admin: Admin,
    hear: (name: string | null) => void,
    probes = { everyMs: PROBE_MS, echoMs: ECHO_MS },
  ) {
    this.#admin = admin
    this.#hear = hear
    this.#probes = probes
  }

  /** Whether messages of others arrive at this moment. */
  get listening(): boolean {
    return this.#listening
  }

  /** Begins to listen, once; reconnects by itself. Resolves when it listens or failed for now. */
  async listen(): Promise<void> {
    if (this.#closed) return
    this.#line ??= this.#connect()
    await this.#line
  }

  async #connect(): Promise<Connection | undefined> {
    try {
      const connection = await this.#admin.listen(CHANNEL, (payload) => this.#receive(payload))
      this.#current = { connection, held: new Set() }
      this.#wait = AGAIN_MS
      this.#listening = true
      connection.onEnd(() => this.#lost())
      // A line that is lost meanwhile is taken up again by then.
      await this.#introduce(this.#current).catch(() => undefined)
      this.#probe = setInterval(() => this.#speak(connection), this.#probes.everyMs).unref()
      return connection
    } catch {
      this.#lost()
      return undefined
    }
  }

  /** Sets the application name and presences of a new connection. */
  async #introduce(line: Line): Promise<void> {
    await line.connection.query("SELECT set_config('application_name', $1, false)", [lineName()])
    for (const presence of this.#presences) await hold(line, presence)
  }

  /** From now on it shows that this process serves something; gives what ends that. Never throws. */
  async present(presence: Presence): Promise<() => void> {
    this.#presences.add(presence)
    const line = this.#current
    // A line that is lost is taken up again, with all that there is to say.
    if (line) await hold(line, presence).catch(() => undefined)
    return () => {
      this.#presences.delete(presence)
      const now = this.#current
      if (now?.held.delete(presence) && now.connection.usable)
        now.connection.query(RELEASE, [presence.what, presence.build]).catch(() => undefined)
    }
  }

  /** A connection may die silently: a message sent over it must come back over it. */
  #speak(connection: Connection): void {
    this.#echo ??= setTimeout(() => connection.cut(), this.#probes.echoMs).unref()
    connection.query('SELECT pg_notify($1, $2)', [CHANNEL, `${this.#own} ${ECHO} .`]).catch(() => undefined)
  }

  #answered(): void {
    clearTimeout(this.#echo)
    this.#echo = undefined
  }

  #silence(): void {
    clearInterval(this.#probe)
    this.#answered()
  }

  #receive(payload: string): void {
    const [, from, topic, text] = /^(\S+) (\S+) ([\s\S]+)$/.exec(payload) ?? []
    if (from === this.#own && topic === ECHO) this.#answered()
    if (from === this.#own || !topic || !text) return
    if (topic === DATABASE) this.#hear(text)
    else this.#handlers.get(topic)?.(text)
  }

  /** Calls `handler` with what other processes say on a topic, as long as this one listens. */
  on(topic: Topic, handler: (text: string) => void): void {
    this.#handlers.set(topic, handler)
  }

  /** Sends a message on a topic. Never throws: messages may be lost. */
  async say(topic: Topic, text: string): Promise<void> {
    if (this.#closed || text.length > LONGEST) return
    // The caller may be done by then, and waits for no result.
    await outsideTrace(() => this.#tell(topic, text))
  }

  async #tell(topic: Topic, text: string): Promise<void> {
    try {
      const line = await this.#line
      if (line?.usable)
        await line.query('SELECT pg_notify($1, $2)', [CHANNEL, `${this.#own} ${topic} ${text}`])
      else await this.#admin.notify(CHANNEL, `${this.#own} ${topic} ${text}`)
    } catch (error) {
      process.emitWarning(`Other processes could not be notified (${topic}): ${String(error)}`)
    }
  }

  #lost(): void {
    this.#listening = false
    this.#silence()
    if (this.#closed) return
    // Not awaited: calls on databases of other clusters go on meanwhile.
    this.#again = setTimeout(async () => {
      const connection = await this.#connect()
      if (!connection) return
      if (this.#closed) return void connection.close()
      this.#line = Promise.resolve(connection)
      this.#hear(null)
    }, this.#wait).unref()
    this.#wait = Math.min(this.#wait * 2, AGAIN_MOST_MS)
  }

  /**
   * Notifies the other processes that these databases changed. Never throws: they detect it later by
   * themselves.
   */
  async tell(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      try {
        await this.#admin.notify(CHANNEL, `${this.#own} ${DATABASE} ${name}`)
      } catch (error) {
        process.emitWarning(`Other processes could not be notified of the database ${name}: ${String(error)}`)
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#again)
    this.#silence()
    await (await this.#line)?.close()
  }
}
